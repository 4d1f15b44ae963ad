import { defineHooks, hostTool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  callPay,
  callPrint,
  callRead,
  callScan,
  lastResults,
  shop,
  waitingCalls,
} from './host-desk.ts';

const sleep = (ms: number) =>
  new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

describe('a call of a tool that the host runs', () => {
  test('X01: ends the run with the call, and the history has no result of it yet', async () => {
    const { agent, model, store } = shop({ script: [{ toolCalls: [callScan(3)] }] });
    const result = await agent.run({ threadId: 't', message: 'go' });
    const calls = waitingCalls(result);
    expect(calls).toMatchObject([
      { callId: '1.1.0', toolName: 'scan', sideEffects: 'none', input: { shelf: 3 } },
    ]);
    expect(calls[0]?.idempotencyKey).not.toBe('');
    expect(model.requests).toHaveLength(1);
    const roles = (await store.readMessages('t')).map(({ role }) => role);
    expect(roles).toEqual(['user', 'assistant']);
  });

  test('X02: an answer without calls just completes', async () => {
    const { agent } = shop({ script: ['hello'] });
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({
      status: 'completed',
      text: 'hello',
    });
  });

  test('X04: two results in the reverse order stand in the order of the calls', async () => {
    const { agent } = shop({ script: [{ toolCalls: [callScan(1), callScan(2)] }, 'done'] });
    const [first, second] = waitingCalls(await agent.run({ threadId: 't', message: 'go' }));
    const result = await agent.submitToolResults({
      threadId: 't',
      results: [
        { callId: second?.callId ?? '', output: { code: 'b' } },
        { callId: first?.callId ?? '', output: { code: 'a' } },
      ],
    });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(lastResults(result)).toMatchObject([
      { callId: '1.1.0', outcome: 'succeeded', output: { code: 'a', count: 1 } },
      { callId: '1.1.1', outcome: 'succeeded', output: { code: 'b', count: 1 } },
    ]);
  });

  test('X10: of a failed one the model reads the words of the host', async () => {
    const { agent, store } = shop({ script: [{ toolCalls: [callScan()] }, 'sorry'] });
    await agent.run({ threadId: 't', message: 'go' });
    const result = await agent.submitToolResults({
      threadId: 't',
      results: [{ callId: '1.1.0', error: 'the scanner is off' }],
    });
    expect(result).toMatchObject({ status: 'completed', text: 'sorry' });
    expect(lastResults(result)).toMatchObject([
      {
        outcome: 'failed',
        isError: true,
        output: { error: 'the scanner is off. Do not claim success.' },
      },
    ]);
    const events = (await store.readEvents('t')).map(({ type }) => type);
    expect(events).toContain('tool.failed');
    expect(events).not.toContain('tool.succeeded');
  });

  test('the other calls of the batch run once, before the host is asked', async () => {
    const script = [{ toolCalls: [callPrint, callPay, callRead, callScan()] }, 'done'];
    const { agent, log, store } = shop({ script });
    const calls = waitingCalls(await agent.run({ threadId: 't', message: 'go' }));
    expect(calls.map(({ toolName }) => toolName)).toEqual(['print', 'scan']);
    expect(log.toSorted()).toEqual(['pay', 'read']);
    const result = await agent.submitToolResults({
      threadId: 't',
      results: [
        { callId: '1.1.0', output: 'printed' },
        { callId: '1.1.3', output: { code: 'a' } },
      ],
    });
    expect(result).toMatchObject({ status: 'completed' });
    expect(log).toHaveLength(2);
    expect(lastResults(result).map(({ toolName, outcome }) => `${toolName} ${outcome}`)).toEqual([
      'print succeeded',
      'pay succeeded',
      'read succeeded',
      'scan succeeded',
    ]);
    const ended = (await store.readEvents('t')).filter(({ type }) => type === 'tool.succeeded');
    expect(ended).toHaveLength(4);
  });

  test('the ledger has what the host did of a call that must not run twice', async () => {
    const { agent, store } = shop({ script: [{ toolCalls: [callPrint, callPay] }, 'done'] });
    await agent.run({ threadId: 't', message: 'go' });
    expect(await store.readLedger('t', ['1.1.0', '1.1.1'])).toMatchObject([
      { callId: '1.1.0', status: 'intended' },
      { callId: '1.1.1', status: 'finished', result: { output: { paid: true } } },
    ]);
    await agent.submitToolResults({ threadId: 't', results: [{ callId: '1.1.0', output: 'ok' }] });
    expect(await store.readLedger('t', ['1.1.0'])).toMatchObject([
      { status: 'finished', result: { outcome: 'succeeded', output: 'ok' } },
    ]);
  });

  test('an output whose schema answers later is read as that says', async () => {
    const scan = hostTool({
      name: 'scan',
      description: 'Scans a code',
      inputSchema: z.object({}),
      outputSchema: z
        .object({ code: z.string(), count: z.number().default(1) })
        .refine(async ({ code }) => code !== 'x'),
      sideEffects: 'none',
    });
    const script = [{ toolCalls: [{ name: 'scan', input: {} }] }, 'done'];
    const { agent } = shop({ script, more: { tools: [scan] } });
    await agent.run({ threadId: 't', message: 'go' });
    const submit = (code: string) =>
      agent.submitToolResults({ threadId: 't', results: [{ callId: '1.1.0', output: { code } }] });
    await expect(submit('x')).rejects.toMatchObject({ code: 'tool-result-invalid-output' });
    expect(lastResults(await submit('a'))).toMatchObject([{ output: { code: 'a', count: 1 } }]);
  });

  test('a host may answer with nothing', async () => {
    const { agent } = shop({ script: [{ toolCalls: [callPrint] }, 'done'] });
    await agent.run({ threadId: 't', message: 'go' });
    const result = await agent.submitToolResults({
      threadId: 't',
      results: [{ callId: '1.1.0', output: null }],
    });
    expect(lastResults(result)).toMatchObject([{ outcome: 'succeeded', output: null }]);
  });
});

