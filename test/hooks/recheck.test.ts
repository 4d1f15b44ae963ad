import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { acceptAll, asIs, bench, invocation, NOW } from './make-gate.ts';

const raise = defineHooks({
  name: 'raise',
  preToolUse: () => ToolDecision.modify({ amount: 900 }),
});

/** Judges by amount; `limit` blocks, asks or allows. */
const limit = (name: string, over: ToolDecision, under?: ToolDecision) =>
  defineHooks({
    name,
    preToolUse: ({ effectiveInput }) => (Number(effectiveInput['amount']) > 100 ? over : under),
  });

const judge = async (...hooks: Parameters<typeof bench>[0]) => {
  const run = bench(hooks);
  return {
    ...run,
    verdict: await run.gate.toolUse(
      invocation({ amount: 10 }),
      { check: acceptAll, moment: NOW },
      asIs,
    ),
  };
};

describe('C1 — a rewrite bypasses no verdict', () => {
  test('who was asked before the rewrite is asked again and can still block', async () => {
    const { verdict, decided } = await judge(limit('cap', ToolDecision.block('too much')), raise);
    expect(verdict).toMatchObject({ verdict: { type: 'block', policy: 'cap' } });
    expect(decided()).toEqual(['raise modify', 'cap block again']);
  });

  test('an allow given before the rewrite does not count unless it is repeated', async () => {
    const { verdict } = await judge(
      limit('cap', ToolDecision.abstain(), ToolDecision.allow()),
      raise,
    );
    expect(verdict).toMatchObject({ verdict: { type: 'no-opinion' } });
    const silent = defineHooks({
      name: 'once',
      preToolUse: (_invocation, { recheck }) => (recheck ? undefined : ToolDecision.allow()),
    });
    expect((await judge(silent, raise)).verdict).toMatchObject({ verdict: { type: 'no-opinion' } });
  });

  test('an allow that is repeated counts', async () => {
    const { verdict } = await judge(
      limit('cap', ToolDecision.allow(), ToolDecision.allow()),
      raise,
    );
    expect(verdict).toMatchObject({
      verdict: { type: 'run' },
      invocation: { effectiveInput: { amount: 900 } },
    });
  });

  test('an allow given first on the recheck counts', async () => {
    const { verdict } = await judge(limit('cap', ToolDecision.allow()), raise);
    expect(verdict).toMatchObject({ verdict: { type: 'run' } });
  });

  test.each([
    ['confirm', ToolDecision.requiresConfirmation('sure?')],
    ['retry-with-feedback', ToolDecision.retryWithFeedback('again')],
    ['block', ToolDecision.block('no')],
  ])('a %s before the rewrite counts even if the recheck is milder', async (type, strict) => {
    const { verdict } = await judge(limit('cap', ToolDecision.allow(), strict), raise);
    expect(verdict).toMatchObject({ verdict: { type } });
  });

  test('the prompt is that of the final value', async () => {
    const asks = defineHooks({
      name: 'asks',
      preToolUse: ({ effectiveInput }) =>
        ToolDecision.requiresConfirmation(`pay ${effectiveInput['amount']}?`),
    });
    const { verdict } = await judge(asks, raise);
    expect(verdict).toMatchObject({
      verdict: { requirements: [{ decision: { prompt: 'pay 900?' } }] },
    });
  });

  test('who was asked after the last rewrite is asked once', async () => {
    const seen: JsonObject[] = [];
    const after = defineHooks({
      name: 'after',
      preToolUse: ({ effectiveInput }) => void seen.push(effectiveInput),
    });
    await judge(raise, after);
    expect(seen).toEqual([{ amount: 900 }]);
  });

  test('a policy between two rewrites sees the last one too', async () => {
    const seen: unknown[] = [];
    const between = defineHooks({
      name: 'between',
      preToolUse: ({ effectiveInput }, { recheck }) =>
        void seen.push([effectiveInput['amount'], recheck]),
    });
    const add = (name: string, amount: number) =>
      defineHooks({
        name,
        preToolUse: (_invocation, { recheck }) =>
          recheck ? undefined : ToolDecision.modify({ amount }),
      });
    await judge(add('a', 1), between, add('b', 2));
    expect(seen).toEqual([
      [1, false],
      [2, true],
    ]);
  });

  test('another change on the recheck is a failure', async () => {
    const other = (name: string, amount: number) =>
      defineHooks({ name, preToolUse: () => ToolDecision.modify({ amount }) });
    const { verdict, failures } = await judge(other('a', 1), other('b', 2));
    expect(verdict).toMatchObject({
      type: 'failed',
      error: { policy: 'a', kind: 'changed-on-recheck' },
    });
    expect(failures()).toMatchObject([{ policy: 'a', kind: 'changed-on-recheck', open: false }]);
  });

  test('the same change on the recheck is none', async () => {
    const trim = (name: string) =>
      defineHooks({ name, onUserMessage: ({ text }) => MessageDecision.modify(text.trim()) });
    const { gate, decided } = bench([
      trim('a'),
      defineHooks({
        name: 'b',
        onUserMessage: ({ text }) => MessageDecision.modify(text.toLowerCase()),
      }),
    ]);
    const verdict = await gate.userMessage({ text: ' Hi ', attachments: [] }, NOW);
    expect(verdict).toMatchObject({ type: 'pass', value: { text: 'hi' } });
    expect(decided()).toEqual(['a modify', 'b modify', 'a modify again']);
  });

  test('a rewrite that changes nothing asks nobody again', async () => {
    const { decided, verdict } = await judge(
      limit('cap', ToolDecision.block('no'), ToolDecision.allow()),
      defineHooks({ name: 'same', preToolUse: () => ToolDecision.modify({ amount: 10 }) }),
    );
    expect(decided()).toEqual(['cap allow', 'same modify']);
    expect(verdict).toMatchObject({ verdict: { type: 'run' } });
  });

  test('a block at another point ends the recheck', async () => {
    const { gate } = bench([
      defineHooks({
        name: 'words',
        onOutgoingMessage: ({ text }) =>
          text.includes('secret') ? MessageDecision.block('leak') : undefined,
      }),
      defineHooks({
        name: 'expand',
        onOutgoingMessage: () => MessageDecision.modify('the secret'),
      }),
    ]);
    expect(await gate.outgoing({ text: 'x', isFinal: true }, NOW)).toMatchObject({
      type: 'block',
      policy: 'words',
    });
  });

  test('the recheck works the same with asynchronous policies', async () => {
    const { verdict } = await judge(
      defineHooks({
        name: 'cap',
        preToolUse: async ({ effectiveInput }) =>
          Number(effectiveInput['amount']) > 100
            ? ToolDecision.block('too much')
            : ToolDecision.allow(),
      }),
      defineHooks({ name: 'raise', preToolUse: async () => ToolDecision.modify({ amount: 900 }) }),
    );
    expect(verdict).toMatchObject({ verdict: { type: 'block', policy: 'cap' } });
  });
});
