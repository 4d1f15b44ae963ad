import type { ToolDescription } from '../protocol/chat.ts';
import type { AnswerPort } from '../tools/answer-port.ts';
import { answerSchema } from '../tools/answer-schema.ts';
import type { ToolSchema } from '../tools/schema.ts';

/** The output schemas that runs of one agent were given, each made ready once. */
export class AnswerSchemas {
  readonly #tools: readonly ToolDescription[];
  readonly #known = new WeakMap<ToolSchema, AnswerPort>();

  constructor(tools: readonly ToolDescription[]) {
    this.#tools = tools;
  }

  /** In the form a start of a run takes. Throws `ConfigError` for what is no usable schema. */
  of(
    where: string,
    { output }: { readonly output?: ToolSchema },
  ): { readonly output?: AnswerPort } {
    if (output === undefined) return {};
    const known = this.#known.get(output) ?? answerSchema(where, output, this.#tools);
    this.#known.set(output, known);
    return { output: known };
  }
}
