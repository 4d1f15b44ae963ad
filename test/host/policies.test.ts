import { defineHooks, ToolDecision, ToolResultDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPrint, callScan, lastResults, shop, waitingCalls } from './host-desk.ts';

const scanned = [{ callId: '1.1.0', output: { code: 'a' } }];

describe('policies around a call that the host runs', () => {
  test('a blocked call is not handed out; without the policy it is', async () => {
    const script = [{ toolCalls: [callScan(1), callScan(2)] }, 'done'];
    const noShelf2 = defineHooks({
      name: 'no-shelf-2',
      preToolUse: ({ effectiveInput }) =>
        effectiveInput['shelf'] === 2 ? ToolDecision.block('not that one') : undefined,
    });
    const guarded = shop({ script, hooks: [noShelf2] });
    const calls = waitingCalls(await guarded.agent.run({ threadId: 't', message: 'go' }));
    expect(calls.map(({ input }) => input)).toEqual([{ shelf: 1 }]);
    const free = shop({ script });
    expect(waitingCalls(await free.agent.run({ threadId: 't', message: 'go' }))).toHaveLength(2);
    const result = await guarded.agent.submitToolResults({ threadId: 't', results: scanned });
    expect(lastResults(result).map(({ outcome }) => outcome)).toEqual(['succeeded', 'blocked']);
  });

  test('an approval comes first, and the edited input is what the host is handed', async () => {
    const ask = defineHooks({
      name: 'ask',
      preToolUse: () => ToolDecision.requiresConfirmation('scan?'),
    });
    const { agent } = shop({ script: [{ toolCalls: [callScan(1)] }, 'done'], hooks: [ask] });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    await expect(
      agent.submitToolResults({ threadId: 't', results: scanned }),
    ).rejects.toMatchObject({ code: 'nothing-to-continue' });
    const approvalId = paused.approvals[0]?.approvalId ?? '';
    const answers = [{ approvalId, approved: true, by: 'ann', input: { shelf: 5 } }];
    const calls = waitingCalls(await agent.resume({ threadId: 't', answers }));
    expect(calls).toMatchObject([{ input: { shelf: 5 } }]);
  });

  test('one that is not approved is never handed out', async () => {
    const ask = defineHooks({
      name: 'ask',
      preToolUse: () => ToolDecision.requiresConfirmation('scan?'),
    });
    const { agent } = shop({ script: [{ toolCalls: [callScan(1)] }, 'done'], hooks: [ask] });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const approvalId = paused.approvals[0]?.approvalId ?? '';
    const answers = [{ approvalId, approved: false, by: 'ann' }];
    expect(await agent.resume({ threadId: 't', answers })).toMatchObject({ status: 'completed' });
  });

  test('postToolUse sees what the host gave before the model does', async () => {
    const seen: unknown[] = [];
    const mask = defineHooks({
      name: 'mask',
      postToolUse: (_invocation, { output }) => {
        seen.push(output);
        return ToolResultDecision.modify({ output: { code: '*' } });
      },
    });
    const script = [{ toolCalls: [callScan()] }, 'done'];
    const { agent, store } = shop({ script, hooks: [mask] });
    await agent.run({ threadId: 't', message: 'go' });
    expect(seen).toEqual([]);
    const results = [{ callId: '1.1.0', output: { code: 'SECRET' } }];
    const result = await agent.submitToolResults({ threadId: 't', results });
    expect(seen).toEqual([{ code: 'SECRET', count: 1 }]);
    expect(lastResults(result)).toMatchObject([{ output: { code: '*' } }]);
    const kept = [
      await store.load('t'),
      await store.readMessages('t'),
      await store.readEvents('t'),
    ];
    expect(JSON.stringify(kept)).not.toContain('SECRET');
  });

  test('the words of a failed one pass postToolUse too', async () => {
    const mask = defineHooks({
      name: 'mask',
      postToolUse: () => ToolResultDecision.modify({ output: 'failed' }),
    });
    const { agent } = shop({ script: [{ toolCalls: [callScan()] }, 'done'], hooks: [mask] });
    await agent.run({ threadId: 't', message: 'go' });
    const results = [{ callId: '1.1.0', error: 'SECRET' }];
    const result = await agent.submitToolResults({ threadId: 't', results });
    expect(lastResults(result)).toMatchObject([{ isError: true, output: 'failed' }]);
  });

  test('the host is handed the input that a policy around the call put in place', async () => {
    const shift = defineHooks({
      name: 'shift',
      wrapToolUse: (invocation, next) =>
        next({ ...invocation, effectiveInput: { ...invocation.effectiveInput, shelf: 8 } }),
    });
    const { agent } = shop({ script: [{ toolCalls: [callScan(1)] }, 'done'], hooks: [shift] });
    const calls = waitingCalls(await agent.run({ threadId: 't', message: 'go' }));
    expect(calls).toMatchObject([{ input: { shelf: 8 } }]);
    const result = await agent.submitToolResults({ threadId: 't', results: scanned });
    expect(lastResults(result)).toMatchObject([{ output: { code: 'a' } }]);
  });

  test('a policy around the call that answers itself keeps it from the host', async () => {
    const cached = defineHooks({
      name: 'cached',
      wrapToolUse: () =>
        Promise.resolve({ outcome: 'succeeded', isError: false, output: { code: 'c' } } as const),
    });
    const { agent } = shop({ script: [{ toolCalls: [callScan(1)] }, 'done'], hooks: [cached] });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'completed' });
    expect(lastResults(result)).toMatchObject([{ output: { code: 'c' } }]);
  });

  test('the ledger keeps what the host did, whatever a policy around the call makes of it', async () => {
    const mask = defineHooks({
      name: 'mask',
      wrapToolUse: async (invocation, next) => ({
        ...(await next(invocation)),
        output: 'masked',
      }),
    });
    const { agent, store } = shop({ script: [{ toolCalls: [callPrint] }, 'done'], hooks: [mask] });
    await agent.run({ threadId: 't', message: 'go' });
    const results = [{ callId: '1.1.0', output: 'printed' }];
    const result = await agent.submitToolResults({ threadId: 't', results });
    expect(lastResults(result)).toMatchObject([{ output: 'masked' }]);
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { result: { output: 'printed' } },
    ]);
  });

  test('onError is asked about a failed one once all results are in', async () => {
    const asked: string[] = [];
    const stop = defineHooks({
      name: 'stop',
      onError: ({ code }) => {
        asked.push(code);
        return false;
      },
    });
    const { agent } = shop({ script: [{ toolCalls: [callScan()] }, 'done'], hooks: [stop] });
    await agent.run({ threadId: 't', message: 'go' });
    expect(asked).toEqual([]);
    const results = [{ callId: '1.1.0', error: 'off' }];
    const result = await agent.submitToolResults({ threadId: 't', results });
    expect(asked).toHaveLength(1);
    expect(result).toMatchObject({ status: 'failed' });
    expect(lastResults(result)).toMatchObject([{ outcome: 'failed' }]);
  });
});
