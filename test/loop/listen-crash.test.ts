import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  type ApprovalAnswer,
  createAgent,
  defineHooks,
  type ModelRequest,
  memoryStore,
  type RunResult,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  toolCallsOf,
  toolResultsOf,
} from '../../src/index.ts';
import { Bank, callTransfer } from '../acceptance/bank.ts';
import { dyingStore, watched } from './desk.ts';

const answer = ({ messages }: ModelRequest) =>
  messages.at(-1)?.role === 'user' && messages.length === 1
    ? { text: 'One moment.', toolCalls: [callTransfer(5), callTransfer(6)] }
    : 'done';

const ask = defineHooks({
  name: 'ask',
  preToolUse: ({ prepared }) => ToolDecision.requiresConfirmation(`${JSON.stringify(prepared)}?`),
});

/** One process: an agent of its own on a store that may die, and a bank that all of them share. */
function processOf(bank: Bank, store: ThreadStore, hooks: readonly AgentHooks[]) {
  const model = scriptedModel(Array.from({ length: 20 }, () => answer));
  const tools = [bank.tool({ tier: 'auto' })];
  return createAgent({ name: 'desk', model, tools, hooks, store });
}

/** Brings a turn to its end as a host would: with yes to everything that is asked. */
async function bringToEnd(agent: ReturnType<typeof processOf>): Promise<RunResult> {
  let result = await agent.resume({ threadId: 't' });
  while (result.status === 'awaiting-approval') {
    const answers = result.approvals.map(
      ({ approvalId }): ApprovalAnswer => ({ approvalId, approved: true, by: 'boss' }),
    );
    result = await agent.resume({ threadId: 't', answers });
  }
  return result;
}

/** The first process ends after so many commits, wherever in the turn that is. */
async function crashed(commits: number, hooks: readonly AgentHooks[]) {
  let now = 1_000;
  const bank = new Bank();
  const disk = memoryStore({ now: () => now });
  const first = processOf(bank, dyingStore(disk, commits), hooks);
  const hear = (error: unknown) => error;
  await first.run({ threadId: 't', message: 'go' }).catch(hear);
  await bringToEnd(first).catch(hear);
  now += 60_000;
  const before = { sent: [...bank.log], cancelled: bank.cancelled.length };
  return { bank, disk, second: processOf(bank, disk, hooks), before };
}

async function expectBalanced(disk: ThreadStore) {
  const messages = await disk.readMessages('t');
  const calls = messages.flatMap(toolCallsOf).map(({ callId }) => callId);
  expect(messages.flatMap(toolResultsOf).map(({ callId }) => callId)).toEqual(calls);
}

const cases = [
  { name: 'nobody is asked', hooks: [], commits: [1, 2, 3, 4, 5, 6, 7] },
  { name: 'a person is asked', hooks: [ask], commits: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] },
].flatMap(({ name, hooks, commits }) => commits.map((count) => ({ name, hooks, count })));

describe.each(cases)(
  'L12: $name, and the process ends after $count commits',
  ({ hooks, count }) => {
    test('another one goes on: nothing is sent twice, and nothing is left open', async () => {
      const { bank, disk, second } = await crashed(count, hooks);
      const result = await bringToEnd(second);
      expect(result.status).toBe('completed');
      expect(new Set(bank.log).size).toBe(bank.log.length);
      expect(bank.log).not.toContain('cancelled what was sent');
      await expectBalanced(disk);
      // What was intended when the process ended may have been sent: nobody sends it again, or takes it back.
      const unknown = result.messages
        .flatMap(toolResultsOf)
        .filter(({ outcome }) => outcome === 'unknown');
      expect(bank.open.length).toBeLessThanOrEqual(unknown.length);
    });

    test.each(['message', 'cancel'] as const)(
      'a %s ends the turn: what was prepared and not sent is cancelled',
      async (how) => {
        const { bank, disk, second, before } = await crashed(count, hooks);
        if (how === 'cancel') await second.cancel('t');
        else await second.run({ threadId: 't', message: 'never mind', supersede: true });
        const messages = await disk.readMessages('t');
        const outcomes = messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
        expect(bank.log).not.toContain('cancelled what was sent');
        expect(new Set(bank.log).size).toBe(bank.log.length);
        if (how === 'cancel') expect(bank.log).toEqual(before.sent);
        expect(bank.open.length).toBeLessThanOrEqual(
          outcomes.filter((outcome) => outcome === 'unknown').length,
        );
        await expectBalanced(disk);
      },
    );
  },
);

test('L12: another process reads again what was prepared, before it judges and sends it', async () => {
  const { bank, disk, second } = await crashed(4, []);
  expect((await disk.load('t'))?.state['phase']).toMatchObject({
    name: 'preparing',
    prepared: true,
  });
  bank.revise('1.1.0', 500);
  expect((await bringToEnd(second)).status).toBe('completed');
  expect(bank.log).toEqual(['send 500', 'send 6']);
});

test('L12: from the first update on, the store knows the name of what was begun', async () => {
  const bank = new Bank();
  const names: (string | undefined)[][] = [];
  const watching = watched(memoryStore(), ({ state }) => {
    // The state is stored as JSON, and this is what it holds in this phase.
    const phase = state['phase'] as {
      readonly name: string;
      readonly batch?: {
        readonly calls: readonly { readonly operation?: { readonly operationId: string } }[];
      };
    };
    if (phase.name === 'preparing')
      names.push((phase.batch?.calls ?? []).map(({ operation }) => operation?.operationId));
  });
  await processOf(bank, watching, []).run({ threadId: 't', message: 'go' });
  expect(names).toEqual([
    [undefined, undefined],
    ['1.1.0', '1.1.1'],
    ['1.1.0', '1.1.1'],
  ]);
});
