import { HookError } from '../errors/hook-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { PromptInfo } from '../protocol/texts.ts';
import { CANCELLED } from './ask.ts';
import type { ChainSetting } from './chain.ts';
import type { HookEntry } from './entry.ts';
import type { PromptVerdict } from './gate.ts';
import { type Recorded, recordDecision, recordFailure } from './record.ts';

/**
 * Lets the policies of `systemPrompt` build on a prompt, in order. Nothing is waited for: a policy that needs time
 * has `preLlmRequest`. A closed failure ends the chain, an open one keeps the prompt as it is so far.
 */
export function chainPrompt(setting: ChainSetting, prompt: string, model: string): PromptVerdict {
  const { run, entries, moment } = setting;
  const { threadId, turnId } = run.facts;
  const info: PromptInfo = Object.freeze({
    site: moment.purpose,
    model: model === '' ? 'unknown' : model,
    threadId,
    turnId,
    step: moment.step,
  });
  let value = prompt;
  for (const entry of entries) {
    if (run.cancelled) return CANCELLED;
    const asked = askPolicy(setting, entry, { value, info });
    if (asked instanceof HookError) return { type: 'failed', error: asked };
    value = asked;
  }
  if (run.cancelled) return CANCELLED;
  return { type: 'pass', value, modified: value !== prompt };
}

/** The prompt as the policy leaves it, or how it failed where that is closed. */
function askPolicy(
  { run, point, moment }: ChainSetting,
  entry: HookEntry,
  { value, info }: { readonly value: string; readonly info: PromptInfo },
): string | HookError {
  const since = run.ports.now();
  const record = (): Recorded => ({
    run,
    entry,
    question: { point, payload: value, moment, recheck: false },
    durationMs: run.ports.now() - since,
  });
  const fail = (error: HookError, late?: true): string | HookError => {
    const open = entry.failure === 'open';
    recordFailure(record(), error, { open, ...(late === true && { late }) });
    return open ? value : error;
  };
  let answer: unknown;
  try {
    answer = entry.call(value, info);
    if (isThenable(answer)) {
      // Nobody waits for it, and what comes of it must not be an unhandled rejection.
      Promise.resolve(answer).catch((cause: unknown) => fail(failure(entry, 'threw', cause), true));
      return fail(failure(entry, 'illegal'));
    }
  } catch (cause) {
    return fail(failure(entry, 'threw', cause));
  }
  if (answer === undefined) return value;
  if (typeof answer !== 'string') return fail(failure(entry, 'illegal'));
  const text = answer.toWellFormed();
  if (text !== value) recordDecision(record(), MODIFY);
  return text;
}

const MODIFY = Object.freeze({ type: 'modify' });

function failure({ policy }: HookEntry, kind: 'threw' | 'illegal', cause?: unknown): HookError {
  const about = { policy, point: 'systemPrompt', kind };
  if (kind === 'threw') return new HookError(about, { cause });
  return new HookError({
    ...about,
    detail: 'the answer is no text',
    fix: 'Return the prompt as a string, at once, or nothing to keep it; slow work belongs in `preLlmRequest`',
  });
}
