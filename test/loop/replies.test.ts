import {
  type AgentHooks,
  defineHooks,
  MessageDecision,
  ToolDecision,
  ToolResultDecision,
  textOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  calls,
  hangUpTool,
  order,
  orderTool,
  type ResultState,
  resultDesk,
  saying,
} from './result-desk.ts';

const find = calls('find_order');
const shipped = { ...order, status: 'shipped' };

/** What the user is told after a result, where the model would say that it found something. */
async function said(
  more: object,
  scene: {
    readonly result?: unknown;
    readonly agent?: object;
    readonly state?: Partial<ResultState>;
    readonly hooks?: readonly AgentHooks<unknown, ResultState>[];
  } = {},
) {
  const desk = resultDesk({
    script: [find, 'Found.'],
    tools: [orderTool(more, scene.result ?? order)],
    hooks: scene.hooks ?? [],
    more: (scene.agent ?? {}) as object,
  });
  const start = { threadId: 't', message: 'go', state: scene.state ?? {} };
  const result = await desk.agent.run(start as { threadId: string; message: string });
  if (result.status !== 'completed') throw new Error(result.status);
  return { ...desk, result, text: result.text };
}
const text = async (...given: Parameters<typeof said>) => (await said(...given)).text;

describe('a line that answers a result', () => {
  test('U-K7: ends the turn; the history holds the result and the line, and the model is not asked', async () => {
    const { result, model, heard } = await said({ replies: [{ say: 'It is on hold.' }] });
    expect(result).toMatchObject({ text: 'It is on hold.', steps: 1, finishReason: 'tool-calls' });
    expect(model.requests).toHaveLength(1);
    expect(result.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ]);
    expect(result.messages.map(textOf).at(-1)).toBe('It is on hold.');
    const outgoing = heard.filter(({ type }) => type === 'message.outgoing');
    expect(outgoing).toEqual([expect.objectContaining({ text: 'It is on hold.', isFinal: true })]);
  });

  test('U-K7: the model reads all of it in the next turn', async () => {
    const desk = resultDesk({
      script: [find, 'You are welcome.'],
      tools: [orderTool({ replies: [{ say: 'It is on hold.' }] })],
    });
    await desk.run();
    await desk.run('Thanks');
    const read = JSON.stringify(desk.model.requests.at(-1)?.messages);
    expect(read).toContain('A-1');
    expect(read).toContain('It is on hold.');
  });

  test('U-K29: is told of after it was said, and its words only with the line', async () => {
    const { heard } = await said({ replies: [{ say: 'It is on hold.' }] });
    const types = heard.map(({ type }) => type);
    const after = types.slice(types.indexOf('tool.succeeded'));
    expect(after).toEqual([
      'tool.succeeded',
      'line.said',
      'tool.replied',
      'message.outgoing',
      'step.finished',
      'turn.finished',
    ]);
    const about = { toolName: 'find_order', callId: '1.1.0' };
    expect(heard.find(({ type }) => type === 'line.said')).toMatchObject({
      ...about,
      kind: 'reply',
      text: 'It is on hold.',
    });
    const replied = heard.find(({ type }) => type === 'tool.replied');
    expect(replied).toMatchObject(about);
    expect(replied).not.toHaveProperty('text');
  });

  const byStatus = [
    { when: { status: ['shipped'] }, say: 'It is on its way.' },
    { when: { status: ['held', 'future_day'] }, say: 'It is on hold.' },
    { when: { status: ['held'] }, say: 'Never said.' },
  ];

  test('U-K6, U-K8: the first whose values match', async () => {
    expect(await text({ replies: byStatus })).toBe('It is on hold.');
    expect(await text({ replies: byStatus }, { result: shipped })).toBe('It is on its way.');
  });

  test('U-K8: a part below a part', async () => {
    const replies = [{ when: { 'total.amount': [20] }, say: 'Twenty.' }];
    expect(await text({ replies })).toBe('Twenty.');
    expect(await text({ replies }, { result: { order_id: 'A-1' } })).toBe('Found.');
  });

  test('U-K9, U-K10: values of the state as well, and all have to match', async () => {
    const replies = [
      { when: { status: ['held'] }, state: { vip: [true], name: ['Ada'] }, say: 'Dear Ada.' },
      { when: { status: ['shipped'] }, state: { vip: [true] }, say: 'Gone.' },
    ];
    expect(await text({ replies }, { state: { vip: true, name: 'Ada' } })).toBe('Dear Ada.');
    expect(await text({ replies }, { state: { vip: true, name: 'Bo' } })).toBe('Found.');
    expect(await text({ replies }, { state: { name: 'Ada' } })).toBe('Found.');
    expect(await text({ replies }, { state: { vip: true }, result: shipped })).toBe('Gone.');
  });

  test('U-K9: of what is not set the value is null', async () => {
    const replies = [{ state: { name: [null] }, say: 'Who are you?' }];
    expect(await text({ replies })).toBe('Who are you?');
    expect(await text({ replies }, { state: { name: 'Ada' } })).toBe('Found.');
  });

  test('U-K11, U-K12: one without conditions always matches; what cannot be filled is passed over', async () => {
    const replies = [{ say: 'Hello {{name}}.' }, { say: 'Hello.' }];
    expect(await text({ replies })).toBe('Hello.');
    expect(await text({ replies }, { state: { name: 'Ada' } })).toBe('Hello Ada.');
    expect(await text({ replies: replies.slice(0, 1) })).toBe('Found.');
    expect(await text({ replies: replies.slice(0, 1) }, { state: { name: '' } })).toBe('Found.');
  });

  test('U-K13: where none matches, the model answers as usual', async () => {
    const { text: told, heard, model } = await said({ replies: byStatus.slice(0, 1) });
    expect(told).toBe('Found.');
    expect(model.requests).toHaveLength(2);
    expect(heard.map(({ type }) => type)).not.toContain('tool.replied');
  });

  test('U-K14: values of the result, of the state and of the run', async () => {
    const replies = [
      {
        say: '{{result.order_id}} {{ result.total.amount }} {{name}} {{session.shop}} {{call.shop}} {{sender}}',
      },
    ];
    const desk = resultDesk({ script: [find], tools: [orderTool({ replies })] });
    const result = await desk.agent.run({
      threadId: 't',
      message: 'go',
      state: { name: '{{vip}}' },
      session: { shop: 'Sol' },
      sender: 'ada',
    });
    expect(result).toMatchObject({ text: 'A-1 20 {{vip}} Sol Sol ada' });
  });

  test('what the call saved is in the state when its line is filled', async () => {
    const assign = [{ field: 'name', path: ['order_id'] }];
    expect(await text({ assign, replies: [{ say: 'Saved {{name}}.' }] })).toBe('Saved A-1.');
  });

  test('U-K15: several lines take turns, over turns of the thread', async () => {
    const desk = resultDesk({
      script: [find, find, find],
      tools: [orderTool({ replies: [{ say: ['One.', 'Two.'] }] })],
    });
    const told: unknown[] = [];
    for (let turn = 0; turn < 3; turn += 1) told.push(await desk.run());
    expect(told).toMatchObject([{ text: 'One.' }, { text: 'Two.' }, { text: 'One.' }]);
    expect((await desk.store.load('t'))?.state).toMatchObject({ lines: { 'find_order/0': 3 } });
  });

  test('a thread that never took turns stores nothing of it', async () => {
    const { store } = await said({ replies: [{ say: 'One.' }] });
    expect((await store.load('t'))?.state).not.toHaveProperty('lines');
  });

  test('U-K30, U-K32, U-K33: an agent has lines as well, which name their tool and are tried first', async () => {
    const replies = [{ say: 'Of the tool.' }];
    const agent = {
      replies: [{ tool: 'find_order', when: { status: ['held'] }, say: 'Of the agent.' }],
    };
    expect(await text({ replies }, { agent })).toBe('Of the agent.');
    expect(await text({ replies }, { agent, result: shipped })).toBe('Of the tool.');
    expect(await text({}, { agent })).toBe('Of the agent.');
  });

  test.each([{ ok: false }, { error: 'none' }, { refused: 'not yet' }])(
    'U-K25: nothing is said of a result that reports an error: %j',
    async (result) => {
      expect(await text({ replies: [{ say: 'It is on hold.' }] }, { result })).toBe('Found.');
    },
  );

  test('U-K37: is about what the wraps gave, and not what postToolUse puts in its place', async () => {
    const after = defineHooks({
      name: 'after',
      postToolUse: () => ToolResultDecision.modify({ output: shipped }),
    });
    expect(await text({ replies: byStatus }, { hooks: [after] })).toBe('It is on hold.');
    const around = defineHooks({
      name: 'around',
      wrapToolUse: async (invocation, next) => ({ ...(await next(invocation)), output: shipped }),
    });
    expect(await text({ replies: byStatus }, { hooks: [around] })).toBe('It is on its way.');
  });
});

