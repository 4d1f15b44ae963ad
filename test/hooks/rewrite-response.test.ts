import { describe, expect, test } from 'vitest';
import { ResponseDecision, type RewrittenResponse } from '../../src/decisions/response-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { ChatResponse } from '../../src/protocol/chat.ts';
import type { AssistantPart } from '../../src/protocol/message.ts';
import { textOf, toolCallsOf } from '../../src/protocol/read-content.ts';
import { asIs, bench, NOW, response } from './make-gate.ts';

const text = (value: string): AssistantPart => ({ type: 'text', text: value });
const thought: AssistantPart = { type: 'reasoning', text: 'hm' };
const signed: AssistantPart = {
  type: 'reasoning',
  text: 'hm',
  providerMetadata: { signature: 's' },
};
const call = (callId: string, input: object = { a: 1 }) =>
  ({
    type: 'tool-call',
    callId,
    providerCallId: `p-${callId}`,
    toolName: 'find',
    input: { ...input },
    providerMetadata: { mark: callId },
  }) as const;

const rewritten = async (
  given: ChatResponse,
  rewrite: (one: ChatResponse) => RewrittenResponse,
) => {
  let minted = 0;
  const run = bench([
    defineHooks({ name: 'a', onLlmResponse: (one) => ResponseDecision.modify(rewrite(one)) }),
  ]);
  const verdict = await run.gate.response(
    given,
    {
      newCallId: () => {
        minted += 1;
        return `new-${minted}`;
      },
      moment: NOW,
    },
    asIs,
  );
  return {
    verdict,
    minted: () => minted,
    value: verdict.type === 'pass' ? verdict.value : undefined,
  };
};

describe('rewriting the text of a response', () => {
  test('gives one text in the place of the first, and drops reasoning about the old one', async () => {
    const given = response([
      thought,
      text('a'),
      { type: 'file', mediaType: 'x/y', data: '' },
      text('b'),
    ]);
    const { value } = await rewritten(given, () => ({ text: 'new' }));
    expect(value?.content).toEqual([text('new'), { type: 'file', mediaType: 'x/y', data: '' }]);
    expect(value).toMatchObject({ text: 'new', reasoning: '', finishReason: 'stop' });
  });

  test('keeps signed reasoning beside tool calls, which a provider wants back', async () => {
    const given = response([thought, signed, text('a'), call('1')], 'tool-calls');
    const { value } = await rewritten(given, () => ({ text: 'new' }));
    expect(value?.content).toEqual([signed, text('new'), call('1')]);
    const alone = await rewritten(response([signed, text('a')]), () => ({ text: 'new' }));
    expect(alone.value?.content).toEqual([text('new')]);
  });

  test('puts a text before the calls where there was none, and none where it is empty', async () => {
    const given = response([call('1')], 'tool-calls');
    expect((await rewritten(given, () => ({ text: 'new' }))).value?.content).toEqual([
      text('new'),
      call('1'),
    ]);
    const emptied = await rewritten(response([text('a'), call('1')]), () => ({ text: '' }));
    expect(emptied.value?.content).toEqual([call('1')]);
    expect((await rewritten(response([]), () => ({ text: 'new' }))).value?.content).toEqual([
      text('new'),
    ]);
  });

  test('with the same text is no change, and keeps the reasoning', async () => {
    const given = response([thought, text('a')]);
    const { verdict } = await rewritten(given, (one) => ({ ...one }));
    expect(verdict).toEqual({ type: 'pass', value: given, modified: false });
  });
});

