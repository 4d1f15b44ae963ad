import {
  type AgentEvent,
  type AgentHooks,
  memoryStore,
  scriptedModel,
  ToolDecision,
  type ToolMessage,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { failingStore } from '../acceptance/failing-store.ts';
import { agentFor, counted, expectStatus, sleep } from '../acceptance/play.ts';
import { callPay, callRead, desk, watched } from './desk.ts';

type Wrap = NonNullable<AgentHooks['wrapToolUse']>;
const wraps = (
  name: string,
  wrapToolUse: Wrap,
  options: AgentHooks['options'] = {},
): AgentHooks => ({
  name,
  options,
  wrapToolUse,
});

const results = (messages: readonly { readonly role: string }[]) =>
  messages.flatMap((message) => (message.role === 'tool' ? (message as ToolMessage).content : []));

const calls = (...toolCalls: readonly { readonly name: string; readonly input?: unknown }[]) => ({
  toolCalls,
});

describe('around a tool call that waited for a person', () => {
  const asks: AgentHooks = {
    name: 'asks',
    preToolUse: ({ effectiveInput }) =>
      effectiveInput['id'] === 'other' ? undefined : ToolDecision.requiresConfirmation('Sure?'),
  };
  const approve = async (wrap: Wrap) => {
    const pay = counted('pay', { tier: 'confirm' });
    const model = scriptedModel([calls({ name: 'pay', input: { id: 'x' } }), 'done']);
    const agent = agentFor('run', { model, tools: [pay.tool], hooks: [asks, wraps('wrap', wrap)] });
    const paused = expectStatus(
      await agent.run({ threadId: 't', message: 'pay' }),
      'awaiting-approval',
    );
    const [approval] = paused.approvals;
    const answers = [{ approvalId: approval?.approvalId ?? '', approved: true, by: 'ann' }];
    return { result: await agent.resume({ threadId: 't', answers }), inputs: pay.inputs };
  };

  test('it is wrapped when it runs, with the answer at hand', async () => {
    const seen: unknown[] = [];
    const { result, inputs } = await approve(async (call, next) => {
      seen.push(call.approval?.by);
      return next(call);
    });
    expectStatus(result, 'completed');
    expect(seen).toEqual(['ann']);
    expect(inputs).toEqual([{ id: 'x' }]);
  });

  test.each(['y', 'other'])('an input nobody has approved does not run: %s', async (id) => {
    const { result, inputs } = await approve((call, next) =>
      next({ ...call, effectiveInput: { id } }),
    );
    expectStatus(result, 'completed');
    expect(inputs).toEqual([]);
    expect(results(result.messages)).toMatchObject([{ outcome: 'blocked' }]);
  });
});

describe('around a tool call, over a crash', () => {
  test('L8: the intent is stored before the policies are asked', async () => {
    const log: string[] = [];
    const reads = wraps('reads', async (call, next) => {
      log.push('wrap');
      return next(call);
    });
    const store = watched(memoryStore(), ({ ledger }) => {
      for (const entry of ledger) log.push(entry.status);
    });
    const { agent } = desk({ script: [calls(callPay(5)), 'done'], hooks: [reads], store, log });
    await agent.run({ threadId: 't', message: 'pay' });
    expect(log).toEqual(['model', 'intended', 'wrap', 'pay 5', 'finished', 'model']);
  });

  test('after a crash, a recorded outcome is used, and nobody is asked about a call that is over', async () => {
    const log: string[] = [];
    const reads = wraps('reads', async (call, next) => {
      log.push('wrap');
      return next(call);
    });
    const disk = memoryStore();
    const store = failingStore(disk, (commit) => commit === 3);
    const { agent } = desk({ script: [calls(callPay(5)), 'done'], hooks: [reads], store, log });
    expect(await agent.run({ threadId: 't', message: 'pay' })).toMatchObject({ status: 'failed' });
    expect(await disk.readLedger('t', ['1.1.0'])).toMatchObject([{ status: 'finished' }]);
    const result = await agent.resume({ threadId: 't' });
    expectStatus(result, 'completed');
    expect(log).toEqual(['model', 'wrap', 'pay 5', 'model']);
  });

  test('an outcome that came late reaches the model only where nobody is around the call', async () => {
    const played = async (hooks: readonly AgentHooks[]) => {
      const disk = memoryStore();
      const store = failingStore(disk, (commit) => commit === 3);
      const pay = counted('pay', { timeoutMs: 5, execute: () => sleep(30).then(() => 'SECRET') });
      const model = scriptedModel([calls({ name: 'pay' }), 'done']);
      const agent = agentFor('run', { model, tools: [pay.tool], hooks, store, cancelGraceMs: 1 });
      await agent.run({ threadId: 't', message: 'pay' });
      await expect
        .poll(async () => (await disk.readLedger('t', ['1.1.0']))[0]?.status)
        .toBe('finished');
      return results((await agent.resume({ threadId: 't' })).messages);
    };
    expect(await played([])).toMatchObject([{ outcome: 'succeeded', output: 'SECRET' }]);
    const [read] = await played([wraps('hides', async (call, next) => next(call))]);
    expect(read).toMatchObject({ outcome: 'succeeded', isError: true });
    expect(read?.output).toMatch(/did run.*withheld/);
  });

  test('beside others, what a policy answered in place of a tool is in the ledger as not executed', async () => {
    const heard: AgentEvent[] = [];
    const store = memoryStore();
    const skips = wraps('skips', async (call, next) =>
      call.toolName === 'pay'
        ? { outcome: 'succeeded', isError: false, output: 'skipped' }
        : next(call),
    );
    const { agent, log } = desk({
      script: [calls(callPay(5), callRead), 'done'],
      hooks: [skips],
      store,
    });
    agent.on('tool.*', (event) => heard.push(event));
    const result = await agent.run({ threadId: 't', message: 'pay' });
    expect(results(result.messages)).toMatchObject([
      { output: 'skipped' },
      { output: { balance: 7 } },
    ]);
    expect(log).toEqual(['model', 'read', 'model']);
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { result: { outcome: 'not-executed' } },
    ]);
    const types = heard.map(({ type }) => type);
    expect(types.filter((type) => type === 'tool.started')).toHaveLength(2);
    expect(types.filter((type) => type === 'tool.succeeded')).toHaveLength(2);
  });
});
