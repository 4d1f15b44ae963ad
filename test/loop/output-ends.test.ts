import { type AgentEvent, ModelError, type TextWindow, WindowDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { expectStatus } from '../acceptance/play.ts';
import { answer, answering, BAD, callLook, GOOD, go, WAYS } from './answering.ts';

describe.each(WAYS)('what ends a turn before its structured answer, %s', (way) => {
  const bads = Array.from({ length: 9 }, () => answer(way, BAD));

  test.each([
    ['steps', { steps: 2 }, 2],
    ['tokens', { tokens: 60 }, 2],
    ['thread-steps', { thread: { steps: 1 } }, 1],
  ])('a limit of %s, which mismatches count towards', async (limit, limits, calls) => {
    const { agent, model, store } = answering({ way, script: bads, more: { limits } });
    expect(await agent.run(go)).toMatchObject({ status: 'limited', limit });
    expect(model.calls).toBe(calls);
    expect(await store.readMessages('t')).toHaveLength(1);
  });

  test('a limit twin: without it the mismatches end the turn', async () => {
    const { agent } = answering({ way, script: bads });
    expect(expectStatus(await agent.run(go), 'failed').error.code).toBe('output-misfit');
  });

  test('a cancel between two answers', async () => {
    const stop = new AbortController();
    const { agent, model } = answering({ way, script: bads });
    agent.on('llm.rejected', () => stop.abort());
    expect(await agent.run({ ...go, signal: stop.signal })).toMatchObject({ status: 'cancelled' });
    expect(model.calls).toBe(1);
  });

  test('a cancel while the schema checks, which stops waiting for it', async () => {
    const stop = new AbortController();
    const slow = z.object({
      total: z.number().refine(() => {
        stop.abort();
        return new Promise<boolean>(() => undefined);
      }),
    });
    const { agent, store } = answering({ way, script: [answer(way, { total: 1 })] });
    const result = await agent.run({ ...go, output: slow, signal: stop.signal });
    expect(result).toMatchObject({ status: 'cancelled', usage: { inputTokens: 10 } });
    expect(await store.readMessages('t')).toHaveLength(1);
  });

  test('a cancel while the text is judged, after which nothing is stored of it', async () => {
    const stop = new AbortController();
    const hooks = [
      {
        name: 'slow',
        onOutgoingMessage: () => {
          stop.abort();
          return new Promise<undefined>(() => undefined);
        },
      },
    ];
    const { agent, store } = answering({ way, script: [answer(way, GOOD)], hooks });
    const result = await agent.run({ ...go, signal: stop.signal });
    expect(result).toMatchObject({ status: 'cancelled' });
    expect(result).not.toHaveProperty('output');
    expect(await store.readMessages('t')).toHaveLength(1);
  });

  test('a model that fails, is refused or says nothing', async () => {
    const down = new ModelError('invalid-request', { where: 'm', what: 'w', fix: 'f' });
    const failed = answering({ way, script: [down] });
    expect(expectStatus(await failed.agent.run(go), 'failed').error.code).toBe('invalid-request');
    const refused = answering({ way, script: [{ text: '{}', finishReason: 'content-filter' }] });
    expect(await refused.agent.run(go)).toMatchObject({ status: 'refused' });
    const empty = answering({ way, script: ['', '', ''] });
    expect(expectStatus(await empty.agent.run(go), 'failed').error.code).toBe('empty-response');
  });

  test('a recovery from a failed call goes on with the schema', async () => {
    const down = new ModelError('overloaded', { where: 'm', what: 'w', fix: 'f' });
    const hooks = [{ name: 'again', onError: () => true }];
    const { agent } = answering({ way, script: [down, answer(way, GOOD)], hooks });
    expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD });
  });

  test('an answer that fits ends the streak; one that does not goes on with it', async () => {
    const script = [answer(way, BAD), answer(way, GOOD), answer(way, BAD), answer(way, BAD)];
    const { agent, store } = answering({ way, script: [...script, answer(way, BAD)] });
    await agent.run(go);
    expect((await store.load('t'))?.state).toMatchObject({ streak: { count: 0 } });
    await agent.run(go);
    expect((await store.load('t'))?.state).toMatchObject({
      streak: { count: 3, policy: 'agent', point: 'output' },
    });
  });
});

describe.each(WAYS)('a stream of a structured answer, %s', (way) => {
  const script = [answer(way, BAD), answer(way, GOOD)];
  const collect = async (streaming: 'hold' | 'live' | 'window') => {
    const holds = ({ isFinal }: TextWindow) => (isFinal ? undefined : WindowDecision.release(0));
    const hooks = [{ name: 'window', onTextWindow: holds }];
    const more = { streaming };
    const desk = answering({ way, script, more, ...(streaming === 'window' && { hooks }) });
    const stream = desk.agent.stream(go);
    const events: AgentEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(await stream.result).toMatchObject({ status: 'completed', output: GOOD });
    return events;
  };

  test('held shows the answer that fits, and nothing of the other', async () => {
    const events = await collect('hold');
    expect(events.map(({ type }) => type)).not.toContain('llm.delta');
    expect(JSON.stringify(events)).not.toContain(BAD.total);
    expect(events.filter(({ type }) => type === 'message.outgoing')).toMatchObject([
      { text: JSON.stringify(GOOD), isFinal: true },
    ]);
  });

  test('live takes back what did not fit, before the next pieces come', async () => {
    const events = await collect('live');
    const told = events.filter(
      ({ type }) => type === 'text.retracted' || type === 'llm.delta' || type === 'step.finished',
    );
    const kinds = told.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(kinds).toEqual([
      'llm.delta',
      'text.retracted',
      'step.finished',
      'llm.delta',
      'step.finished',
    ]);
    expect(events.filter(({ type }) => type === 'text.retracted')).toMatchObject([
      { by: 'agent', point: 'output' },
    ]);
  });

  test('in windows lets no end of an answer go that does not fit', async () => {
    const events = await collect('window');
    const deltas = events.flatMap((event) => (event.type === 'llm.delta' ? [event.text] : []));
    expect(deltas.join('')).toBe(way === 'native' ? JSON.stringify(GOOD) : '');
    expect(events.map(({ type }) => type)).not.toContain('text.retracted');
  });

  test('that also calls tools shows nothing of the calls as text', async () => {
    const desk = answering({ way, script: [{ toolCalls: [callLook] }, answer(way, GOOD)] });
    const stream = desk.agent.stream(go);
    for await (const event of stream)
      if (event.type === 'message.outgoing') expect(event.text).toBe(JSON.stringify(GOOD));
    expect(await stream.result).toMatchObject({ output: GOOD, steps: 2 });
  });
});
