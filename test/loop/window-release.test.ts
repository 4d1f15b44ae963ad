import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChatStreamPart,
  createAgent,
  defineHooks,
  type TextWindow,
  WindowDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callRead, desk } from './desk.ts';
import { finish, piecesModel, streamModel, watch } from './window-desk.ts';

/** Lets text go up to its last blank, and the rest at the end. */
const words = defineHooks({
  name: 'words',
  onTextWindow: ({ text, isFinal }) =>
    WindowDecision.release(isFinal ? text.length : text.lastIndexOf(' ') + 1),
});

/** Answers after a while, and keeps what it was asked about. */
function slow(ms: number) {
  const asked: TextWindow[] = [];
  const hooks = defineHooks({
    name: 'slow',
    async onTextWindow(window) {
      asked.push(window);
      await sleep(ms);
      return WindowDecision.release(window.text.length);
    },
  });
  return { hooks, asked };
}

describe('window: what leaves', () => {
  test('is what the policy released, piece by piece, while the model goes on', async () => {
    const { pieces, result, types } = await watch(piecesModel(['on', 'e tw', 'o th', 'ree']), [
      words,
    ]);
    expect(pieces).toEqual(['one ', 'two ', 'three']);
    expect(result).toMatchObject({ status: 'completed', text: 'one two three' });
    expect(types.indexOf('llm.delta')).toBeLessThan(types.indexOf('llm.responded'));
    expect(types).not.toContain('text.retracted');
  });

  test('is only what every policy released', async () => {
    const hold = defineHooks({
      name: 'hold',
      onTextWindow: ({ text, isFinal }) => WindowDecision.release(isFinal ? text.length : 0),
    });
    const { pieces } = await watch(piecesModel(['one ', 'two ']), [words, hold]);
    expect(pieces).toEqual(['one two ']);
  });

  test('with no opinion is everything at once', async () => {
    const silent = defineHooks({ name: 'silent', onTextWindow: () => undefined });
    const { pieces } = await watch(piecesModel(['one ', 'two']), [silent]);
    expect(pieces).toEqual(['one ', 'two']);
  });

  test('without a policy at the point is nothing: the text comes when it was judged', async () => {
    const { pieces, result, types } = await watch(piecesModel(['one ', 'two']), []);
    expect(pieces).toEqual([]);
    expect(types).toContain('message.outgoing');
    expect(result).toMatchObject({ status: 'completed', text: 'one two' });
  });

  test('M-136: is text only: neither thoughts nor tool arguments leave, before or after the verdict', async () => {
    const parts: readonly ChatStreamPart[] = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'hi ' },
      { type: 'tool-input', id: 'c', toolName: 'nothing', text: '{}' },
      { type: 'text', text: 'there' },
      finish,
    ];
    const model = streamModel(async function* () {
      yield* parts;
    });
    const { events } = await watch(model, [words]);
    expect(events.filter(({ type }) => type === 'llm.delta')).toMatchObject([
      { kind: 'text', text: 'hi ' },
      { kind: 'text', text: 'there' },
    ]);
  });

  test('comes after the news that the model was called, at every step', async () => {
    const { agent } = desk({
      script: [{ text: 'a ', toolCalls: [callRead] }, 'b c'],
      hooks: [words],
      more: { streaming: 'window' },
    });
    const heard: string[] = [];
    for await (const { type, step } of agent.stream({ message: 'go' }))
      if (type === 'llm.requested' || type === 'llm.delta') heard.push(`${step} ${type}`);
    expect([...new Set(heard)]).toEqual([
      '1 llm.requested',
      '1 llm.delta',
      '2 llm.requested',
      '2 llm.delta',
    ]);
  });

  test('never ends within a surrogate pair, wherever the policy lets go', async () => {
    const one = defineHooks({
      name: 'one',
      onTextWindow: ({ text, isFinal }) =>
        WindowDecision.release(isFinal ? text.length : Math.min(1, text.length)),
    });
    const { pieces } = await watch(piecesModel(['a\ud83d', '\udc4d', 'b', 'c']), [one]);
    expect(pieces).toEqual(['a', '👍bc']);
  });
});