test('what a value holds is not filled again', async () => {
  const result = { order_id: '{{name}}{{result.status}}' };
  const replies = [{ say: '{{result.order_id}} {{name}} {{result.status}}' }];
  const told = await text({ replies }, { result, state: { name: 'Ada' } });
  expect(told).toBe('{{name}}{{result.status}} Ada held');
});

describe('several calls at once', () => {
  const other = (replies: readonly object[]) =>
    hangUpTool({ name: 'other', endsConversation: false, replies });
  const both = (mine: readonly object[], theirs: readonly object[]) =>
    resultDesk({
      script: [calls('find_order', 'other'), 'Found both.'],
      tools: [orderTool({ replies: mine }), other(theirs)],
    });

  test('U-K36: the model is asked unless each has a line; then none is said', async () => {
    const mixed = both([{ say: 'Mine.' }], []);
    expect(await mixed.run()).toMatchObject({ text: 'Found both.', steps: 2 });
    expect(mixed.types()).not.toContain('line.said');
    const full = both([{ say: 'Mine.' }], [{ say: 'Theirs.' }]);
    expect(await full.run()).toMatchObject({ text: 'Mine.\nTheirs.', steps: 1 });
    expect(full.types().filter((type) => type === 'tool.replied')).toHaveLength(2);
  });

  test('U-K36: a call that did not run has no line', async () => {
    const hooks = [
      defineHooks({
        name: 'block',
        preToolUse: ({ toolName }) =>
          toolName === 'other' ? ToolDecision.block('no') : ToolDecision.allow(),
      }),
    ];
    const desk = resultDesk({
      script: [calls('find_order', 'other'), 'Found one.'],
      tools: [orderTool({ replies: [{ say: 'Mine.' }] }), other([{ say: 'Theirs.' }])],
      hooks,
    });
    expect(await desk.run()).toMatchObject({ text: 'Found one.' });
  });

  test('U-K36: beside the end of the conversation a line is said, and the goodbye after it', async () => {
    const scene = (text: string) =>
      resultDesk({
        script: [saying(text, 'find_order', 'hang_up')],
        tools: [
          orderTool({ replies: [{ say: 'Mine.' }] }),
          hangUpTool({ goodbye: 'Bye {{result.ok}}!' }),
        ],
      });
    expect(() => scene('')).toThrow('outputSchema');
    const desk = resultDesk({
      script: [saying('', 'hang_up', 'find_order')],
      tools: [orderTool({ replies: [{ say: 'Mine.' }] }), hangUpTool({ goodbye: 'Bye!' })],
    });
    expect(await desk.run()).toMatchObject({ text: 'Mine.\nBye!', steps: 1 });
    expect(desk.types().at(-1)).toBe('thread.ended');
    expect(desk.heard.flatMap((event) => (event.type === 'line.said' ? [event.kind] : []))).toEqual(
      ['reply', 'goodbye'],
    );
  });
});