describe('rewriting the calls of a response', () => {
  const two = response([text('a'), call('1'), text('b'), call('2')], 'tool-calls');

  test('a kept call keeps what its provider needs', async () => {
    const { value } = await rewritten(two, ({ toolCalls }) => ({
      toolCalls: toolCalls.map((one) => ({ ...one, toolName: 'search', input: { a: 2 } })),
    }));
    expect(value?.content).toEqual([
      text('a'),
      { ...call('1', { a: 2 }), toolName: 'search' },
      text('b'),
      { ...call('2', { a: 2 }), toolName: 'search' },
    ]);
  });

  test('a call can be left out; without any left nothing runs', async () => {
    const { value } = await rewritten(two, ({ toolCalls }) => ({ toolCalls: toolCalls.slice(1) }));
    expect(value).toMatchObject({
      content: [text('a'), call('2'), text('b')],
      finishReason: 'tool-calls',
    });
    const none = await rewritten(two, () => ({ toolCalls: [] }));
    expect(none.value).toMatchObject({
      content: [text('a'), text('b')],
      toolCalls: [],
      finishReason: 'stop',
    });
  });

  test('a call without an id is new and gets one', async () => {
    const { value, minted } = await rewritten(response([text('a')]), () => ({
      toolCalls: [{ toolName: 'find', input: {} }],
    }));
    expect(value?.content.at(-1)).toEqual({
      type: 'tool-call',
      callId: 'new-1',
      providerCallId: 'new-1',
      toolName: 'find',
      input: {},
    });
    expect(value?.finishReason).toBe('tool-calls');
    expect(minted()).toBe(1);
  });

  test('a new call comes after the last one, and before what follows it', async () => {
    const given = response([call('1'), text('a'), call('2'), text('b')], 'tool-calls');
    const { value } = await rewritten(given, ({ toolCalls }) => ({
      toolCalls: [...toolCalls, { toolName: 'find', input: {} }],
    }));
    expect(value?.content).toMatchObject([
      call('1'),
      text('a'),
      call('2'),
      { type: 'tool-call', callId: 'new-1' },
      text('b'),
    ]);
  });

  test('a response that was cut off runs no added call', async () => {
    const { value } = await rewritten(response([text('a')], 'length'), () => ({
      toolCalls: [{ toolName: 'find', input: {} }],
    }));
    expect(value?.finishReason).toBe('length');
  });

  test('arguments that could not be read stay unreadable until a policy writes others', async () => {
    const bad = { ...call('1'), input: '{"a":', malformed: 'is cut off' };
    const kept = await rewritten(response([bad]), ({ toolCalls }) => ({ toolCalls, text: 'new' }));
    expect(kept.value?.toolCalls).toMatchObject([{ malformed: 'is cut off' }]);
    const fixed = await rewritten(response([bad]), () => ({
      toolCalls: [{ callId: '1', toolName: 'find', input: { a: 1 } }],
    }));
    expect(fixed.value?.toolCalls).toMatchObject([
      { callId: '1', providerCallId: 'p-1', toolName: 'find', input: { a: 1 } },
    ]);
    expect(fixed.value?.toolCalls[0]).not.toHaveProperty('malformed');
  });

  test.each([
    ['an id that no call of the response has', ['3']],
    ['the same id twice', ['1', '1']],
  ])('%s is a failure', async (_what, ids) => {
    const { verdict, minted } = await rewritten(two, () => ({
      toolCalls: ids.map((callId) => ({ callId, toolName: 'find', input: {} })),
    }));
    expect(verdict).toMatchObject({ type: 'failed', error: { kind: 'invalid-rewrite' } });
    expect(minted()).toBe(0);
  });

  test('the short form and the content always agree', async () => {
    const { value } = await rewritten(two, ({ toolCalls }) => ({
      text: 'new',
      toolCalls: [...toolCalls.toReversed(), { toolName: 'add', input: {} }],
    }));
    const message = { role: 'assistant', content: value?.content ?? [] } as const;
    expect(value?.text).toBe(textOf(message));
    expect(value?.toolCalls).toEqual(toolCallsOf(message));
    expect(value?.toolCalls.map(({ callId }) => callId)).toEqual(['2', '1', 'new-1']);
  });
});

describe('rewriting a response on a recheck', () => {
  test('a new call is a change, and uses up no id', async () => {
    let minted = 0;
    const mint = () => {
      minted += 1;
      return `new-${minted}`;
    };
    const add = defineHooks({
      name: 'adds',
      onLlmResponse: ({ toolCalls }) =>
        ResponseDecision.modify({ toolCalls: [...toolCalls, { toolName: 'add', input: {} }] }),
    });
    const shout = defineHooks({
      name: 'shouts',
      onLlmResponse: (one) => ResponseDecision.modify({ text: one.text.toUpperCase() }),
    });
    const verdict = await bench([add, shout]).gate.response(
      response([text('a')]),
      { newCallId: mint, moment: NOW },
      asIs,
    );
    expect(verdict).toMatchObject({
      type: 'failed',
      error: { kind: 'changed-on-recheck', policy: 'adds' },
    });
    expect(minted).toBe(1);
  });
});
