import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  type ChatResponse,
  createAgent,
  memoryStore,
  Policy,
  ResponseDecision,
  type ScriptEntry,
  StoreError,
  scriptedModel,
} from '../../src/index.ts';
import { hear, ofType, transcript, types } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { MODES } from './modes.ts';

class RejectBad extends Policy {
  override onLlmResponse({ text }: ChatResponse): ResponseDecision | undefined {
    return text === 'bad' ? ResponseDecision.retryWithFeedback('do better') : undefined;
  }
}

const NEVER = (): boolean => false;

function setUp(script: readonly ScriptEntry[], fails: (commit: number) => boolean) {
  const model = scriptedModel(script);
  const inner = memoryStore();
  const store = failingStore(inner, fails);
  const agentOf = (options: Partial<AgentOptions> = {}) =>
    createAgent({ name: 'a', model, store, hooks: [new RejectBad()], ...options });
  return { model, inner, store, agentOf };
}

describe.each(MODES)('a store that fails ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };

  test('H14: a rejection that cannot be stored ends the run before the next paid call', async () => {
    const { model, inner, agentOf } = setUp(['bad', 'good'], (commit) => commit === 2);
    const agent = agentOf();
    const heard = hear(agent);
    const result = await turn(agent, input);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
    if (result.status !== 'failed') expect.unreachable();
    expect(result.error).toBeInstanceOf(StoreError);
    expect(result.error.message).toMatch(/thread 't'.*could not write/);
    expect(result.error.message).not.toContain('the disk is full');
    expect(result.error.cause).toMatchObject({ message: 'the disk is full' });
    expect(model.calls).toBe(1);
    expect(transcript(await inner.readMessages('t'))).toEqual(['user: go']);
    expect(types(heard).filter((type) => type === 'turn.finished')).toHaveLength(1);
  });

  test('H14 twin: with a store that works the second call is made', async () => {
    const { model, agentOf } = setUp(['bad', 'good'], NEVER);
    expect(await turn(agentOf(), input)).toMatchObject({ status: 'completed', text: 'good' });
    expect(model.calls).toBe(2);
  });

  test('H14: the thread goes on with the next message, and its cut-off turn is closed once', async () => {
    const { inner, agentOf } = setUp(['bad', 'good'], (commit) => commit === 2);
    const agent = agentOf();
    await turn(agent, input);
    const again = await turn(agent, { threadId: 't', message: 'again' });
    expect(again).toMatchObject({ status: 'completed', text: 'good', turnId: '2' });
    const ends = ofType(await inner.readEvents('t'), 'turn.finished');
    expect(ends).toMatchObject([
      { turnId: '1', status: 'failed' },
      { turnId: '2', status: 'completed' },
    ]);
  });

  test('H15: while every save fails nothing is paid for, and afterwards the thread runs (our rule)', async () => {
    const { model, inner, store, agentOf } = setUp(['bad', 'good'], () => true);
    const agent = agentOf({ limits: { tokens: 25 } });
    expect(await turn(agent, input)).toMatchObject({
      status: 'failed',
      error: { code: 'store-failed' },
    });
    expect(model.calls).toBe(0);
    expect(await inner.load('t')).toBeUndefined();

    store.repair();
    expect(await turn(agentOf(), input)).toMatchObject({ status: 'completed', text: 'good' });
  });

  test('H15: a limit whose ending cannot be saved leaves a turn that the next run closes', async () => {
    const { model, inner, store, agentOf } = setUp(['bad', 'good'], (commit) => commit > 1);
    const stopped = await turn(agentOf({ limits: { tokens: 25 } }), input);
    expect(stopped).toMatchObject({
      status: 'failed',
      error: { code: 'store-failed' },
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect(model.calls).toBe(1);
    expect(types(await inner.readEvents('t'))).not.toContain('turn.finished');

    store.repair();
    const rerun = await turn(agentOf(), { threadId: 't', message: 'again' });
    expect(rerun).toMatchObject({ status: 'completed', text: 'good' });
    const ends = ofType(await inner.readEvents('t'), 'turn.finished');
    expect(ends.map(({ turnId, status }) => [turnId, status])).toEqual([
      ['1', 'failed'],
      ['2', 'completed'],
    ]);
  });

  test('H15 twin: with a store that works the limit itself is the result', async () => {
    const { agentOf } = setUp(['bad', 'good'], NEVER);
    expect(await turn(agentOf({ limits: { tokens: 25 } }), input)).toMatchObject({
      status: 'limited',
      limit: 'tokens',
    });
  });
});