describe('window: what a policy is asked about', () => {
  test('is all that is held, what has left, and in the end the rest, once', async () => {
    const seen: TextWindow[] = [];
    const look = defineHooks({
      name: 'look',
      onTextWindow: (window) => {
        seen.push(window);
        return words.onTextWindow?.(window, undefined as never);
      },
    });
    await watch(piecesModel(['one t', 'wo', ' end']), [look]);
    expect(seen).toEqual([
      { text: 'one t', before: '', released: 0, isFinal: false },
      { text: 'two', before: 'one ', released: 4, isFinal: false },
      { text: 'two end', before: 'one ', released: 4, isFinal: false },
      { text: 'end', before: 'one two ', released: 8, isFinal: true },
    ]);
  });

  test('a half character at the end waits for its other half', async () => {
    const seen: string[] = [];
    const look = defineHooks({
      name: 'look',
      onTextWindow: ({ text, isFinal }) => {
        seen.push(text);
        return isFinal ? undefined : WindowDecision.release(0);
      },
    });
    const { pieces } = await watch(piecesModel(['a\ud83d', '\udc4d', '\ud83d', '\ud83d']), [look]);
    expect(seen).toEqual(['a', 'a👍', 'a👍\ufffd', 'a👍\ufffd\ufffd']);
    expect(pieces).toEqual(['a👍\ufffd\ufffd']);
  });

  test('what comes while it is asked is judged together', async () => {
    const { hooks, asked } = slow(20);
    const texts = Array.from({ length: 40 }, (_, index) => `${index} `);
    const { pieces } = await watch(piecesModel(texts), [hooks]);
    expect(asked.length).toBeLessThan(5);
    expect(pieces.join('')).toBe(texts.join(''));
  });

  test('and leaves also while the model is silent', async () => {
    const { hooks } = slow(5);
    let heard = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      heard = resolve;
    });
    let inTime = false;
    const model = streamModel(async function* () {
      yield { type: 'text', text: 'a' };
      yield { type: 'text', text: 'b' };
      inTime = await Promise.race([both.then(() => true), sleep(1_000, false)]);
      yield finish;
    });
    const agent = createAgent({ name: 'a', model, hooks: [hooks], streaming: 'window' });
    agent.on('llm.delta', ({ text }) => {
      if (text === 'b') heard();
    });
    await agent.stream({ message: 'go' }).result;
    expect(inTime).toBe(true);
  });

  test('the model waits once 64 pieces have come meanwhile', async () => {
    let taken = 0;
    let answer = (): void => undefined;
    const model = streamModel(async function* () {
      for (; taken < 1_000; taken += 1) yield { type: 'text', text: 'x' };
      yield finish;
    });
    const hangs = defineHooks({
      name: 'hangs',
      onTextWindow: ({ text }) =>
        new Promise((resolve) => {
          answer = () => resolve(WindowDecision.release(text.length));
        }),
    });
    const run = watch(model, [hangs]);
    for (let before = -1; before !== taken; await sleep(20)) before = taken;
    expect(taken).toBeGreaterThan(60);
    expect(taken).toBeLessThan(70);
    const again = setInterval(() => answer(), 1);
    const { pieces } = await run;
    clearInterval(again);
    expect(pieces.join('')).toBe('x'.repeat(1_000));
  });

  test('a slow reader holds the model up as in a live stream', async () => {
    let taken = 0;
    const model = streamModel(async function* () {
      for (; taken < 1_000; taken += 1) yield { type: 'text', text: 'x' };
      yield finish;
    });
    const silent = defineHooks({ name: 'silent', onTextWindow: () => undefined });
    const agent = createAgent({ name: 'a', model, hooks: [silent], streaming: 'window' });
    let seen = 0;
    for await (const { type } of agent.stream({ message: 'go' })) {
      if (type === 'llm.delta' && seen++ === 0) {
        await sleep(50);
        expect(taken).toBeLessThan(500);
      }
    }
    expect(seen).toBe(1_000);
  });
});

describe('window: an answer that begins again', () => {
  test('is judged from its beginning, and what was shown of the first is taken back', async () => {
    const seen: string[] = [];
    const look = defineHooks({
      name: 'look',
      onTextWindow: ({ text, before }) => void seen.push(`${before}|${text}`),
    });
    const model = streamModel(async function* (options) {
      yield { type: 'text', text: 'first' };
      options.onRetry?.({ attempt: 2, delayMs: 0, reason: 'test' });
      yield { type: 'text', text: 'second' };
      yield finish;
    });
    const { result, types, pieces } = await watch(model, [look]);
    expect(seen).toEqual(['|first', '|second', 'second|']);
    expect(pieces).toEqual(['first', 'second']);
    expect(types.indexOf('text.retracted')).toBeLessThan(types.lastIndexOf('llm.delta'));
    expect(result).toMatchObject({ status: 'completed', text: 'second' });
  });

  test('is asked about from its first character, however much of the first was held', async () => {
    const seen: string[] = [];
    const hold = defineHooks({
      name: 'hold',
      onTextWindow: ({ text, isFinal }) => {
        seen.push(text);
        return isFinal ? undefined : WindowDecision.release(0);
      },
    });
    const model = streamModel(async function* (options) {
      yield { type: 'text', text: 'first' };
      options.onRetry?.({ attempt: 2, delayMs: 0, reason: 'test' });
      yield { type: 'text', text: 'ab' };
      yield finish;
    });
    await watch(model, [hold]);
    expect(seen).toEqual(['first', 'ab', 'ab']);
  });

  test('a verdict on the first, given late, means nothing', async () => {
    const late = defineHooks({
      name: 'late',
      async onTextWindow({ text }) {
        if (text !== 'first') return undefined;
        await sleep(20);
        return WindowDecision.block('no');
      },
    });
    const model = streamModel(async function* (options) {
      yield { type: 'text', text: 'first' };
      options.onRetry?.({ attempt: 2, delayMs: 0, reason: 'test' });
      yield { type: 'text', text: 'second' };
      await sleep(40);
      yield finish;
    });
    const { result, pieces } = await watch(model, [late]);
    expect(result).toMatchObject({ status: 'completed', text: 'second' });
    expect(pieces).toEqual(['second']);
  });
});
