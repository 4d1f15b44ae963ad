import { describe, expect, test } from 'vitest';
import { answer, answering, BAD, callLook, GOOD, go, WAYS } from '../loop/answering.ts';
import { expectStatus, stores } from './play.ts';

const RUNS = ['run', 'stream', 'runStep'] as const;

describe.each(WAYS)('T14: a structured answer, %s', (way) => {
  for (const [kind, open] of stores()) {
    for (const mode of RUNS) {
      const play = async (desk: ReturnType<typeof answering>) => {
        if (mode === 'run') return desk.agent.run(go);
        if (mode === 'stream') return desk.agent.stream(go).result;
        const { message: _said, ...rest } = go;
        let result = await desk.agent.runStep(go);
        while (result.status === 'continues') result = await desk.agent.runStep(rest);
        return result;
      };

      test(`T14: fits at once (${mode}, ${kind})`, async () => {
        const desk = answering({ way, script: [answer(way, GOOD)], store: open() });
        const result = await play(desk);
        expect(result).toMatchObject({ status: 'completed', output: GOOD, steps: 1 });
        expect(JSON.parse(expectStatus(result, 'completed').text)).toEqual(GOOD);
        expect(desk.model.calls).toBe(1);
      });

      test(`T14: a mismatch is asked for again, two calls in all (${mode}, ${kind})`, async () => {
        const script = [answer(way, BAD), answer(way, GOOD)];
        const desk = answering({ way, script, store: open() });
        expect(await play(desk)).toMatchObject({ status: 'completed', output: GOOD, steps: 2 });
        const rejected = (await desk.store.readEvents('t')).filter(
          (event) => event.type === 'llm.rejected',
        );
        expect(rejected).toMatchObject([{ by: 'agent', point: 'output', streak: 1 }]);
      });

      test(`T14: is given up after three calls (${mode}, ${kind})`, async () => {
        const script = [BAD, BAD, BAD, GOOD].map((value) => answer(way, value));
        const desk = answering({ way, script, store: open() });
        const result = expectStatus(await play(desk), 'failed');
        expect(result.error).toMatchObject({ name: 'OutputError', code: 'output-misfit' });
        expect(desk.model.calls).toBe(3);
        expect(result).toMatchObject({ steps: 3, usage: { inputTokens: 30, outputTokens: 60 } });
      });
    }
  }

  test('T14: tools run before the answer, and do not count as a mismatch', async () => {
    const script = [
      { toolCalls: [callLook] },
      answer(way, BAD),
      { toolCalls: [callLook] },
      answer(way, BAD),
      { toolCalls: [callLook] },
      answer(way, GOOD),
    ];
    const { agent, looks } = answering({ way, script });
    expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD, steps: 6 });
    expect(looks).toHaveLength(3);
  });

  test('T14 twin: without a schema the same answer is what the model wrote', async () => {
    const { agent, model } = answering({ way: 'native', script: [JSON.stringify(BAD)] });
    const { output: _wish, ...plain } = go;
    const result = expectStatus(await agent.run(plain), 'completed');
    expect(result.text).toBe(JSON.stringify(BAD));
    expect(result).not.toHaveProperty('output');
    expect(model.requests[0]).not.toHaveProperty('outputSchema');
    expect(model.requests[0]?.tools.map(({ name }) => name)).toEqual(['look']);
  });
});

describe('outputRetries', () => {
  test.each([
    [0, 1],
    [1, 2],
    [4, 5],
  ])('%i means %i calls', async (outputRetries, calls) => {
    const script = Array.from({ length: 9 }, () => answer('native', BAD));
    const { agent, model } = answering({ way: 'native', script, more: { outputRetries } });
    const { error } = expectStatus(await agent.run(go), 'failed');
    expect(error).toMatchObject({ code: 'output-misfit', answers: calls });
    expect(model.calls).toBe(calls);
  });

  test('a mismatch is a rejection on the one streak, whose cap wins', async () => {
    const script = Array.from({ length: 9 }, () => answer('native', BAD));
    const more = { outputRetries: 2, maxResponseRetries: 3 };
    const { agent, model } = answering({ way: 'native', script, more });
    const { error } = expectStatus(await agent.run(go), 'failed');
    expect(error).toMatchObject({ code: 'response-retry-cap', policy: 'agent', point: 'output' });
    expect(model.calls).toBe(3);
  });

  test.each([-1, 1.5, Number.NaN, '2', null])('%j is refused', (outputRetries) => {
    const more = { outputRetries: outputRetries as number };
    expect(() => answering({ way: 'native', script: [], more })).toThrow(
      expect.objectContaining({ code: 'invalid-option' }),
    );
  });
});
