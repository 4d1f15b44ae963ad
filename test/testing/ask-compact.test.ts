import { defineHooks, Policy, textOf } from 'agent-hooks';
import { ask, assertAnswer, assistant, history, user } from 'agent-hooks/testing';
import 'agent-hooks/testing/vitest';
import { describe, expect, test } from 'vitest';

const old = history(user('I am Ada.'), assistant('Hello Ada.'));
const policy = (answer: unknown) =>
  defineHooks({ name: 'gist', onContextCompact: () => answer as string });

describe('asking one policy for a summary', () => {
  test('its text is the answer, and what goes on from there', async () => {
    const answer = await ask(
      defineHooks({ name: 'gist', onContextCompact: (messages) => messages.map(textOf).join(' ') }),
    ).onContextCompact(old);
    expect(answer).toMatchObject({ type: 'decided', value: 'I am Ada. Hello Ada.' });
    expect(answer).toSummarize('I am Ada. Hello Ada.');
    expect(answer).toSummarize(/Ada/);
    expect(answer).not.toSummarize(/Bob/);
    assertAnswer(answer, 'summarize', /Ada/);
  });

  test('nothing is no opinion', async () => {
    expect(await ask(policy(undefined)).onContextCompact(old)).toAbstain();
  });

  test.each([
    ['no text', 7],
    ['an empty text', ' '],
    ['null', null],
    ['a text of more than 16,000 characters', 'x'.repeat(16_001)],
  ])('%s is a failure, and the point is open', async (_what, value) => {
    const answer = await ask(policy(value)).onContextCompact(old);
    expect(answer).toFail('illegal');
    expect(answer).toMatchObject({ failure: 'open' });
    expect(answer).not.toMatchObject({ type: 'decided' });
  });

  test('how long a summary may be can be set', async () => {
    const asker = ask(policy('x'.repeat(81)));
    expect(await asker.onContextCompact(old, { maxSummaryTokens: 10 })).toFail('illegal');
    expect(await asker.onContextCompact(old, { maxSummaryTokens: 11 })).toSummarize();
  });

  test('it is asked for the purpose of a compaction, with frozen messages', async () => {
    class Eye extends Policy {
      override onContextCompact(messages: readonly unknown[], ctx: { purpose: string }) {
        (messages as unknown[]).push(ctx.purpose);
        return 'never';
      }
    }
    expect(await ask(new Eye()).onContextCompact(old)).toFail('threw');
    const seen: string[] = [];
    const ear = defineHooks({
      name: 'ear',
      onContextCompact: (_messages, { purpose }) => void seen.push(purpose),
    });
    await ask(ear).onContextCompact(old);
    expect(seen).toEqual(['compaction']);
  });

  test('a text is no decision anywhere else', () => {
    expect(() => assertAnswer('a text', 'summarize')).toThrow('neither an answer');
  });
});
