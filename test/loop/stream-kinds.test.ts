import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentEvent,
  type AgentHooks,
  type ChatStreamPart,
  createAgent,
  defineHooks,
  MessageDecision,
  RequestDecision,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
  ToolResultDecision,
  validateHooks,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, callRead, desk } from './desk.ts';
import { finish, streamModel } from './window-desk.ts';

const WORD = 'xyzzy';
const answer = { reasoning: `think ${WORD}`, text: `say ${WORD}`, toolCalls: [callPay(5)] };

async function read(
  hooks: readonly AgentHooks[],
  more: Parameters<typeof desk>[0]['more'] = {},
  script: Parameters<typeof desk>[0]['script'] = [answer, 'done'],
) {
  const { agent, store } = desk({ script, hooks, more });
  const stream = agent.stream({ threadId: 't', message: 'go' });
  const events: AgentEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, store, result: await stream.result, types: events.map(({ type }) => type) };
}

const deltas = (events: readonly AgentEvent[]) =>
  events.filter((event) => event.type === 'llm.delta');

describe('a held stream', () => {
  test('M-132: no piece leaves before onLlmResponse has answered, and then the final text once', async () => {
    let answered = false;
    const rewrites = defineHooks({
      name: 'rewrites',
      async onLlmResponse() {
        await sleep(5);
        answered = true;
        return ResponseDecision.modify({ text: 'final' });
      },
    });
    const model = scriptedModel([`say ${WORD}`], { chunkSize: 2 });
    const agent = createAgent({ name: 'a', model, hooks: [rewrites] });
    const texts: string[] = [];
    for await (const event of agent.stream({ message: 'go' })) {
      if (event.type !== 'llm.delta' && event.type !== 'message.outgoing') continue;
      expect(answered).toBe(true);
      texts.push(event.text);
    }
    expect(texts).toEqual(['final']);
  });

  test('M-133: text beside a batch that is rejected is never seen', async () => {
    const retries = defineHooks({
      name: 'retries',
      preToolUse: () => ToolDecision.retryWithFeedback('again'),
    });
    const { events, types } = await read([retries]);
    expect(JSON.stringify(events)).not.toContain(WORD);
    expect(types).toContain('llm.rejected');
    expect(types).not.toContain('text.retracted');
  });

  test('M-134: policies that can take nothing back leave a stream live', async () => {
    const others = defineHooks({
      name: 'others',
      preLlmRequest: () => RequestDecision.proceed(),
      onUserMessage: () => MessageDecision.proceed(),
      postToolUse: () => ToolResultDecision.keep(),
      onEvent: () => undefined,
    });
    const { events, types } = await read([others]);
    expect(deltas(events).length).toBeGreaterThan(1);
    expect(types.indexOf('llm.delta')).toBeLessThan(types.indexOf('llm.responded'));
  });

  test.each<[string, AgentHooks]>([
    ['onLlmResponse', { onLlmResponse: () => ResponseDecision.accept() }],
    ['preToolUse', { preToolUse: () => undefined }],
    ['onOutgoingMessage', { onOutgoingMessage: () => undefined }],
    ['onTextWindow', { onTextWindow: () => undefined }],
  ])('M-136: pieces of no kind leave it, where a policy is at %s', async (_point, hooks) => {
    const { events } = await read([defineHooks({ name: 'guard', ...hooks })]);
    expect(deltas(events)).toEqual([]);
  });

  test.each([
    ['retries', ResponseDecision.retryWithFeedback('again')],
    ['blocks', ResponseDecision.block('no')],
  ])(
    'M-137: after a policy %s nothing of the answer can be read off the run',
    async (_how, said) => {
      const guard = defineHooks({
        name: 'guard',
        onLlmResponse: ({ text }) => (text.includes(WORD) ? said : undefined),
      });
      const { events, result, store } = await read([guard]);
      const all = [events, result, await store.readMessages('t'), await store.readEvents('t')];
      expect(JSON.stringify(all)).not.toContain(WORD);
    },
  );

  test('M-138: a policy at onOutgoingMessage alone holds, and its rejection shows the fallback only', async () => {
    const guard = defineHooks({
      name: 'guard',
      onOutgoingMessage: () => MessageDecision.block('no'),
    });
    const { events } = await read([guard], {}, [`say ${WORD}`]);
    expect(JSON.stringify(events)).not.toContain(WORD);
    expect(events.filter(({ type }) => type === 'message.outgoing')).toMatchObject([
      { text: 'Sorry, I cannot show you that answer.', fallback: 'outgoing' },
    ]);
  });
});

