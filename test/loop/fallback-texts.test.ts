import {
  type AgentHooks,
  type AgentOptions,
  defineHooks,
  type FallbackCause,
  MessageDecision,
  memoryStore,
  RequestDecision,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  TurnDecision,
} from 'agent-hooks';
import { describe, expect, test, vi } from 'vitest';
import { ofType } from '../acceptance/evidence.ts';
import { counted, MODES, play } from '../acceptance/play.ts';

const TEXTS: { readonly [cause in FallbackCause]: string } = {
  'user-message': 'TEXT-user-message',
  request: 'TEXT-request',
  response: 'TEXT-response',
  outgoing: 'TEXT-outgoing',
  'hook-failure': 'TEXT-hook-failure',
  error: 'TEXT-error',
  limit: 'TEXT-limit',
};

const boom = (): never => {
  throw new Error('SECRET-REASON');
};
const policy = (hooks: Partial<AgentHooks>): AgentHooks => defineHooks({ name: 'p', ...hooks });
const retry = policy({ onLlmResponse: () => ResponseDecision.retryWithFeedback('SECRET-REASON') });
const look: ScriptEntry = { toolCalls: [{ name: 'look' }] };

interface Case {
  readonly row: string;
  readonly when: string;
  readonly cause: FallbackCause;
  readonly hooks?: AgentHooks;
  readonly script?: readonly ScriptEntry[];
  readonly more?: Partial<AgentOptions>;
}

const CASES: readonly Case[] = [
  {
    row: '65',
    when: 'a user message is blocked',
    cause: 'user-message',
    hooks: policy({ onUserMessage: () => MessageDecision.block('SECRET-REASON') }),
  },
  {
    row: '65',
    when: 'a turn is blocked',
    cause: 'user-message',
    hooks: policy({ onTurnStart: () => TurnDecision.block('SECRET-REASON') }),
  },
  {
    row: '66',
    when: 'a policy fails over a user message',
    cause: 'hook-failure',
    hooks: policy({ onUserMessage: boom }),
  },
  {
    row: '66',
    when: 'a policy fails over a turn',
    cause: 'hook-failure',
    hooks: policy({ onTurnStart: boom }),
  },
  {
    row: '77',
    when: 'a request is blocked',
    cause: 'request',
    hooks: policy({ preLlmRequest: () => RequestDecision.block('SECRET-REASON') }),
  },
  {
    row: '79',
    when: 'a policy fails over a request',
    cause: 'hook-failure',
    hooks: policy({ preLlmRequest: boom }),
  },
  {
    row: 'X8',
    when: 'a response is blocked',
    cause: 'response',
    hooks: policy({ onLlmResponse: () => ResponseDecision.block('SECRET-REASON') }),
  },
  {
    row: 'X21',
    when: 'a policy fails over a response',
    cause: 'hook-failure',
    hooks: policy({ onLlmResponse: boom }),
  },
  {
    row: 'X8',
    when: 'the provider refuses',
    cause: 'response',
    script: [{ text: 'no', finishReason: 'content-filter' }],
  },
  {
    row: '108',
    when: 'a policy fails over a call',
    cause: 'hook-failure',
    hooks: policy({ preToolUse: boom }),
    script: [look],
  },
  {
    row: '128',
    when: 'a text for the user is blocked',
    cause: 'outgoing',
    hooks: policy({ onOutgoingMessage: () => MessageDecision.block('SECRET-REASON') }),
  },
  {
    row: '128',
    when: 'a policy fails, closed, over a text for the user',
    cause: 'outgoing',
    hooks: {
      ...policy({ onOutgoingMessage: boom }),
      options: { onOutgoingMessage: { failure: 'closed' } },
    },
  },
  { row: '56', when: 'the model fails', cause: 'error', script: [new Error('SECRET-REASON')] },
  {
    row: 'X10',
    when: 'too many responses are rejected',
    cause: 'error',
    hooks: retry,
    more: { maxResponseRetries: 2 },
  },
  {
    row: 'X22',
    when: 'no call of the model can be made',
    cause: 'error',
    script: Array.from({ length: 9 }, () => ({ toolCalls: [{ name: 'nothing' }] })),
  },
  {
    row: '94',
    when: 'a limit is reached',
    cause: 'limit',
    script: [look, look],
    more: { limits: { steps: 1 } },
  },
  {
    row: '94',
    when: 'a limit of the thread is reached',
    cause: 'limit',
    more: { limits: { thread: { tokens: 1 } } },
    script: [look, look],
  },
];

