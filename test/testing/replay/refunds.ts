import {
  type AgentHooks,
  defineHooks,
  ResponseDecision,
  ToolDecision,
} from '../../../src/index.ts';
import { assistant, called, history, user } from '../../../src/testing/history.ts';
import type { Transcript } from '../../../src/testing/replay/transcript.ts';
import { conversation } from './transcripts.ts';

/** Two refunds that were made. */
export const recorded: Transcript = conversation(
  history(
    user('Refund order 7'),
    called('get_order', { id: 7 }, { total: 30 }),
    called('refund', { id: 7, amount: 30 }, 'refunded'),
    assistant('Done.'),
    user('And order 8'),
    called('refund', { id: 8, amount: 90 }, 'refunded'),
    assistant('Done again.'),
  ),
);

/** Lets everything pass, and says so. */
export const watch: AgentHooks = defineHooks({
  name: 'watch',
  preToolUse: () => ToolDecision.allow(),
  onLlmResponse: () => ResponseDecision.accept(),
});

/** Decides this of every refund. */
export function onRefund(name: string, decision: ToolDecision): AgentHooks {
  return defineHooks({
    name,
    preToolUse: ({ toolName }) => (toolName === 'refund' ? decision : undefined),
  });
}