describe('every way to run an agent', () => {
  test('runStep stops at the calls, and the results go on with the turn', async () => {
    const { agent } = shop({ script: [{ toolCalls: [callScan()] }, 'done'] });
    const step = await agent.runStep({ threadId: 't', message: 'go' });
    expect(waitingCalls(step)).toHaveLength(1);
    expect(await agent.runStep({ threadId: 't' })).toMatchObject({ status: 'awaiting-tools' });
    const results = [{ callId: '1.1.0', output: { code: 'a' } }];
    expect(await agent.submitToolResults({ threadId: 't', results })).toMatchObject({
      status: 'completed',
    });
  });

  test('a stream tells of the calls, and one of the results of what follows', async () => {
    const { agent } = shop({ script: [{ toolCalls: [callScan()] }, 'done'] });
    const first: string[] = [];
    const stream = agent.stream({ threadId: 't', message: 'go' });
    for await (const event of stream) first.push(event.type);
    expect(await stream.result).toMatchObject({ status: 'awaiting-tools' });
    expect(first).toContain('tool.started');
    expect(first).not.toContain('turn.finished');
    const second: string[] = [];
    const results = [{ callId: '1.1.0', output: { code: 'a' } }];
    const rest = agent.streamToolResults({ threadId: 't', results });
    for await (const event of rest) second.push(event.type);
    expect(await rest.result).toMatchObject({ status: 'completed' });
    expect(second).toContain('tool.succeeded');
    expect(second.at(-1)).toBe('turn.finished');
  });

  test('X09: another process lists the calls again and takes their results', async () => {
    const one = shop({ script: [{ toolCalls: [callScan(9)] }] });
    const calls = waitingCalls(await one.agent.run({ threadId: 't', message: 'go' }));
    const other = shop({ script: ['done'], store: one.store });
    const listed = waitingCalls(await other.agent.resume({ threadId: 't' }));
    expect(listed).toEqual(calls);
    const results = listed.map(({ callId, idempotencyKey }) => ({
      callId,
      idempotencyKey,
      output: { code: 'a' },
    }));
    const through = JSON.parse(JSON.stringify({ threadId: 't', results }));
    expect(await other.agent.submitToolResults(through)).toMatchObject({
      status: 'completed',
      text: 'done',
    });
  });

  test('the time before the host had its calls still counts', async () => {
    const { agent } = shop({
      script: [{ toolCalls: [callScan()] }, 'done'],
      hooks: [defineHooks({ name: 'slow', onLlmResponse: () => sleep(60) })],
      more: { limits: { wallTimeMs: 50 } },
    });
    expect(await agent.run({ threadId: 't', message: 'go' })).toMatchObject({
      status: 'awaiting-tools',
    });
    const results = [{ callId: '1.1.0', output: { code: 'a' } }];
    expect(await agent.submitToolResults({ threadId: 't', results })).toMatchObject({
      status: 'limited',
      limit: 'wall-time',
    });
  });

  test('the time with the host is no time of the turn', async () => {
    const { agent } = shop({
      script: [{ toolCalls: [callScan()] }, 'done'],
      more: { limits: { wallTimeMs: 300 } },
    });
    await agent.run({ threadId: 't', message: 'go' });
    await sleep(350);
    const results = [{ callId: '1.1.0', output: { code: 'a' } }];
    expect(await agent.submitToolResults({ threadId: 't', results })).toMatchObject({
      status: 'completed',
    });
  });
});
