import { setTimeout as sleep } from 'node:timers/promises';
import {
  createAgent,
  defineHooks,
  MessageDecision,
  ResponseDecision,
  ToolDecision,
  WindowDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, desk } from './desk.ts';
import { finish, piecesModel, streamModel, watch } from './window-desk.ts';

const all = defineHooks({ name: 'all', onTextWindow: () => undefined });
const blocksAt = (word: string) =>
  defineHooks({
    name: 'guard',
    onTextWindow: ({ text }) => (text.includes(word) ? WindowDecision.block('banned') : undefined),
  });

describe('window: a Block', () => {
  test('drops the rest, takes back what left, and ends the turn blocked with nothing stored', async () => {
    const { result, events, store, pieces } = await watch(piecesModel(['ok ', 'xyzzy', ' more']), [
      blocksAt('xyzzy'),
    ]);
    expect(result).toMatchObject({
      status: 'blocked',
      by: 'guard',
      point: 'onTextWindow',
      reason: 'banned',
      text: 'Sorry, I cannot answer that.',
    });
    expect(pieces).toEqual(['ok ']);
    expect(events.filter(({ type }) => type === 'text.retracted')).toMatchObject([
      { by: 'guard', point: 'onTextWindow' },
    ]);
    expect(await store.readMessages('t')).toMatchObject([{ role: 'user' }]);
    expect(JSON.stringify(await store.readEvents('t'))).not.toMatch(/xyzzy|ok |more/);
    expect(JSON.stringify(events)).not.toMatch(/xyzzy|more/);
  });

  test('ends the call: the model is told, its stream is closed, and no piece is taken any more', async () => {
    let taken = 0;
    let closed = false;
    let signal: AbortSignal | undefined;
    const model = streamModel(async function* (options) {
      signal = options.signal;
      try {
        for (; taken < 1_000; taken += 1) yield { type: 'text', text: `${taken} ` };
        yield finish;
      } finally {
        closed = true;
      }
    });
    const { result } = await watch(model, [blocksAt('3')]);
    expect(result.status).toBe('blocked');
    expect(taken).toBe(3);
    expect(closed).toBe(true);
    expect(signal?.aborted).toBe(true);
  });

  test('counts at once, also while the model is silent', async () => {
    const model = streamModel(async function* (options) {
      yield { type: 'text', text: 'xyzzy' };
      await sleep(5_000, undefined, { signal: options.signal });
      yield finish;
    });
    const slow = defineHooks({
      name: 'guard',
      async onTextWindow() {
        await sleep(5);
        return WindowDecision.block('banned');
      },
    });
    const before = performance.now();
    const { result } = await watch(model, [slow]);
    expect(result.status).toBe('blocked');
    expect(performance.now() - before).toBeLessThan(2_000);
  });

  test('that comes when the model has finished already counts as well', async () => {
    const slow = defineHooks({
      name: 'guard',
      async onTextWindow({ isFinal }) {
        if (isFinal) return undefined;
        await sleep(20);
        return WindowDecision.block('banned');
      },
    });
    const { result, pieces } = await watch(piecesModel(['a', 'b']), [slow]);
    expect(result).toMatchObject({ status: 'blocked', point: 'onTextWindow' });
    expect(pieces).toEqual([]);
  });

  test('at the end of the answer is paid for and asks nobody else', async () => {
    let asked = 0;
    const after = defineHooks({
      name: 'after',
      onLlmResponse: () => {
        asked += 1;
        return ResponseDecision.retryWithFeedback('again');
      },
    });
    const last = defineHooks({
      name: 'guard',
      onTextWindow: ({ isFinal }) => (isFinal ? WindowDecision.block('banned') : undefined),
    });
    const { result, types } = await watch(piecesModel(['ok']), [last, after]);
    expect(result).toMatchObject({ status: 'blocked', point: 'onTextWindow', by: 'guard' });
    expect(result.usage).toEqual({ inputTokens: 1, outputTokens: 1 });
    expect(types).toContain('llm.responded');
    expect(asked).toBe(0);
  });

  test('leaves the thread ready for the next turn', async () => {
    const agent = createAgent({
      name: 'a',
      model: piecesModel(['xyzzy'], ['fine']),
      hooks: [blocksAt('xyzzy')],
      streaming: 'window',
    });
    expect(await agent.stream({ threadId: 't', message: 'go' }).result).toMatchObject({
      status: 'blocked',
    });
    expect(await agent.stream({ threadId: 't', message: 'on' }).result).toMatchObject({
      status: 'completed',
      text: 'fine',
    });
  });
});

describe('window: a policy that fails', () => {
  test.each([
    ['throws', () => Promise.reject(new Error('xyzzy'))],
    ['hangs', () => new Promise<undefined>(() => undefined)],
    ['releases more than is held', () => WindowDecision.release(1_000)],
  ])('%s: nothing more leaves, nothing is stored, the turn ends failed', async (_name, fail) => {
    const guard = defineHooks({
      name: 'guard',
      options: { onTextWindow: { timeoutMs: 20 } },
      onTextWindow: ({ text }) => (text.includes('2') ? fail() : undefined),
    });
    const { result, pieces, types, store } = await watch(piecesModel(['1 ', '2 ', '3 ']), [guard]);
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'hook-failed', policy: 'guard', point: 'onTextWindow' },
      text: 'Sorry, something went wrong. Please try again.',
    });
    expect(pieces).toEqual(['1 ']);
    expect(types.filter((type) => type === 'text.retracted')).toHaveLength(1);
    expect(await store.readMessages('t')).toHaveLength(1);
  });
});

