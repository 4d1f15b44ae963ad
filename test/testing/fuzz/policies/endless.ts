import type { MessageDecision } from '../../../../src/decisions/message-decision.ts';
import type { IncomingText } from '../../../../src/protocol/texts.ts';

/** Never comes back from a text of more than 200 characters. */
export const endless = {
  name: 'endless',
  onUserMessage({ text }: IncomingText): MessageDecision | undefined {
    while (text.length > 200) if (text === '') break;
    return undefined;
  },
};
