import { describe, expect, test } from 'vitest';
import { ToolDecision } from '../../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import { compileHooks } from '../../../src/hooks/compile.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { failOpen } from '../../../src/hooks/fail-open.ts';
import { parallel } from '../../../src/hooks/parallel.ts';
import { defineHooks } from '../../../src/hooks/policy.ts';
import { withTimeout } from '../../../src/hooks/with-timeout.ts';
import { acceptAll, asIs, bench, illegal, invocation, NOW, sleep } from '../make-gate.ts';

const hook = (): undefined => undefined;
const many = (name: string): AgentHooks => ({
  name,
  options: {
    preToolUse: { failure: 'closed', timeoutMs: 7, mustDecide: true },
    postToolUse: { failure: 'closed' },
  },
  onTurnStart: hook,
  onLlmResponse: hook,
  preToolUse: hook,
  postToolUse: hook,
  onEvent: hook,
});
const settingsOf = (policy: AgentHooks) =>
  Object.values(compileHooks([policy], 'voice').entries).flatMap((entries) =>
    entries.map(({ failure, timeoutMs, mustDecide }) => ({ failure, timeoutMs, mustDecide })),
  );

describe('failOpen', () => {
  test('opens every point, whatever the policy says, and nothing else changes', () => {
    const before = settingsOf(many('a'));
    expect(before.filter(({ failure }) => failure === 'closed')).toHaveLength(4);
    expect(settingsOf(failOpen(many('a')))).toEqual(
      before.map((settings) => ({ ...settings, failure: 'open' })),
    );
    expect(failOpen(many('a')).options).toMatchObject({
      onTurnStart: { failure: 'open' },
      preToolUse: { failure: 'open', timeoutMs: 7, mustDecide: true },
    });
  });

  test('lets a failure through and records it, for every policy of a group', async () => {
    const broken = (name: string) =>
      defineHooks({
        name,
        preToolUse: () => {
          throw new TypeError('no');
        },
      });
    const { gate, failures } = bench([
      failOpen(compose(broken('a'), broken('b'))),
      failOpen(parallel(broken('c'), broken('d'))),
      defineHooks({ name: 'e', preToolUse: () => ToolDecision.allow() }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'run' },
      },
    );
    expect(failures().map(({ policy, open }) => [policy, open])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', true],
    ]);
  });

  test('opens nothing beside it', async () => {
    const broken = defineHooks({
      name: 'broken',
      preToolUse: () => {
        throw new TypeError('no');
      },
    });
    const { gate } = bench([compose(failOpen(many('a')), broken)]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        type: 'failed',
        error: { policy: 'broken' },
      },
    );
  });
});

describe('withTimeout', () => {
  test('sets the limit at every point, whatever the policy says, and nothing else changes', () => {
    expect(settingsOf(withTimeout(many('a'), 1234))).toEqual(
      settingsOf(many('a')).map((settings) => ({ ...settings, timeoutMs: 1234 })),
    );
    expect(withTimeout(many('a'), 1234).options?.preToolUse).toEqual({
      failure: 'closed',
      timeoutMs: 1234,
      mustDecide: true,
    });
  });

  test('the outermost counts', () => {
    expect(settingsOf(withTimeout(compose(withTimeout(many('a'), 10)), 20))[0]?.timeoutMs).toBe(20);
  });

  test('each policy of a group has it for itself', async () => {
    const slow = (name: string) =>
      defineHooks({
        name,
        async preToolUse() {
          await sleep(100);
          return ToolDecision.allow();
        },
      });
    const run = bench([withTimeout(compose(slow('a'), slow('b'), slow('c')), 250)]);
    expect(
      await run.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({ type: 'judged' });
    const short = bench([withTimeout(slow('a'), 5)]);
    expect(
      await short.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({
      type: 'failed',
      error: { kind: 'timed-out' },
    });
  });

  test.each([0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, '5', 2 ** 31, undefined])(
    'M-18: %s is refused',
    (ms) => {
      expect(() => withTimeout(many('a'), illegal(ms))).toThrow(
        expect.objectContaining({ code: 'invalid-option' }),
      );
    },
  );

  test.each([1, 2 ** 31 - 1])('%s is a limit', (ms) => {
    expect(settingsOf(withTimeout(many('a'), ms))[0]?.timeoutMs).toBe(ms);
  });
});
