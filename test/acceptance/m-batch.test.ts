import { describe, expect, test } from 'vitest';
import { defineHooks, scriptedModel, ToolDecision } from '../../src/index.ts';
import { ofType, shown } from './evidence.ts';
import { counted, expectStatus, MODES, play, sleep } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const three = ['a', 'b', 'c'].map((name) => ({ name }));
const tools = () => ['a', 'b', 'c'].map((name) => counted(name));

describe.each(MODES)('%s', (mode) => {
  test('M-100, M-101: a slow gate is asked about one call after the other, in their order, before any of them runs', async () => {
    const log: string[] = [];
    const made = ['a', 'b', 'c'].map((name) =>
      counted(name, { execute: () => log.push(`run ${name}`) }),
    );
    const gate = defineHooks({
      name: 'gate',
      preToolUse: async ({ toolName, batch }) => {
        log.push(`${toolName} ${batch.index}/${batch.size}`);
        await sleep(3);
        log.push(`${toolName} passed`);
      },
    });
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: three }, 'done']),
      tools: made.map(({ tool }) => tool),
      hooks: [gate],
      maxParallelTools: 1,
    });
    expectStatus(played.result, 'completed');
    expect(log).toEqual([
      ...['a 0/3', 'a passed', 'b 1/3', 'b passed', 'c 2/3', 'c passed'],
      ...['run a', 'run b', 'run c'],
    ]);
  });

  test('M-102, M-103, M-104: a retry of the second call drops the batch and its text; the third is judged too, and each costs a step', async () => {
    const judged: string[] = [];
    const made = tools();
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ toolName }) => {
        judged.push(toolName);
        return toolName === 'b' ? ToolDecision.retryWithFeedback('without b') : undefined;
      },
    });
    const model = scriptedModel(
      Array.from({ length: 3 }, () => ({ text: 'xyzzy', toolCalls: three })),
      {
        strict: true,
      },
    );
    const scene = {
      model,
      tools: made.map(({ tool }) => tool),
      hooks: [gate],
      limits: { steps: 2 },
    };
    const played = await play(mode, scene);
    expect(expectStatus(played.result, 'limited').limit).toBe('steps');
    expect(judged).toEqual(['a', 'b', 'c', 'a', 'b', 'c']);
    expect([model.calls, made.map(({ inputs }) => inputs.length)]).toEqual([2, [0, 0, 0]]);
    expect(JSON.stringify(model.requests[1])).toContain('without b');
    expect(JSON.stringify(model.requests[1])).not.toContain('xyzzy');
    expect(
      (await placesOf('xyzzy', played)).filter((place) => !/heard|streamed/.test(place)),
    ).toEqual([]);
    if (mode !== 'stream live') expect(shown(played.streamed)).not.toContain('xyzzy');
    await expectSound(played);
  });

  test('M-103: whoever fails over the third call is a failure, whatever was said of the second', async () => {
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ toolName }) => {
        if (toolName === 'c') throw new Error('boom');
        return toolName === 'b' ? ToolDecision.retryWithFeedback('without b') : undefined;
      },
    });
    const model = scriptedModel([{ toolCalls: three }]);
    const played = await play(mode, {
      model,
      tools: tools().map(({ tool }) => tool),
      hooks: [gate],
    });
    expect(expectStatus(played.result, 'failed').error).toMatchObject({ kind: 'threw' });
    expect(model.calls).toBe(1);
  });

  test('M-109, U-Z1: a refused call leaves the others of its batch alone', async () => {
    const made = tools();
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ toolName }) =>
        toolName === 'a' ? ToolDecision.block('not today') : undefined,
    });
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: three }, 'done']),
      tools: made.map(({ tool }) => tool),
      hooks: [gate],
    });
    const { messages } = expectStatus(played.result, 'completed');
    expect(made.map(({ inputs }) => inputs.length)).toEqual([0, 1, 1]);
    expect(JSON.stringify(messages)).toContain('Blocked: not today');
  });

  test('U-Z1: around a call, one that throws fails this call only', async () => {
    const made = tools();
    const wraps = defineHooks({
      name: 'wraps',
      wrapToolUse: async (call, next) => {
        if (call.toolName === 'a') throw new Error('boom');
        return next(call);
      },
    });
    const model = scriptedModel([{ toolCalls: three }, 'done']);
    const played = await play(mode, { model, tools: made.map(({ tool }) => tool), hooks: [wraps] });
    expectStatus(played.result, 'completed');
    expect(made.map(({ inputs }) => inputs.length)).toEqual([0, 1, 1]);
    expect(JSON.stringify(model.requests[1])).toMatch(/did not run.*b done.*c done/);
    expect(JSON.stringify(model.requests[1])).not.toContain('boom');
    await expectSound(played);
  });

  test('X3, U-X18: behind a rewrite a gate sees what the model asked for and what will run', async () => {
    const a = counted('a');
    const seen: unknown[] = [];
    const rewrites = defineHooks({
      name: 'rewrites',
      preToolUse: ({ effectiveInput }) =>
        effectiveInput['id'] === 'x' ? ToolDecision.modify({ id: 'y' }) : undefined,
    });
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ requestedInput, effectiveInput }) => {
        seen.push([requestedInput, effectiveInput]);
      },
    });
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: [{ name: 'a', input: { id: 'x' } }] }, 'done']),
      tools: [a.tool],
      hooks: [rewrites, gate],
    });
    expectStatus(played.result, 'completed');
    expect(seen).toEqual([[{ id: 'x' }, { id: 'y' }]]);
    expect(a.inputs).toEqual([{ id: 'y' }]);
  });

  test('X34: a call of no tool, or that cannot be read, is answered without asking a gate', async () => {
    const asked: string[] = [];
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ toolName }) => {
        asked.push(toolName);
      },
    });
    const calls = [{ name: 'nothing' }, { name: 'a', inputText: '{"id": ' }, { name: 'a' }];
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: calls }, 'done']),
      tools: [counted('a').tool],
      hooks: [gate],
    });
    expectStatus(played.result, 'completed');
    expect(asked).toEqual(['a']);
    expect(ofType(played.heard, 'tool.refused')).toMatchObject([
      { outcome: 'unknown-tool' },
      { outcome: 'invalid' },
    ]);
    await expectSound(played);
  });

  test('U-X20: arguments are text as it was written, not escapes', async () => {
    const seen: unknown[] = [];
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ requestedInput }) => {
        seen.push(JSON.stringify(requestedInput));
      },
    });
    const inputText = '{"id":"Jos\\u00e9 \\ud83d\\ude00"}';
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: [{ name: 'a', inputText }] }, 'done']),
      tools: [counted('a').tool],
      hooks: [gate],
    });
    expectStatus(played.result, 'completed');
    expect(seen).toEqual(['{"id":"José 😀"}']);
    expect(JSON.stringify(ofType(played.heard, 'tool.called'))).toContain('José 😀');
  });

  test('U-AC6: what is told of a call names it, and how long it took or who refused it why', async () => {
    const made = [
      counted('a'),
      counted('b', { execute: () => Promise.reject(new Error('xyzzy')) }),
      counted('c'),
    ];
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ toolName }) =>
        toolName === 'c' ? ToolDecision.block('not today') : undefined,
    });
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: three }, 'done']),
      tools: made.map(({ tool }) => tool),
      hooks: [gate],
    });
    const told = played.heard.flatMap(({ threadId, turnId, step, at, seq, ...event }) =>
      event.type.startsWith('tool.') && event.type !== 'tool.called' ? [event] : [],
    );
    const durationMs = expect.any(Number);
    const [a, b, c] = ['a', 'b', 'c'].map((toolName, index) => ({
      callId: `1.1.${index}`,
      toolName,
      source: 'model',
    }));
    expect(told.toSorted((one, other) => (one.type < other.type ? -1 : 1))).toEqual([
      {
        type: 'tool.failed',
        ...b,
        outcome: 'failed',
        durationMs,
        reason: 'failed before completing (Error)',
      },
      { type: 'tool.refused', ...c, outcome: 'blocked', by: 'gate', reason: 'not today' },
      { type: 'tool.started', ...a },
      { type: 'tool.started', ...b },
      { type: 'tool.succeeded', ...a, durationMs },
    ]);
    expect(JSON.stringify(told)).not.toContain('xyzzy');
  });
});
