import {
  agentTool,
  createAgent,
  defineHooks,
  type HookContext,
  RequestDecision,
  scriptedModel,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { callThen, outputsOf } from './team.ts';

test('a policy from above reads the state of its own thread, one of the subagent that of the subagent', async () => {
  const seen: unknown[] = [];
  const freeze = defineHooks<unknown, { readonly frozen: boolean }>({
    name: 'freeze',
    preLlmRequest: (_request, { state, agentPath }: HookContext<unknown, { frozen: boolean }>) =>
      agentPath.length > 0 && state.frozen ? RequestDecision.block('frozen') : undefined,
  });
  const watch = defineHooks({
    name: 'watch',
    onTurnStart: (_turn, { state }) => {
      seen.push(state);
    },
  });
  const clerk = createAgent({
    name: 'clerk',
    model: scriptedModel(['paid', 'paid']),
    stateSchema: z.object({ own: z.number().default(1) }),
    hooks: [watch],
  });
  const desk = createAgent({
    name: 'desk',
    model: scriptedModel([
      callThen('done', { name: 'clerk', input: { task: 'pay' } }),
      'done',
      callThen('done', { name: 'clerk', input: { task: 'pay' } }),
      'done',
    ]),
    stateSchema: z.object({ frozen: z.boolean().default(false) }),
    tools: [agentTool(clerk, { name: 'clerk', description: 'Pays' })],
    hooks: [freeze],
  });
  const free = await desk.run({ threadId: 't', message: 'go' });
  const frozen = await desk.run({ threadId: 't', message: 'go', state: { frozen: true } });
  expect(outputsOf(free)).toEqual(['paid']);
  expect(outputsOf(frozen)).toEqual([expect.stringContaining('a policy stopped it')]);
  expect(seen).toEqual([{ own: 1 }, { own: 1 }]);
});
