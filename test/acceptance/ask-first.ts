import { Policy, ToolDecision, type ToolInvocation } from '../../src/index.ts';

/** Has a person look at the calls it is told of: all of them, or those with these messages. */
export class AskFirst extends Policy {
  override readonly name: string = 'ask-first';
  readonly #messages: readonly string[] | undefined;

  constructor(messages?: readonly string[]) {
    super();
    this.#messages = messages;
  }

  override preToolUse({ effectiveInput }: ToolInvocation): ToolDecision | undefined {
    const isMeant = this.#messages?.includes(String(effectiveInput['message'])) ?? true;
    return isMeant ? ToolDecision.requiresConfirmation('May it?') : undefined;
  }
}
