import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { Policy } from '../hooks/policy.ts';
import type { PromptInfo } from '../protocol/texts.ts';

export interface PromptSuffixOptions {
  /** Only prompts that the model with this id reads. Default: all. */
  readonly model?: string;
  /** Default: `PromptSuffix`, with the model after it where one is set. Two of one name need names of their own. */
  readonly name?: string;
}

const MAX_CHARACTERS = 512;

/**
 * Puts a text after every system prompt, after a blank line: the agent's own, and those of summaries and checks. The
 * text is stripped; 1 to 512 characters and no `{{placeholder}}`, else a `ConfigError`.
 */
export class PromptSuffix extends Policy {
  override readonly name: string;
  readonly #text: string;
  readonly #model: string | undefined;

  constructor(text: string, options: PromptSuffixOptions = {}) {
    super();
    this.#text = readSuffix(text);
    const { model, name } = readOptions(options);
    this.#model = model;
    this.name = name ?? (model === undefined ? 'PromptSuffix' : `PromptSuffix:${model}`);
  }

  override systemPrompt(prompt: string, { model }: PromptInfo): string | undefined {
    if (this.#model !== undefined && model !== this.#model) return undefined;
    return prompt === '' ? this.#text : `${prompt}\n\n${this.#text}`;
  }
}

function readSuffix(text: unknown): string {
  const suffix = typeof text === 'string' ? text.trim() : '';
  if (suffix === '') throw problem('the text is blank', 'Pass the text to add, or leave it out');
  if ([...suffix].length > MAX_CHARACTERS) {
    const fix = `Use up to ${MAX_CHARACTERS}; what is longer belongs in the instructions`;
    throw problem(`the text is longer than ${MAX_CHARACTERS} characters`, fix);
  }
  if (/\{\{.*?\}\}/s.test(suffix)) {
    const fix = 'Write the value itself, or put the placeholder into the instructions';
    throw problem('the text holds a `{{placeholder}}`, which nobody would fill', fix);
  }
  return suffix;
}

function readOptions(options: PromptSuffixOptions): PromptSuffixOptions {
  const fix = 'Pass `{ model, name }`, both optional texts that are not blank';
  checkKeys('PromptSuffix', options, ['model', 'name']);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || (typeof value === 'string' && value.trim() !== '')) continue;
    throw problem(`the option \`${key}\` is no usable text`, fix);
  }
  return options;
}

function problem(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: 'PromptSuffix', what, fix });
}
