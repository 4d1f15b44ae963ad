import { createAgent, replayModel, textOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { expectStatus, stores } from '../acceptance/play.ts';
import { answer, answering, BAD, callLook, GOOD, go, WAYS } from './answering.ts';

const CANARY = BAD.total;

describe.each(WAYS)('the feedback to an answer that does not fit, %s', (way) => {
  for (const [kind, open] of stores()) {
    test(`is in the next request and no other, names fields and quotes no value (${kind})`, async () => {
      const script = [answer(way, BAD), { toolCalls: [callLook] }, answer(way, GOOD)];
      const { agent, model } = answering({ way, script, store: open() });
      expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD });
      const last = model.requests.map(({ messages }) => messages.at(-1));
      const told = last[1] === undefined ? '' : textOf(last[1]);
      expect(told).toContain('not from the user. Your last answer was not delivered.]');
      expect(told).toMatch(/\[agent\] Give the final answer again.*total: /);
      expect(JSON.stringify(model.requests[1])).not.toContain(CANARY);
      expect(JSON.stringify(model.requests[2])).not.toContain('Give the final answer again');
    });

    test(`and the answer are in no history, event, result or store (${kind})`, async () => {
      const script = [answer(way, BAD), answer(way, GOOD)];
      const { agent, store } = answering({ way, script, store: open() });
      const heard: unknown[] = [];
      agent.on('*', (event) => heard.push(event));
      const result = await agent.run(go);
      const kept: unknown[] = [
        result,
        heard,
        await store.readMessages('t'),
        await store.readEvents('t'),
      ];
      kept.push(await store.load('t'));
      for (const each of kept) {
        expect(JSON.stringify(each)).not.toContain(CANARY);
        expect(JSON.stringify(each)).not.toContain('Give the final answer again');
      }
    });
  }

  test('is left out of the error that ends the run', async () => {
    const script = [BAD, BAD, BAD].map((value) => answer(way, value));
    const { agent, store } = answering({ way, script });
    const { error } = expectStatus(await agent.run(go), 'failed');
    expect(error).toMatchObject({ answers: 3, problem: expect.stringContaining('total: ') });
    expect(JSON.stringify([error, error.message, await store.load('t')])).not.toContain('total: ');
  });
});

describe('the history of a structured answer', () => {
  test.each(WAYS)('holds it as text, and no call (%s)', async (way) => {
    const { agent, store } = answering({ way, script: [answer(way, GOOD)] });
    const result = await agent.run(go);
    const messages = await store.readMessages('t');
    expect(messages).toHaveLength(2);
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: JSON.stringify(GOOD) }],
    });
    expect(result.messages).toEqual(messages);
  });

  test.each(WAYS)('is read by the next turn, which asks for a text again (%s)', async (way) => {
    const { agent, model } = answering({ way, script: [answer(way, GOOD), 'You are welcome'] });
    await agent.run(go);
    expect(await agent.run({ threadId: 't', message: 'Thanks' })).toMatchObject({
      status: 'completed',
      text: 'You are welcome',
    });
    expect(model.requests[1]?.messages[1]).toMatchObject({ role: 'assistant' });
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(['look']);
    expect(model.requests[1]).not.toHaveProperty('outputSchema');
  });

  test.each(WAYS)('is replayed to the same answer (%s)', async (way) => {
    const { agent, store } = answering({ way, script: [answer(way, GOOD)] });
    await agent.run(go);
    const model = replayModel(await store.readMessages('t'));
    expect(await createAgent({ name: 'b', model }).run(go)).toMatchObject({ output: GOOD });
    expect(model.diverged).toBeUndefined();
  });
});
