import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AgentHooks,
  type AgentOptions,
  type ApprovalAnswer,
  createAgent,
  defineHooks,
  memoryStore,
  type RunResult,
  scriptedModel,
  ToolDecision,
  tool,
} from '../../src/index.ts';
import { Bank, type BankOptions, callTransfer } from '../acceptance/bank.ts';
import { expectStatus } from '../acceptance/play.ts';

const asking = (
  hooks: readonly AgentHooks[] = [],
  options: BankOptions = {},
  toolCalls = [callTransfer()],
) => {
  const bank = new Bank();
  const store = memoryStore();
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls }, 'done']),
    tools: [bank.tool(options)],
    hooks,
    store,
  });
  const say = (result: RunResult, more: Partial<ApprovalAnswer> = {}) =>
    agent.resume({ threadId: 't', answers: answersTo(result, more) });
  return { bank, agent, say, run: () => agent.run({ threadId: 't', message: 'go' }) };
};

function answersTo(result: RunResult, more: Partial<ApprovalAnswer>): ApprovalAnswer[] {
  const { approvals } = expectStatus(result, 'awaiting-approval');
  return approvals.map(({ approvalId }) => ({ approvalId, approved: true, by: 'boss', ...more }));
}

const shown = (result: RunResult) =>
  expectStatus(result, 'awaiting-approval').approvals.map(({ prepared }) => prepared);

describe('L12: a yes is for the revision that was shown', () => {
  test('L12: one that was revised meanwhile is asked about again, and runs as it was then shown', async () => {
    const { bank, say, run } = asking();
    const first = await run();
    bank.revise('1.1.0', 500);
    const second = await say(first);
    expect(bank.log).toEqual([]);
    expect(shown(second)).toMatchObject([{ revision: 3, snapshot: { euros: 500 } }]);
    expectStatus(await say(second), 'completed');
    expect(bank).toMatchObject({ log: ['send 500'], cancelled: [] });
  });

  test('L12: of two neither runs before the one that was revised is approved as it is now', async () => {
    const { bank, say, run } = asking([], {}, [callTransfer(), callTransfer()]);
    const first = await run();
    bank.revise('1.1.1', 500);
    const second = await say(first);
    expect(bank.log).toEqual([]);
    expect(shown(second)).toMatchObject([{ operationId: '1.1.1', snapshot: { euros: 500 } }]);
    expectStatus(await say(second), 'completed');
    expect(bank.log).toEqual(['send 5', 'send 500']);
  });

  test('L12: the same revision with another content is another one', async () => {
    const { bank, say, run } = asking();
    const first = await run();
    const deal = bank.deals.get('1.1.0');
    if (deal !== undefined) deal.note = 'and a fee';
    const second = await say(first);
    expect(shown(second)).toMatchObject([{ revision: 2, snapshot: { note: 'and a fee' } }]);
    expect(bank.log).toEqual([]);
  });

  test('L12: another operation in its place is asked about, and the first is cancelled', async () => {
    const { bank, say, run } = asking();
    const first = await run();
    bank.rename('1.1.0', 'b');
    const second = await say(first);
    expect(shown(second)).toMatchObject([{ operationId: 'b' }]);
    expect(bank.cancelled).toEqual([{ operationId: '1.1.0', reason: 'replaced' }]);
    expectStatus(await say(second, { approved: false }), 'completed');
    expect(bank.cancelled.at(-1)).toEqual({ operationId: 'b', reason: 'refused' });
    expect(bank.log).toEqual([]);
  });

  test('L12: one that keeps changing is asked about a bounded number of times, and never runs', async () => {
    const { bank, say, run } = asking();
    let result = await run();
    let asked = 0;
    while (result.status === 'awaiting-approval') {
      asked += 1;
      bank.revise('1.1.0', asked);
      result = await say(result);
    }
    expectStatus(result, 'completed');
    expect(asked).toBeLessThan(20);
    expect(bank).toMatchObject({ log: [], cancelled: [{ reason: 'refused' }] });
  });

  test('L12: an edited input is prepared and asked about again', async () => {
    const { bank, say, run } = asking();
    const second = await say(await run(), { input: { euros: 7 } });
    expect(shown(second)).toMatchObject([{ snapshot: { euros: 7 } }]);
    expect(bank.log).toEqual([]);
    expectStatus(await say(second), 'completed');
    expect(bank.log).toEqual(['send 7']);
  });

  test('L12: an edited input is asked about again where it changes nothing that is shown', async () => {
    const { bank, say, run } = asking([], {
      listen: (_input, ctx) => bank.quote(5, ctx.prepared?.operationId ?? ctx.callId),
    });
    const second = await say(await run(), { input: { euros: 7 } });
    expect(shown(second)).toMatchObject([{ revision: 2, snapshot: { euros: 5 } }]);
    expect(bank.log).toEqual([]);
  });

  test('L12: what the bank has given up by then fails, and is not carried out', async () => {
    const { bank, say, run } = asking();
    const first = await run();
    const deal = bank.deals.get('1.1.0');
    if (deal !== undefined) deal.status = 'cancelled';
    const result = expectStatus(await say(first), 'completed');
    expect(JSON.stringify(result.messages)).toContain('has expired');
    expect(bank).toMatchObject({ log: [], cancelled: [{ reason: 'expired' }] });
  });

  test('L12: a yes of before is no yes for policies either', async () => {
    const trusting = defineHooks({
      name: 'trusting',
      preToolUse: ({ approval }) => (approval === undefined ? undefined : ToolDecision.allow()),
    });
    const { bank, say, run } = asking([trusting]);
    const first = await run();
    bank.revise('1.1.0', 500);
    expectStatus(await say(first), 'awaiting-approval');
    expect(bank.log).toEqual([]);
  });

  test('L12: the message of somebody who does not answer cancels it', async () => {
    const { bank, agent, run } = asking();
    await run();
    await agent.run({ threadId: 't', message: 'never mind', supersede: true });
    expect(bank).toMatchObject({ log: [], cancelled: [{ operationId: '1.1.0' }] });
  });

  test('L12: a cancelled turn cancels it, and so does an approval that expires', async () => {
    const { bank, agent, run } = asking();
    await run();
    expectStatus(await agent.cancel('t'), 'cancelled');
    expect(bank.cancelled).toEqual([{ operationId: '1.1.0', reason: 'dropped' }]);
    const soon = defineHooks({
      name: 'soon',
      preToolUse: () => ToolDecision.requiresConfirmation('pay?', { expiresInMs: 1 }),
    });
    const hasty = asking([soon]);
    await hasty.run();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expectStatus(await hasty.agent.resume({ threadId: 't' }), 'completed');
    expect(hasty.bank).toMatchObject({ log: [], cancelled: [{ reason: 'refused' }] });
  });
});