describe('a live stream', () => {
  const guard = defineHooks({
    name: 'guard',
    onLlmResponse: () => ResponseDecision.block('no'),
  });

  test('M-135: our rule: with `live` set, what a policy blocks was seen and is taken back; the check warns of it', async () => {
    const { events, store, types } = await read([guard], { streaming: 'live' });
    expect(JSON.stringify(deltas(events))).toContain(WORD);
    expect(types.filter((type) => type === 'text.retracted')).toHaveLength(1);
    expect(types.lastIndexOf('llm.delta')).toBeLessThan(types.indexOf('text.retracted'));
    expect(await store.readMessages('t')).toHaveLength(1);
    expect(validateHooks([guard], { streaming: 'live' })).toMatchObject([
      { severity: 'warning', code: 'stream-guard' },
    ]);
    const windows = defineHooks({ name: 'windows', onTextWindow: () => undefined });
    expect(validateHooks([windows], { streaming: 'live' })).toMatchObject([
      { code: 'stream-guard', member: 'onTextWindow' },
    ]);
    expect(validateHooks([guard], { streaming: 'window' })).toEqual([]);
  });

  test('M-135: without `live` the same policy holds', async () => {
    const { events } = await read([guard]);
    expect(JSON.stringify(events)).not.toContain(WORD);
  });

  test('tells thoughts, text and arguments apart, and of arguments whose they are', async () => {
    const part = (id: string, toolName: string, text: string): ChatStreamPart => ({
      type: 'tool-input',
      id,
      toolName,
      text,
    });
    const parts: readonly ChatStreamPart[] = [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'ok' },
      part('a', 'read', '{"x":'),
      part('b', 'pay', '{"euros":'),
      part('a', 'read', '1}'),
      part('b', 'pay', '5}'),
      finish,
    ];
    const model = streamModel(async function* () {
      yield* parts;
    });
    const agent = createAgent({ name: 'a', model });
    const events: AgentEvent[] = [];
    for await (const event of agent.stream({ message: 'go' })) events.push(event);
    const shown = events.flatMap((event) => (event.type === 'llm.delta' ? [event] : []));
    expect(shown.map(({ kind, text }) => [kind, text])).toEqual([
      ['reasoning', 'hm'],
      ['text', 'ok'],
      ['tool-input', '{"x":'],
      ['tool-input', '{"euros":'],
      ['tool-input', '1}'],
      ['tool-input', '5}'],
    ]);
    const inputs: Record<string, string> = {};
    for (const { kind, text, providerCallId, toolName } of shown) {
      const of = `${providerCallId} ${toolName}`;
      if (kind === 'tool-input') inputs[of] = (inputs[of] ?? '') + text;
    }
    expect(inputs).toEqual({ 'a read': '{"x":1}', 'b pay': '{"euros":5}' });
    expect(shown.filter((event) => 'toolName' in event)).toHaveLength(4);
  });

  test('halves of a character wait for each other also where several calls take turns', async () => {
    const part = (id: string, text: string): ChatStreamPart => ({
      type: 'tool-input',
      id,
      toolName: 'read',
      text,
    });
    const model = streamModel(async function* () {
      yield part('a', 'x\ud83d');
      yield { type: 'text', text: '\ud83d' };
      yield part('b', '\ud83d');
      yield part('a', '\udc4d');
      yield { type: 'text', text: '\ude00' };
      yield part('b', 'y');
      yield finish;
    });
    const shown: string[] = [];
    for await (const event of createAgent({ name: 'a', model }).stream({ message: 'go' }))
      if (event.type === 'llm.delta') shown.push(`${event.providerCallId ?? 'text'} ${event.text}`);
    expect(shown).toEqual(['a x', 'a 👍', 'text 😀', 'b \ufffdy']);
  });

  test('a half that was left when the model began again belongs to nothing', async () => {
    const model = streamModel(async function* (options) {
      yield { type: 'text', text: '\ud83d' };
      options.onRetry?.({ attempt: 2, delayMs: 0, reason: 'test' });
      yield { type: 'text', text: '\ude00 ok' };
      yield finish;
    });
    const shown: string[] = [];
    for await (const event of createAgent({ name: 'a', model }).stream({ message: 'go' }))
      if (event.type === 'llm.delta') shown.push(event.text);
    expect(shown).toEqual(['\ufffd ok']);
  });
});

describe('the end of a stream', () => {
  test.each<[string, Parameters<typeof desk>[0]['script'], AgentHooks | undefined]>([
    ['completed', [{ toolCalls: [callRead] }, 'done'], undefined],
    ['blocked', ['x'], { onLlmResponse: () => ResponseDecision.block('no') }],
    ['blocked', ['x'], { preLlmRequest: () => RequestDecision.block('no') }],
    ['failed', [], undefined],
  ])(
    'one that is %s ends with one `turn.finished`, in every mode',
    async (status, script, hooks) => {
      for (const streaming of ['hold', 'window', 'live'] as const) {
        const list = hooks === undefined ? [] : [defineHooks({ name: 'guard', ...hooks })];
        const { types, result } = await read(list, { streaming }, script);
        expect(result.status).toBe(status);
        expect(types.filter((type) => type === 'turn.finished')).toHaveLength(1);
        expect(types.at(-1)).toBe('turn.finished');
      }
    },
  );
});

describe('a reader that stops taking events without leaving', () => {
  test('holds the run up until it is cancelled, and every thread but its own goes on', async () => {
    const pieces = Array.from({ length: 500 }, () => 'x');
    const model = streamModel(async function* () {
      for (const text of pieces) yield { type: 'text', text };
      yield finish;
    });
    const agent = createAgent({ name: 'a', model, streaming: 'live' });
    const stream = agent.stream({ threadId: 't', message: 'go' });
    const reader = stream[Symbol.asyncIterator]();
    await reader.next();
    expect(await Promise.race([stream.result, sleep(50, 'waits')])).toBe('waits');
    expect(await agent.stream({ threadId: 'other', message: 'go' }).result).toMatchObject({
      status: 'completed',
    });
    expect(await agent.cancel('t')).toMatchObject({ status: 'cancelled' });
    expect(await stream.result).toMatchObject({ status: 'cancelled' });
  });
});
