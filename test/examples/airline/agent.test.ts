import {
  type Agent,
  memoryStore,
  type ScriptEntry,
  type ScriptedModel,
  scriptedModel,
  toolResultsOf,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import { airlineAgent } from '../../../examples/airline/agent.ts';
import { recordedDesk } from '../../../examples/airline/recorded-desk.ts';
import type { Airline } from '../../../examples/airline/tools.ts';

const think = { name: 'think', input: { thought: 'Let me see.' } };
const readIt = { name: 'get_reservation_details', input: { reservation_id: '3RK2T9' } };
const cancel = { name: 'cancel_reservation', input: { reservation_id: '3RK2T9' } };

interface Started {
  readonly agent: Agent<Airline>;
  readonly model: ScriptedModel;
  /** The tools that ran. */
  readonly ran: readonly string[];
  readonly thread: { readonly threadId: string; readonly context: Airline };
}

function start(script: readonly ScriptEntry[]): Started {
  const model = scriptedModel(script);
  const agent = airlineAgent({ model, store: memoryStore() });
  const ran: string[] = [];
  agent.on(
    'tool.succeeded',
    (event) => event.type === 'tool.succeeded' && ran.push(event.toolName),
  );
  return { agent, model, ran, thread: { threadId: 'thread', context: recordedDesk() } };
}

test('two calls at once are sent back, and neither runs', async () => {
  const { agent, model, ran, thread } = start([
    { toolCalls: [readIt, think] },
    { toolCalls: [readIt] },
    'You booked it on May 2nd.',
  ]);
  const result = await agent.run({ ...thread, message: 'When did I book 3RK2T9?' });
  await agent.settled();
  expect(result).toMatchObject({ status: 'completed', text: 'You booked it on May 2nd.' });
  expect(ran).toEqual(['get_reservation_details']);
  expect(JSON.stringify(model.requests[1])).toContain('Make one tool call at a time.');
  expect(JSON.stringify(model.requests[2])).not.toContain('Make one tool call at a time.');
});

test('a confirmation that is given lets the call run', async () => {
  const { agent, ran, thread } = start([
    { toolCalls: [readIt] },
    'It was booked on May 2nd. Shall I cancel it?',
    { toolCalls: [cancel] },
    'It is cancelled.',
  ]);
  await agent.run({ ...thread, message: 'Please cancel 3RK2T9, I booked it ten hours ago.' });
  const paused = await agent.run({ ...thread, message: 'Yes, please.' });
  if (paused.status !== 'awaiting-approval') throw new Error(`it is ${paused.status}`);
  expect(paused.approvals.map(({ requirements }) => requirements.map((one) => one.policy))).toEqual(
    [['CancelWithinRules']],
  );
  expect(ran).not.toContain('cancel_reservation');
  const answers = paused.approvals.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: 'airline desk',
  }));
  const result = await agent.resume({ ...thread, answers });
  await agent.settled();
  expect(result).toMatchObject({ status: 'completed', text: 'It is cancelled.' });
  expect(ran).toEqual(['get_reservation_details', 'cancel_reservation']);
});

test('a blocked call is answered with the reason, and the model goes on', async () => {
  const { agent, ran, thread } = start([
    { toolCalls: [{ name: 'send_certificate', input: { user_id: 'mia_li_3668', amount: 100 } }] },
    'I am sorry for the delay.',
  ]);
  const result = await agent.run({ ...thread, message: 'My flight is late.' });
  await agent.settled();
  expect(result.status).toBe('completed');
  expect(ran).toEqual([]);
  const results = result.messages.flatMap(toolResultsOf);
  expect(results.map(({ outcome }) => outcome)).toEqual(['blocked']);
  expect(JSON.stringify(results)).toContain('The customer did not ask for compensation');
});
