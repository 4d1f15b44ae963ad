import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  ToolDecision,
  tool,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';

const pay = tool({
  name: 'pay',
  description: 'Pays',
  inputSchema: z.object({}),
  tier: 'auto',
  execute: () => 'paid',
});

test.each([
  ['1', 'completed'],
  ['2', 'awaiting-approval'],
])(
  'an approval given under version 1 of a policy, under version %s: %s',
  async (version, status) => {
    const store = memoryStore();
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'done']);
    const agentOf = (current: string) => {
      const asks = defineHooks({
        name: 'asks',
        version: current,
        preToolUse: () => ToolDecision.requiresConfirmation('ok?'),
      });
      return createAgent({ name: 'a', model, store, tools: [pay], hooks: [asks] });
    };
    const paused = await agentOf('1').run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const answers = paused.approvals.map(({ approvalId }) => ({
      approvalId,
      approved: true,
      by: 'ann',
    }));
    expect(await agentOf(version).resume({ threadId: 't', answers })).toMatchObject({ status });
  },
);
