import {
  type AgentHooks,
  MessageDecision,
  RequestDecision,
  ResponseDecision,
  type ScriptEntry,
  ToolDecision,
  textOf,
  WindowDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { expectStatus } from '../acceptance/play.ts';
import { answer, answering, GOOD, go, WAYS, type Way } from './answering.ts';

const OTHER = { total: 99, currency: 'USD' } as const;

function play(way: Way, hook: AgentHooks, script: readonly ScriptEntry[] = [answer(way, GOOD)]) {
  const desk = answering({ way, script, hooks: [{ name: 'guard', ...hook }] });
  return { ...desk, result: desk.agent.run(go) };
}

describe.each(WAYS)('7.20: policies hold for a structured answer, %s', (way) => {
  test('7.20 twin: without one it is given', async () => {
    expect(await play(way, { onTurnStart: () => undefined }).result).toMatchObject({
      status: 'completed',
      output: GOOD,
    });
  });

  test('7.20: preLlmRequest sees what is asked for and may refuse it', async () => {
    const seen: unknown[] = [];
    const { result, model } = play(way, {
      preLlmRequest: (request) => {
        seen.push(request.outputSchema ?? request.tools.at(-1)?.inputSchema);
        return RequestDecision.block('no');
      },
    });
    expect(await result).toMatchObject({ status: 'blocked', point: 'preLlmRequest' });
    expect(model.calls).toBe(0);
    expect(seen).toMatchObject([{ required: ['total', 'currency'] }]);
  });

  test('7.20: preLlmRequest may change the messages, and the schema is sent all the same', async () => {
    const { result, model } = play(way, {
      preLlmRequest: ({ messages, settings, tools }) =>
        RequestDecision.modify({ messages, tools, settings: { ...settings, temperature: 0 } }),
    });
    expect(await result).toMatchObject({ output: GOOD });
    expect(model.requests[0]?.settings).toEqual({ temperature: 0 });
    expect(model.requests[0]).toHaveProperty(way === 'native' ? 'outputSchema' : 'tools');
  });

  test('7.20: a policy that changes the schema has failed', async () => {
    const { result, model } = play(way, {
      preLlmRequest: (request) => RequestDecision.modify({ ...request, outputSchema: {} }),
    });
    const { error } = expectStatus(await result, 'failed');
    expect(error).toMatchObject({ code: 'hook-failed', kind: 'invalid-rewrite' });
    expect(model.calls).toBe(0);
  });

  test('7.20: wrapLlmCall may answer in the place of the model, and that is held to the schema', async () => {
    const { result, model } = play(way, {
      async *wrapLlmCall() {
        if (way === 'native') yield { type: 'text', text: JSON.stringify(OTHER) } as const;
        else {
          const inputText = JSON.stringify(OTHER);
          const call = { id: 'c', toolName: 'final_answer', inputText };
          yield { type: 'tool-call', call } as const;
        }
        const usage = { inputTokens: 0, outputTokens: 0 };
        const finishReason = way === 'native' ? 'stop' : 'tool-calls';
        yield { type: 'finish', result: { finishReason, usage } } as const;
      },
    });
    expect(await result).toMatchObject({ status: 'completed', output: OTHER });
    expect(model.calls).toBe(0);
  });

  test('7.20: onLlmResponse blocks', async () => {
    const { result, store } = play(way, { onLlmResponse: () => ResponseDecision.block('no') });
    expect(await result).toMatchObject({ status: 'blocked', by: 'guard', point: 'onLlmResponse' });
    expect(await store.readMessages('t')).toHaveLength(1);
  });

  test('7.20: onLlmResponse retries, on the same streak and not as a mismatch', async () => {
    let asked = 0;
    const script = Array.from({ length: 5 }, () => answer(way, GOOD));
    const hook = {
      onLlmResponse: () => {
        asked += 1;
        return asked < 5 ? ResponseDecision.retryWithFeedback('again') : undefined;
      },
    };
    const { result, store } = play(way, hook, script);
    expect(await result).toMatchObject({ status: 'completed', output: GOOD, steps: 5 });
    const events = await store.readEvents('t');
    expect(events.filter(({ type }) => type === 'llm.rejected')).toMatchObject(
      [1, 2, 3, 4].map((streak) => ({ by: 'guard', point: 'onLlmResponse', streak })),
    );
    expect((await store.load('t'))?.state).toMatchObject({ streak: { count: 0 } });
  });

  test('7.20: what onLlmResponse puts in place is read again', async () => {
    const { result } = play(way, {
      onLlmResponse: ({ toolCalls }) =>
        way === 'native'
          ? ResponseDecision.modify({ text: JSON.stringify(OTHER) })
          : ResponseDecision.modify({
              toolCalls: toolCalls.map((call) => ({ ...call, input: OTHER })),
            }),
    });
    expect(await result).toMatchObject({ status: 'completed', output: OTHER });
  });

  test('7.20: onTextWindow blocks it, and nothing of it is kept', async () => {
    const { result, store } = play(way, {
      onTextWindow: ({ text }) =>
        text.includes('12.5') ? WindowDecision.block('a sum') : undefined,
    });
    expect(await result).toMatchObject({ status: 'blocked', by: 'guard', point: 'onTextWindow' });
    const kept = [await store.readMessages('t'), await store.readEvents('t')];
    expect(JSON.stringify(kept)).not.toContain('12.5');
  });

  test('7.20: onOutgoingMessage blocks it, and the user is shown the fallback', async () => {
    const { result, store } = play(way, { onOutgoingMessage: () => MessageDecision.block('no') });
    expect(await result).toMatchObject({
      status: 'blocked',
      point: 'onOutgoingMessage',
      text: 'Sorry, I cannot show you that answer.',
    });
    expect(await store.readMessages('t')).toHaveLength(1);
    const shown = (await store.readEvents('t')).filter(({ type }) => type === 'message.outgoing');
    expect(shown).toMatchObject([{ discarded: true }, { fallback: 'outgoing' }]);
  });

  test('7.20: what onOutgoingMessage puts in place is the text, the output and the history', async () => {
    const text = JSON.stringify(OTHER);
    const { result, store } = play(way, { onOutgoingMessage: () => MessageDecision.modify(text) });
    expect(await result).toMatchObject({ status: 'completed', output: OTHER, text });
    expect(JSON.stringify(await store.readMessages('t'))).not.toContain('12.5');
    expect(textOf((await store.readMessages('t'))[1] ?? never())).toBe(text);
  });

  test('7.20: what onOutgoingMessage puts in place and does not fit is shown to nobody', async () => {
    const script = [1, 2, 3].map(() => answer(way, GOOD));
    const hook = { onOutgoingMessage: () => MessageDecision.modify('[redacted]') };
    const { result, store, model } = play(way, hook, script);
    const { error, text } = expectStatus(await result, 'failed');
    expect(error).toMatchObject({ code: 'output-misfit', answers: 3 });
    expect(text).toBe('Sorry, something went wrong. Please try again.');
    expect(model.calls).toBe(3);
    const shown = (await store.readEvents('t')).filter(({ type }) => type === 'message.outgoing');
    expect(shown).toMatchObject([{ fallback: 'error' }]);
    expect(JSON.stringify([await store.readMessages('t')])).not.toContain('12.5');
  });

  test('L5: what is put in place and does not fit is counted in a row, and the cap holds for it', async () => {
    const script = Array.from({ length: 9 }, () => answer(way, GOOD));
    const hooks = [{ name: 'guard', onOutgoingMessage: () => MessageDecision.modify('no') }];
    const more = { outputRetries: 8, maxResponseRetries: 3 };
    const { agent, model } = answering({ way, script, hooks, more });
    const { error } = expectStatus(await agent.run(go), 'failed');
    expect(error).toMatchObject({ code: 'response-retry-cap', streak: 3, point: 'output' });
    expect(model.calls).toBe(3);
  });

  test('7.20: a policy that throws lets nothing through', async () => {
    const { result, store } = play(way, {
      onLlmResponse: () => {
        throw new Error('broken');
      },
    });
    expect(expectStatus(await result, 'failed').error).toMatchObject({ code: 'hook-failed' });
    expect(await store.readMessages('t')).toHaveLength(1);
  });
});

describe('7.20: preToolUse is asked about a call of final_answer', () => {
  const good = answer('by call', GOOD);

  test('7.20: its Block is told to the model, which goes on', async () => {
    let blocked = 0;
    const hook: AgentHooks = {
      preToolUse: ({ toolName, tier, sideEffects, effectiveInput }) => {
        expect([toolName, tier, sideEffects, effectiveInput]).toEqual([
          'final_answer',
          'auto',
          'none',
          GOOD,
        ]);
        blocked += 1;
        return blocked === 1 ? ToolDecision.block('count again') : undefined;
      },
    };
    const { result, model, store } = play('by call', hook, [good, good]);
    expect(await result).toMatchObject({ status: 'completed', output: GOOD, steps: 2 });
    expect(JSON.stringify(model.requests[1]?.messages)).toContain('Blocked: count again');
    expect(await store.readMessages('t')).toHaveLength(4);
  });

  test('7.20: what it puts in place is checked and is the answer', async () => {
    const hook: AgentHooks = { preToolUse: () => ToolDecision.modify(OTHER) };
    expect(await play('by call', hook).result).toMatchObject({ output: OTHER });
    const wrong: AgentHooks = { preToolUse: () => ToolDecision.modify({ total: 'x' }) };
    const { error } = expectStatus(await play('by call', wrong).result, 'failed');
    expect(error).toMatchObject({ code: 'hook-failed', kind: 'invalid-rewrite' });
  });

  test('7.20: its Retry drops the answer', async () => {
    let asked = 0;
    const hook: AgentHooks = {
      preToolUse: () => {
        asked += 1;
        return asked === 1 ? ToolDecision.retryWithFeedback('more') : undefined;
      },
    };
    const { result, store } = play('by call', hook, [good, good]);
    expect(await result).toMatchObject({ output: GOOD, steps: 2 });
    expect(await store.readMessages('t')).toHaveLength(2);
  });

  test('7.20: it is not asked about one that does not fit', async () => {
    let asked = 0;
    const hook: AgentHooks = {
      preToolUse: () => {
        asked += 1;
        return undefined;
      },
    };
    const script = [answer('by call', { total: 'x' }), good];
    expect(await play('by call', hook, script).result).toMatchObject({ output: GOOD });
    expect(asked).toBe(1);
  });
});

function never(): never {
  throw new Error('no message');
}