function scene({ hooks, script, more }: Case, others: readonly AgentHooks[] = []) {
  const model = scriptedModel(script ?? ['an answer', 'an answer', 'an answer']);
  return {
    model,
    store: memoryStore(),
    tools: [counted('look', { sideEffects: 'none' }).tool],
    hooks: [...(hooks === undefined ? [] : [hooks]), ...others],
    fallbacks: TEXTS,
    ...(more as Omit<AgentOptions, 'name' | 'model'> | undefined), // no case has another model
  };
}

describe.each(MODES)('the text that is shown in the place of what was withheld (%s)', (mode) => {
  test.each(CASES)('$row: when $when, that of $cause, once and for the user only', async (one) => {
    const outgoing = vi.fn();
    const watch = defineHooks({ name: 'watch', onOutgoingMessage: outgoing });
    const set = scene(one, one.cause === 'outgoing' ? [] : [watch]);
    const { result, heard, streamed, store, agent } = await play(mode, set);
    const text = TEXTS[one.cause];
    expect(result).toMatchObject({ text });
    for (const events of [heard, streamed]) {
      const shown = ofType(events, 'message.outgoing').filter(
        ({ fallback }) => fallback !== undefined,
      );
      expect(shown).toMatchObject([{ text, fallback: one.cause, isFinal: true }]);
    }
    // 131: no policy judges it.
    for (const [message] of outgoing.mock.calls) expect(message.text).not.toContain('TEXT-');
    expect(JSON.stringify(await store.readMessages('t'))).not.toContain('TEXT-');
    expect(JSON.stringify(result.messages)).not.toContain('TEXT-');
    const shownText = ofType(streamed, 'message.outgoing')
      .map((event) => event.text)
      .join();
    expect(shownText).not.toContain('SECRET-REASON');
    await agent.run({ threadId: 't', message: 'and now?' });
    expect(JSON.stringify(set.model.requests)).not.toContain('TEXT-');
  });

  test('131: where every text is refused there is exactly one, and no loop', async () => {
    const refuse = vi.fn(() => MessageDecision.block('no'));
    const set = scene({
      row: '131',
      when: '',
      cause: 'outgoing',
      hooks: policy({ onOutgoingMessage: refuse }),
    });
    const { heard } = await play(mode, set);
    expect(refuse).toHaveBeenCalledOnce();
    const shown = ofType(heard, 'message.outgoing').filter(({ discarded }) => discarded !== true);
    expect(shown).toMatchObject([{ text: TEXTS.outgoing, fallback: 'outgoing' }]);
  });

  test('131: a text refused beside calls has its own, and the turn goes on', async () => {
    const hooks = policy({
      onOutgoingMessage: ({ text }) =>
        text === 'One moment.' ? MessageDecision.block('no') : undefined,
    });
    const script = [{ text: 'One moment.', toolCalls: [{ name: 'look' }] }, 'Done.'];
    const set = scene({ row: '131', when: '', cause: 'outgoing', hooks, script });
    const { result, heard, store } = await play(mode, set);
    expect(result).toMatchObject({ status: 'completed', text: 'Done.' });
    const shown = ofType(heard, 'message.outgoing').filter(({ discarded }) => discarded !== true);
    expect(shown.map(({ text, isFinal }) => [text, isFinal])).toEqual([
      [TEXTS.outgoing, false],
      ['Done.', true],
    ]);
    expect(JSON.stringify(await store.readMessages('t'))).not.toContain('TEXT-');
    expect(JSON.stringify(set.model.requests)).not.toContain('TEXT-');
  });

  test.each(CASES)('79: when $when, an empty text shows nothing', async (one) => {
    const set = { ...scene(one), fallbacks: { ...TEXTS, [one.cause]: '' } };
    const { result, heard } = await play(mode, set);
    expect(result).toMatchObject({ text: '' });
    expect(
      ofType(heard, 'message.outgoing').filter(({ fallback }) => fallback !== undefined),
    ).toEqual([]);
  });

  test.each(CASES)(
    '79: when $when, there is a text by default, without the reason',
    async (one) => {
      const { fallbacks: _fallbacks, ...set } = scene(one);
      const { result } = await play(mode, set);
      expect(result).toMatchObject({ text: expect.stringMatching(/^Sorry, /) });
      expect(result).not.toMatchObject({ text: expect.stringContaining('SECRET-REASON') });
    },
  );
});
