import { describe, expect, test } from 'vitest';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { ChatRequest } from '../../src/protocol/chat.ts';
import { asIs, bench, illegal, NOW, request } from './make-gate.ts';

/** What becomes of a request when a policy puts the result of `rewrite` in its place. */
const rewritten = async (rewrite: (one: ChatRequest) => unknown, given = request()) => {
  const run = bench([
    defineHooks({
      name: 'a',
      preLlmRequest: (one) => RequestDecision.modify(illegal(rewrite(one))),
    }),
  ]);
  return { given, ...run, verdict: await run.gate.request(given, NOW, asIs) };
};

const note = { role: 'system', content: 'Be brief.' } as const;

describe('rewriting a request', () => {
  test('messages may be added, left out and put in another order', async () => {
    const { verdict, given } = await rewritten(({ messages }) => ({
      messages: [messages[1], note],
    }));
    expect(verdict).toEqual({
      type: 'pass',
      modified: true,
      value: { messages: [given.messages[1], note], settings: {}, tools: given.tools },
    });
    // Those that were there are not copied.
    expect(verdict).toHaveProperty(['value', 'messages', 0], given.messages[1]);
    expect(verdict.type === 'pass' && verdict.value.messages[0] === given.messages[1]).toBe(true);
  });

  test('what is sent is a copy of what the policy gave', async () => {
    const mine = { role: 'system', content: 'Be brief.' };
    const { verdict } = await rewritten(({ messages }) => ({ messages: [...messages, mine] }));
    mine.content = 'Be evil.';
    expect(verdict).toHaveProperty(['value', 'messages', 2, 'content'], 'Be brief.');
  });

  test('settings are replaced, and kept when left out', async () => {
    const { verdict } = await rewritten((one) => ({
      ...one,
      settings: { temperature: 0, stop: ['x'] },
    }));
    expect(verdict).toMatchObject({ value: { settings: { temperature: 0, stop: ['x'] } } });
    const kept = await rewritten(
      ({ messages }) => ({ messages: [...messages, note] }),
      request({ settings: { seed: 7 } }),
    );
    expect(kept.verdict).toMatchObject({ value: { settings: { seed: 7 } } });
  });

  test('a whole request given back is no change', async () => {
    const { verdict, given } = await rewritten((one) => ({
      ...one,
      tools: structuredClone(one.tools),
    }));
    expect(verdict).toEqual({ type: 'pass', value: given, modified: false });
  });

  test('lone surrogates do not get through', async () => {
    const { verdict } = await rewritten(({ messages }) => ({
      messages: [...messages, { role: 'user', content: [{ type: 'text', text: 'a\ud800' }] }],
    }));
    expect(verdict).toHaveProperty(['value', 'messages', 2, 'content', 0, 'text'], 'a\ufffd');
  });

  test.each<[string, (one: ChatRequest) => unknown]>([
    ['another list of tools', (one) => ({ ...one, tools: [] })],
    ['no messages', () => ({ messages: [] })],
    ['a field a request does not have', (one) => ({ ...one, model: 'other' })],
    ['a message of no role', ({ messages }) => ({ messages: [...messages, { content: 'x' }] })],
    [
      'a message with a field too many',
      ({ messages }) => ({ messages: [...messages, { ...note, x: 1 }] }),
    ],
    ['a message that is a text', ({ messages }) => ({ messages: [...messages, 'hi'] })],
    ['a hole in the list', ({ messages }) => ({ messages: [...messages, undefined] })],
    ['an unknown setting', (one) => ({ ...one, settings: { apiKey: 'sk' } })],
    ['a setting that is no number', (one) => ({ ...one, settings: { temperature: 'hot' } })],
    [
      'a getter that throws',
      ({ messages }) =>
        Object.defineProperty({ messages }, 'settings', {
          enumerable: true,
          get() {
            throw new Error('no');
          },
        }),
    ],
  ])('%s is a failure, and the request is not sent', async (_what, rewrite) => {
    const { verdict, failures, decided } = await rewritten(rewrite);
    expect(verdict).toMatchObject({
      type: 'failed',
      error: { kind: 'invalid-rewrite', policy: 'a' },
    });
    expect(failures()).toMatchObject([{ kind: 'invalid-rewrite', open: false }]);
    expect(decided()).toEqual([]);
  });

  test('the failure names the field and quotes nothing', async () => {
    const { verdict } = await rewritten(({ messages }) => ({
      messages: [...messages, { role: 'user', content: 'my secret' }],
    }));
    expect(verdict).toHaveProperty('error.message', expect.stringContaining('messages.2.content'));
    expect(JSON.stringify(verdict)).not.toContain('my secret');
  });
});