describe('L12: an operation that was prepared by a tool that has changed meanwhile', () => {
  const plain = tool({
    name: 'transfer',
    description: 'Sends money',
    inputSchema: z.object({ euros: z.number() }),
    execute: ({ euros }) => `sent ${euros} at once`,
  });

  /** The answer of the boss comes in a process whose agent has other tools. */
  async function resumedWith(tools: NonNullable<AgentOptions['tools']>) {
    const bank = new Bank();
    const store = memoryStore();
    const desk = (has: NonNullable<AgentOptions['tools']>) =>
      createAgent({
        name: 'desk',
        model: scriptedModel([
          ({ messages }) =>
            messages.at(-1)?.role === 'tool' ? 'done' : { toolCalls: [callTransfer()] },
        ]),
        tools: has,
        store,
      });
    const paused = await desk([bank.tool()]).run({ threadId: 't', message: 'go' });
    const other = desk(tools);
    const raised: string[] = [];
    other.on('error.raised', ({ code }) => void raised.push(code));
    const result = await other.resume({ threadId: 't', answers: answersTo(paused, {}) });
    return { bank, raised, result };
  }

  test.each([
    ['is gone', [], /no tool of this name/],
    ['prepares nothing any more', [plain], /is no longer what was shown/],
  ])(
    'where it %s nothing of it is carried out, and it is told once that nobody can cancel it',
    async (_what, tools, output) => {
      const { bank, raised, result } = await resumedWith(tools);
      expectStatus(result, 'completed');
      expect(bank).toMatchObject({ log: [], listens: 1 });
      expect(raised).toEqual(['operation-not-cancelled']);
      expect(JSON.stringify(result.messages)).toMatch(output);
    },
  );
});