describe('window: what left is taken back once', () => {
  const text = 'the word is xyzzy';

  test.each([
    ['blocks', ResponseDecision.block('x'), 'blocked'],
    ['retries', ResponseDecision.retryWithFeedback('x'), 'failed'],
    ['rewrites', ResponseDecision.modify({ text: 'hm' }), 'completed'],
  ])('when onLlmResponse %s; the rest never leaves', async (_how, decision, status) => {
    const half = defineHooks({
      name: 'half',
      onTextWindow: ({ isFinal }) => (isFinal ? undefined : WindowDecision.release(4)),
    });
    const guard = defineHooks({
      name: 'guard',
      onLlmResponse: (response) => (response.text === text ? decision : undefined),
    });
    const { pieces, events, result } = await watch(piecesModel([text]), [half, guard], {
      maxResponseRetries: 1,
    });
    expect(pieces).toEqual(['the ']);
    expect(events.filter(({ type }) => type === 'text.retracted')).toMatchObject([
      { point: 'onLlmResponse' },
    ]);
    expect(result.status).toBe(status);
    expect(JSON.stringify(events)).not.toContain('xyzzy');
  });

  test('when onOutgoingMessage or a retry of its tool calls comes after', async () => {
    const outgoing = defineHooks({
      name: 'guard',
      onOutgoingMessage: () => MessageDecision.block('x'),
    });
    const said = await watch(piecesModel([text]), [all, outgoing]);
    expect(said.pieces).toEqual([text]);
    expect(said.events.filter(({ type }) => type === 'text.retracted')).toMatchObject([
      { point: 'onOutgoingMessage' },
    ]);
    const retries = defineHooks({
      name: 'guard',
      preToolUse: () => ToolDecision.retryWithFeedback('x'),
    });
    const { agent } = desk({
      script: [{ text, toolCalls: [callPay(5)] }, 'done'],
      hooks: [all, retries],
      more: { streaming: 'window' },
    });
    const types: string[] = [];
    for await (const { type } of agent.stream({ message: 'go' })) types.push(type);
    expect(types.filter((type) => type === 'text.retracted')).toHaveLength(1);
  });

  test('when the model fails, is refused or is cancelled after its first pieces', async () => {
    const breaks = streamModel(async function* () {
      yield { type: 'text', text };
      throw new Error('cut');
    });
    const refuses = streamModel(async function* () {
      yield { type: 'text', text };
      const usage = { inputTokens: 1, outputTokens: 1 };
      yield { type: 'finish', result: { finishReason: 'content-filter', usage } };
    });
    for (const model of [breaks, refuses]) {
      const { types, pieces } = await watch(model, [all]);
      expect(pieces).toEqual([text]);
      expect(types.filter((type) => type === 'text.retracted')).toHaveLength(1);
    }
    const controller = new AbortController();
    let signal: AbortSignal | undefined;
    const waits = streamModel(async function* (options) {
      signal = options.signal;
      yield { type: 'text', text };
      await sleep(5_000, undefined, { signal: options.signal });
    });
    const agent = createAgent({ name: 'a', model: waits, hooks: [all], streaming: 'window' });
    const types: string[] = [];
    const stream = agent.stream({ message: 'go', signal: controller.signal });
    for await (const { type } of stream) {
      types.push(type);
      if (type === 'llm.delta') controller.abort();
    }
    expect(await stream.result).toMatchObject({ status: 'cancelled' });
    expect(signal?.aborted).toBe(true);
    expect(types.filter((type) => type === 'text.retracted')).toHaveLength(1);
  });

  test('a verdict that comes after the model failed or was refused shows nothing', async () => {
    const late = defineHooks({
      name: 'late',
      async onTextWindow() {
        await sleep(20);
        return undefined;
      },
    });
    const refuses = streamModel(async function* () {
      yield { type: 'text', text };
      const usage = { inputTokens: 1, outputTokens: 1 };
      yield { type: 'finish', result: { finishReason: 'content-filter', usage } };
    });
    const breaks = streamModel(async function* () {
      yield { type: 'text', text };
      throw new Error('cut');
    });
    for (const model of [refuses, breaks]) {
      const agent = createAgent({ name: 'a', model, hooks: [late], streaming: 'window' });
      const heard: string[] = [];
      agent.on('llm.delta', ({ type }) => heard.push(type));
      await agent.stream({ message: 'go' }).result;
      await sleep(40);
      expect(heard).toEqual([]);
    }
  });
});

describe('window: the end of an answer', () => {
  const slow = defineHooks({
    name: 'slow',
    async onTextWindow() {
      await sleep(10);
      return undefined;
    },
  });

  test('leaves after onLlmResponse has passed only, also what was asked about before the end', async () => {
    const guard = defineHooks({
      name: 'guard',
      onLlmResponse: () => ResponseDecision.block('no'),
    });
    const blocked = await watch(piecesModel(['a', 'b']), [slow, guard]);
    expect(blocked.pieces).toEqual([]);
    expect(blocked.types).not.toContain('text.retracted');
    const passed = await watch(piecesModel(['a', 'b']), [slow]);
    expect(passed.pieces).toEqual(['ab']);
  });
});

describe('window: a cancel while a policy is asked', () => {
  test('ends the turn cancelled, and its answer does not count', async () => {
    const controller = new AbortController();
    const guard = defineHooks({
      name: 'guard',
      async onTextWindow() {
        controller.abort();
        await sleep(5);
        return WindowDecision.block('late');
      },
    });
    const agent = createAgent({
      name: 'a',
      model: piecesModel(['a', 'b']),
      hooks: [guard],
      streaming: 'window',
    });
    const stream = agent.stream({ message: 'go', signal: controller.signal });
    const types: string[] = [];
    for await (const { type } of stream) types.push(type);
    expect(await stream.result).toMatchObject({ status: 'cancelled' });
    expect(types).not.toContain('llm.delta');
  });
});
