import { describe, expect, test } from 'vitest';
import { callScan, lastResults, shop, waitingCalls } from './host-desk.ts';

const ok = (callId: string) => ({ callId, output: { code: 'a' } });

async function waiting() {
  const desk = shop({ script: [{ toolCalls: [callScan(1), callScan(2)] }, 'done'] });
  const calls = waitingCalls(await desk.agent.run({ threadId: 't', message: 'go' }));
  return { ...desk, calls };
}

describe('results that do not match the calls', () => {
  test.each([
    ['X06: one of two is missing', [ok('1.1.0')], 'tool-result-missing'],
    ['none at all', [], 'tool-result-missing'],
    ['X08: the same call twice', [ok('1.1.0'), ok('1.1.0')], 'tool-result-duplicate'],
    ['a duplicate beside all', [ok('1.1.0'), ok('1.1.1'), ok('1.1.1')], 'tool-result-duplicate'],
    ['a call nobody made', [ok('1.1.0'), ok('1.1.1'), ok('1.1.2')], 'tool-result-unknown'],
    ['a name of every object', [ok('constructor'), ok('1.1.1')], 'tool-result-unknown'],
    [
      'an output that does not fit',
      [ok('1.1.0'), { callId: '1.1.1', output: { code: 7 } }],
      'tool-result-invalid-output',
    ],
  ])('%s: an error, and nothing has changed', async (_name, results, code) => {
    const { agent, store, model } = await waiting();
    const before = await store.load('t');
    await expect(agent.submitToolResults({ threadId: 't', results })).rejects.toMatchObject({
      name: 'ToolResultError',
      code,
    });
    expect((await store.load('t'))?.version).toBe(before?.version);
    expect(model.requests).toHaveLength(1);
    const good = await agent.submitToolResults({
      threadId: 't',
      results: [ok('1.1.0'), ok('1.1.1')],
    });
    expect(good).toMatchObject({ status: 'completed' });
  });

  test('X05: the results of another thread are refused by their key', async () => {
    const { agent, calls } = await waiting();
    const other = shop({ script: [{ toolCalls: [callScan(1), callScan(2)] }] });
    await other.agent.run({ threadId: 'other', message: 'go' });
    const results = calls.map(({ callId, idempotencyKey }) => ({ ...ok(callId), idempotencyKey }));
    const sent = other.agent.submitToolResults({ threadId: 'other', results });
    await expect(sent).rejects.toMatchObject({ code: 'tool-result-foreign' });
    expect(await agent.submitToolResults({ threadId: 't', results })).toMatchObject({
      status: 'completed',
    });
  });

  test('X05: a thread that waits for nothing, and one that nobody knows, take none', async () => {
    const { agent } = await waiting();
    const results = [ok('1.1.0'), ok('1.1.1')];
    await expect(agent.submitToolResults({ threadId: 'nobody', results })).rejects.toMatchObject({
      code: 'unknown-thread',
    });
    await agent.submitToolResults({ threadId: 't', results });
    await expect(agent.submitToolResults({ threadId: 't', results })).rejects.toMatchObject({
      code: 'nothing-to-continue',
    });
  });

  test.each([
    ['neither output nor error', { callId: '1.1.0' }],
    ['both', { callId: '1.1.0', output: 1, error: 'no' }],
    ['an error without words', { callId: '1.1.0', error: '' }],
    ['an error that is no text', { callId: '1.1.0', error: { why: 'no' } }],
    ['an option nobody knows', { ...ok('1.1.0'), isError: true }],
    ['no call', { output: 1 }],
    ['no object', 'done'],
  ])('%s is a mistake of the caller', async (_name, result) => {
    const { agent } = await waiting();
    const input = { threadId: 't', results: [result] } as never;
    await expect(agent.submitToolResults(input)).rejects.toMatchObject({ code: 'invalid-input' });
    await expect(agent.streamToolResults(input).result).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  test('an error quotes nothing of what was submitted', async () => {
    const { agent } = await waiting();
    const results = [ok('1.1.0'), { callId: '1.1.1', output: { code: 'x', count: 'SECRET' } }];
    const error: unknown = await agent
      .submitToolResults({ threadId: 't', results })
      .catch((e) => e);
    expect(error).toMatchObject({ code: 'tool-result-invalid-output' });
    expect(JSON.stringify([error, String(error)])).not.toContain('SECRET');
  });

  test('of two submissions at once one counts', async () => {
    const { agent, store } = await waiting();
    const results = [ok('1.1.0'), ok('1.1.1')];
    const both = await Promise.allSettled([
      agent.submitToolResults({ threadId: 't', results }),
      agent.submitToolResults({ threadId: 't', results }),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const tools = (await store.readMessages('t')).filter(({ role }) => role === 'tool');
    expect(tools).toHaveLength(1);
  });

  test('a result that reports an error itself is a failed call', async () => {
    const { agent } = await waiting();
    const results = [ok('1.1.0'), { callId: '1.1.1', output: { error: 'no such shelf' } }];
    const result = await agent.submitToolResults({ threadId: 't', results });
    expect(lastResults(result)).toMatchObject([
      { outcome: 'succeeded' },
      { outcome: 'failed', output: { error: 'no such shelf' } },
    ]);
  });
});
