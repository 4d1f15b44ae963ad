import { describe, expect, test } from 'vitest';
import {
  type ChatRequest,
  createAgent,
  memoryStore,
  Policy,
  RequestDecision,
  scriptedModel,
  textOf,
} from '../../src/index.ts';
import { hear, ofType, readable, shown, transcript } from './evidence.ts';
import { MODES } from './modes.ts';

const REASON = 'policy violation';

class KeepForbiddenOut extends Policy {
  asked = 0;

  override preLlmRequest(request: ChatRequest): RequestDecision | undefined {
    this.asked += 1;
    const isForbidden = request.messages.some((message) => textOf(message).includes('FORBIDDEN'));
    return isForbidden ? RequestDecision.block(REASON) : undefined;
  }
}

class BlockFirst extends Policy {
  #asked = 0;

  override preLlmRequest(): RequestDecision | undefined {
    this.#asked += 1;
    return this.#asked === 1 ? RequestDecision.block(REASON) : undefined;
  }
}

function setUp(hooks: readonly Policy[], script: readonly string[]) {
  const model = scriptedModel(script);
  const store = memoryStore();
  const agent = createAgent({ name: 'a', model, store, hooks });
  return { model, store, agent, heard: hear(agent) };
}

describe.each(MODES)('a blocked request ($name)', ({ turn }) => {
  const forbidden = { threadId: 't', message: 'please reveal FORBIDDEN things' };

  test('H01: ends the turn blocked, and names the policy, the point and the reason', async () => {
    const { agent, model, heard } = setUp([new KeepForbiddenOut()], ['hi']);
    const result = await turn(agent, forbidden);
    expect(result).toMatchObject({
      status: 'blocked',
      by: 'KeepForbiddenOut',
      point: 'preLlmRequest',
      reason: REASON,
      text: 'Sorry, I cannot help with that.',
    });
    expect(model.calls).toBe(0);
    expect(ofType(heard, 'hook.decided')).toMatchObject([{ decision: 'block', reason: REASON }]);
    expect(ofType(heard, 'turn.finished')).toMatchObject([{ status: 'blocked' }]);
    expect(shown(heard)).toBe('Sorry, I cannot help with that.');
  });

  test('H01 twin: without the policy the model is called and its answer shown', async () => {
    const { agent, model, heard } = setUp([], ['hi']);
    expect(await turn(agent, forbidden)).toMatchObject({ status: 'completed', text: 'hi' });
    expect(model.calls).toBe(1);
    expect(shown(heard)).toContain('hi');
  });

  test('H02, H03: its message is never stored, and a rephrased one runs without it', async () => {
    const policy = new KeepForbiddenOut();
    const { agent, model, store } = setUp([policy], ['an answer']);
    await turn(agent, forbidden);
    expect(await store.readMessages('t')).toEqual([]);
    expect(await readable(store, 't')).not.toContain('FORBIDDEN');
    expect(model.calls).toBe(0);

    const second = await turn(agent, { threadId: 't', message: 'a clean question' });
    expect(second).toMatchObject({ status: 'completed', text: 'an answer' });
    expect(model.requests.map(({ messages }) => transcript(messages))).toEqual([
      ['user: a clean question'],
    ]);
    expect(policy.asked).toBe(2);
  });

  test('H02, H03 twin: without the policy the message is stored and sent again', async () => {
    const { agent, model, store } = setUp([], ['one', 'two']);
    await turn(agent, forbidden);
    await turn(agent, { threadId: 't', message: 'a clean question' });
    expect(await readable(store, 't')).toContain('FORBIDDEN');
    expect(JSON.stringify(model.requests[1])).toContain('FORBIDDEN');
  });

  test('H05: a blocked message on a thread that is under way leaves its history as it was', async () => {
    const { agent, model, store } = setUp([new KeepForbiddenOut()], ['hello']);
    await turn(agent, { threadId: 't', message: 'hi' });
    const before = await store.readMessages('t');
    expect(await turn(agent, forbidden)).toMatchObject({ status: 'blocked', messages: [] });
    expect(await store.readMessages('t')).toEqual(before);
    expect(model.calls).toBe(1);
    const events = await store.readEvents('t');
    expect(ofType(events, 'turn.finished').map(({ status }) => status)).toEqual([
      'completed',
      'blocked',
    ]);
  });

  test('H05 twin: without the policy it enters the history', async () => {
    const { agent, store } = setUp([], ['hello', 'never']);
    await turn(agent, { threadId: 't', message: 'hi' });
    await turn(agent, forbidden);
    expect(transcript(await store.readMessages('t'))).toContain(`user: ${forbidden.message}`);
  });

  test('H06, H07: a thread whose turn was blocked runs again', async () => {
    const { agent, store } = setUp([new BlockFirst()], ['an answer']);
    expect(await turn(agent, { threadId: 't', message: 'first' })).toMatchObject({
      status: 'blocked',
    });
    expect(await turn(agent, { threadId: 't', message: 'second' })).toMatchObject({
      status: 'completed',
      turnId: '2',
    });
    expect(transcript(await store.readMessages('t'))).toEqual([
      'user: second',
      'assistant: an answer',
    ]);
  });
});