describe('beside a call that failed', () => {
  const scene = (onError?: AgentHooks['onError']) => {
    const broken = () => {
      throw new Error('down');
    };
    return resultDesk({
      script: [calls('find_order', 'hang_up'), 'more'],
      tools: [orderTool({}, broken), hangUpTool({ goodbye: 'Bye!' })],
      hooks: onError === undefined ? [] : [defineHooks({ name: 'ear', onError })],
    });
  };

  test.each([
    ['nobody is asked', undefined],
    ['nobody objects', () => undefined],
    ['somebody says to go on', () => true],
  ])('the end of a conversation has its goodbye where %s', async (_what, onError) => {
    const desk = scene(onError);
    expect(await desk.run()).toMatchObject({ status: 'completed', text: 'Bye!', steps: 1 });
    expect(desk.types()).toContain('thread.ended');
  });

  test('and has none where a policy ends the turn as failed', async () => {
    const desk = scene(() => false);
    expect(await desk.run()).toMatchObject({ status: 'failed', steps: 1 });
    expect(desk.types()).not.toContain('line.said');
  });
});

describe('policies at onOutgoingMessage', () => {
  const judging = (onOutgoingMessage: AgentHooks['onOutgoingMessage'] & object) =>
    [defineHooks({ name: 'judge', onOutgoingMessage })] as const;
  const replies = [{ say: 'It is on hold.' }];

  test('see a line as the final text, and may rewrite it', async () => {
    const seen: unknown[] = [];
    const hooks = judging((message) => {
      seen.push(message);
      return MessageDecision.modify('It waits.');
    });
    const { result, text: told } = await said({ replies }, { hooks });
    expect(seen).toMatchObject([{ text: 'It is on hold.', isFinal: true }]);
    expect(told).toBe('It waits.');
    expect(JSON.stringify(result.messages)).not.toContain('on hold');
  });

  test('a blocked line is not said: the model is asked, and the audit has the line', async () => {
    const hooks = judging(({ text: told }) =>
      told.includes('hold') ? MessageDecision.block('no') : undefined,
    );
    const { store, text: told, heard } = await said({ replies }, { hooks });
    expect(told).toBe('Found.');
    expect(heard.map(({ type }) => type)).not.toContain('line.said');
    const discarded = (await store.readEvents('t')).filter((event) => 'discarded' in event);
    expect(discarded).toMatchObject([{ text: 'It is on hold.', discarded: true }]);
    expect(JSON.stringify(await store.readMessages('t'))).not.toContain('on hold');
  });

  test('one that blocks the second of two lines keeps the first from being said', async () => {
    const hooks = judging(({ text: told }) =>
      told === 'Theirs.' ? MessageDecision.block('no') : undefined,
    );
    const other = hangUpTool({
      name: 'other',
      endsConversation: false,
      replies: [{ say: 'Theirs.' }],
    });
    const desk = resultDesk({
      script: [calls('find_order', 'other'), 'Found both.'],
      tools: [orderTool({ replies: [{ say: 'Mine.' }] }), other],
      hooks,
    });
    expect(await desk.run()).toMatchObject({ text: 'Found both.' });
    expect(desk.types()).not.toContain('line.said');
  });

  test('one that answers later is waited for', async () => {
    const hooks = judging(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return MessageDecision.modify('It waits.');
    });
    expect(await text({ replies }, { hooks })).toBe('It waits.');
  });

  test('a cancel while one is asked ends the turn, with the result and without the line', async () => {
    const stop = new AbortController();
    const hooks = judging(async () => {
      stop.abort();
      return undefined;
    });
    const desk = resultDesk({ script: [find, 'Found.'], tools: [orderTool({ replies })], hooks });
    const { signal } = stop;
    const result = await desk.agent.run({ threadId: 't', message: 'go', signal });
    expect(result).toMatchObject({ status: 'cancelled', steps: 1 });
    expect(JSON.stringify(result.messages)).toContain('A-1');
    expect(JSON.stringify(result.messages)).not.toContain('on hold');
  });

  test('one that fails closed says nothing, and the model is asked', async () => {
    const closed = defineHooks({
      name: 'broken',
      options: { onOutgoingMessage: { failure: 'closed' } },
      onOutgoingMessage: ({ text: told }) => {
        if (told.includes('hold')) throw new Error('down');
        return undefined;
      },
    });
    expect(await text({ replies }, { hooks: [closed] })).toBe('Found.');
  });
});

