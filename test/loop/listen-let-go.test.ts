import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  createAgent,
  defineHooks,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { Bank, callTransfer } from '../acceptance/bank.ts';
import { counted, expectStatus } from '../acceptance/play.ts';

/** Runs one turn with a transfer in its first answer. */
async function turn(more: Partial<AgentOptions> & { readonly bank?: Bank } = {}) {
  const { bank = new Bank(), ...options } = more;
  const model = scriptedModel([{ toolCalls: [callTransfer()] }, 'done', 'done']);
  const tools = [bank.tool({ tier: 'auto' })];
  const agent = createAgent({ name: 'desk', model, tools, ...options });
  return { bank, result: await agent.run({ threadId: 't', message: 'go' }) };
}

const policy = (preToolUse: (invocation: ToolInvocation) => ToolDecision | undefined) =>
  defineHooks({ name: 'policy', preToolUse });

describe('L12: whatever drops a batch cancels what it prepared', () => {
  test.each<[how: string, options: Partial<AgentOptions>, status: string, reason: string]>([
    [
      'a policy blocks it',
      { hooks: [policy(() => ToolDecision.block('no'))] },
      'completed',
      'refused',
    ],
    [
      'a policy asks for another answer',
      { hooks: [policy(() => ToolDecision.retryWithFeedback('again'))] },
      'completed',
      'dropped',
    ],
    [
      'the last retry is over',
      { hooks: [policy(() => ToolDecision.retryWithFeedback('again'))], maxResponseRetries: 1 },
      'failed',
      'dropped',
    ],
    [
      'a policy fails',
      {
        hooks: [
          policy(() => {
            throw new Error('broken');
          }),
        ],
      },
      'failed',
      'dropped',
    ],
    [
      'a policy around the call answers in its place',
      {
        hooks: [
          defineHooks({
            name: 'around',
            wrapToolUse: async () => ({ outcome: 'succeeded', isError: false, output: 'mine' }),
          }),
        ],
      },
      'completed',
      'dropped',
    ],
    [
      'a policy around the call changes its input',
      {
        hooks: [
          defineHooks({
            name: 'around',
            wrapToolUse: (invocation, next) =>
              next({ ...invocation, effectiveInput: { euros: 1_000 } }),
          }),
        ],
      },
      'completed',
      'dropped',
    ],
  ])('L12: %s', async (_how, options, ...[status, reason]) => {
    const { bank, result } = await turn(options);
    expect(result.status).toBe(status);
    expect(bank.log).toEqual([]);
    expect(bank.cancelled).toEqual([{ operationId: '1.1.0', reason }]);
  });

  test('L12: without any of that it is carried out, and not cancelled', async () => {
    const { bank } = await turn({
      hooks: [defineHooks({ onLlmResponse: () => ResponseDecision.accept() })],
    });
    expect(bank).toMatchObject({ log: ['send 5'], cancelled: [] });
  });

  test('L12: one whose time is over when its turn comes is not carried out', async () => {
    const bank = new Bank();
    const slow = counted('slow', { execute: () => new Promise((done) => setTimeout(done, 30)) });
    const listen = (_input: unknown, ctx: { readonly callId: string }) => {
      const quote = bank.quote(5, ctx.callId);
      const deal = bank.deals.get(ctx.callId);
      if (deal !== undefined) deal.expiresAt = Date.now() + 20;
      return quote;
    };
    bank.deals.set('1.1.1', {
      operationId: '1.1.1',
      revision: 2,
      euros: 5,
      asked: 5,
      status: 'open',
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'slow' }, callTransfer()] }, 'done']);
    const tools = [slow.tool, bank.tool({ tier: 'auto', listen })];
    const agent = createAgent({ name: 'desk', model, tools });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(JSON.stringify(expectStatus(result, 'completed').messages)).toContain('has expired');
    expect(bank).toMatchObject({ log: [], cancelled: [{ operationId: '1.1.1' }] });
  });

  test('L12: an input that does not fit is not prepared', async () => {
    const bank = new Bank();
    const model = scriptedModel([{ toolCalls: [{ name: 'transfer', input: {} }] }, 'done']);
    const agent = createAgent({ name: 'desk', model, tools: [bank.tool()] });
    expectStatus(await agent.run({ threadId: 't', message: 'go' }), 'completed');
    expect(bank).toMatchObject({ listens: 0, cancelled: [] });
  });
});

describe('L12: what a policy changes is prepared and judged anew', () => {
  test('L12: what runs is the amount that was judged', async () => {
    const seen: unknown[] = [];
    const cap = policy(({ effectiveInput, prepared }) => {
      seen.push(prepared?.snapshot);
      return effectiveInput['euros'] === 5 ? ToolDecision.modify({ euros: 3 }) : undefined;
    });
    const { bank } = await turn({ hooks: [cap] });
    expect(seen.at(-1)).toEqual({ euros: 3 });
    expect(bank).toMatchObject({ log: ['send 3'], cancelled: [] });
  });

  test('L12: a policy that changes it every time ends in a blocked call', async () => {
    const grow = policy(({ effectiveInput }) =>
      ToolDecision.modify({ euros: Number(effectiveInput['euros']) + 1 }),
    );
    const { bank, result } = await turn({ hooks: [grow] });
    expectStatus(result, 'completed');
    expect(bank.listens).toBeLessThan(10);
    expect(JSON.stringify(result.messages)).toContain('changed the input each time');
    expect(bank.log).toEqual([]);
    expect(bank.cancelled).toEqual([{ operationId: '1.1.0', reason: 'refused' }]);
  });
});
