import { MessageDecision } from '../../../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../../../src/decisions/tool-decision.ts';
import type { HookContext } from '../../../../src/hooks/context.ts';
import { Policy } from '../../../../src/hooks/policy.ts';
import type { IncomingText } from '../../../../src/protocol/texts.ts';
import type { ToolInvocation } from '../../../../src/protocol/tool.ts';
import { illegal } from '../../policies.ts';

type Said = MessageDecision | undefined;

/** Each has one fault, as it happens in policies that people write. */
export class ThrowsOnUnicode extends Policy {
  override onUserMessage({ text }: IncomingText): Said {
    // Latin letters only, and everything else is an InvalidCharacterError.
    return btoa(text) === 'c2VjcmV0' ? MessageDecision.block('a secret') : undefined;
  }
}

export class HangsOnLongInput extends Policy {
  override async onUserMessage({ text }: IncomingText): Promise<Said> {
    if (text.length > 300) await new Promise(() => undefined);
    return undefined;
  }
}

export class Mutates extends Policy {
  override preToolUse({ effectiveInput }: ToolInvocation): ToolDecision | undefined {
    Object.assign(effectiveInput, { checked: true });
    return undefined;
  }
}

/** Written without strict mode, where an attempt on what is frozen is ignored. */
export const mutatesQuietly = {
  name: 'mutates-quietly',
  preToolUse: new Function('call', 'call.effectiveInput.checked = true') as () => undefined,
};

export class AnswersDifferently extends Policy {
  #asked = 0;

  override onUserMessage(): Said {
    this.#asked += 1;
    return this.#asked % 2 === 0 ? MessageDecision.block('every second one') : undefined;
  }
}

export class LeaksInput extends Policy {
  override onUserMessage({ text }: IncomingText): Said {
    return text.length > 30 ? MessageDecision.block(`too long: ${text.slice(0, 60)}`) : undefined;
  }
}

export class CatastrophicPattern extends Policy {
  override onUserMessage({ text }: IncomingText): Said {
    return /^(\w+\s?)*$/.test(text) ? undefined : MessageDecision.block('not only words');
  }
}

export class ForgetsToReturn extends Policy {
  override preToolUse({ effectiveInput }: ToolInvocation): ToolDecision | undefined {
    if (Number(effectiveInput['amount']) > 100) ToolDecision.block('too much');
    return undefined;
  }
}

export class NotJson extends Policy {
  override preToolUse(call: ToolInvocation): ToolDecision {
    return ToolDecision.modify(illegal({ ...call.effectiveInput, at: new Date(0) }));
  }
}

export class Late extends Policy {
  override readonly options = { onUserMessage: { timeoutMs: 20 } };

  override async onUserMessage(_message: IncomingText, _ctx: HookContext): Promise<Said> {
    await new Promise((resolve) => setTimeout(resolve, 60));
    return undefined;
  }
}

/** Somebody emptied the list. */
const GREETINGS: readonly string[] = [];

export class BlocksEverything extends Policy {
  override onUserMessage({ text }: IncomingText): Said {
    return GREETINGS.some((greeting) => text.startsWith(greeting))
      ? undefined
      : MessageDecision.block('unknown');
  }
}

export class RewritesItsRewrite extends Policy {
  override onUserMessage({ text }: IncomingText): Said {
    return MessageDecision.modify(`[checked] ${text}`);
  }
}

export class Illegal extends Policy {
  override onUserMessage({ text }: IncomingText): Said {
    return text.length > 10 ? illegal('block') : undefined;
  }
}