const doneAnswer = { toolCalls: [{ name: 'final_answer', input: { done: true } }] };

test('a turn whose answer has to fit a schema is answered by the model, and nobody is asked about a line', async () => {
  const asked: string[] = [];
  const desk = resultDesk({
    script: [find, doneAnswer],
    tools: [orderTool({ replies: [{ say: 'It is on hold.' }] })],
    hooks: [
      defineHooks({
        name: 'hear',
        onOutgoingMessage: (message) => {
          asked.push(message.text);
          return undefined;
        },
      }),
    ],
  });
  const output = z.object({ done: z.boolean() });
  const result = await desk.agent.run({ threadId: 't', message: 'go', output });
  expect(result).toMatchObject({ status: 'completed', output: { done: true } });
  expect(asked).toEqual(['{"done":true}']);
  expect(desk.types()).not.toContain('line.said');
});

test('a conversation that ends in such a turn ends with the answer', async () => {
  const desk = resultDesk({
    script: [calls('hang_up'), doneAnswer],
    tools: [hangUpTool({ goodbye: 'Bye!' })],
  });
  const output = z.object({ done: z.boolean() });
  const result = await desk.agent.run({ threadId: 't', message: 'go', output });
  expect(result).toMatchObject({ status: 'completed', output: { done: true } });
  expect(desk.types().slice(-2)).toEqual(['turn.finished', 'thread.ended']);
});
