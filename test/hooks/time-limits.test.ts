import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { HookError } from '../../src/errors/hook-error.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, illegal, invocation, NOW, sleep } from './make-gate.ts';

const soon = { options: { preToolUse: { timeoutMs: 20 } } };
const unhandled: unknown[] = [];
const note = (cause: unknown): void => {
  unhandled.push(cause);
};

beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', note);
});

afterEach(() => {
  process.off('unhandledRejection', note);
});

describe('time limits', () => {
  test('B07: a guard that sleeps past its limit counts as closed', async () => {
    const { gate, failures } = bench([
      defineHooks({
        name: 'a',
        ...soon,
        preToolUse: () => new Promise<ToolDecision>(() => undefined),
      }),
    ]);
    const started = performance.now();
    const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(performance.now() - started).toBeLessThan(500);
    expect(verdict).toMatchObject({ type: 'failed', error: { kind: 'timed-out' } });
    expect(failures()).toMatchObject([{ kind: 'timed-out', open: false }]);
  });

  test('the failure says how long the limit was and what sets it', async () => {
    const hang = () => new Promise<ToolDecision>(() => undefined);
    const { gate } = bench([defineHooks({ name: 'a', ...soon, preToolUse: hang })]);
    const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    const { message } = (verdict as unknown as { error: HookError }).error;
    expect(message).toContain('within its time limit of 20 ms');
    expect(message).toContain('`options.preToolUse.timeoutMs`');
    expect(message).toContain('`withTimeout`');
  });

  test('an answer within the limit counts', async () => {
    const { gate } = bench([
      defineHooks({
        name: 'a',
        options: { preToolUse: { timeoutMs: 5_000 } },
        async preToolUse() {
          await sleep(5);
          return ToolDecision.block('no');
        },
      }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'block' },
      },
    );
    gate.close();
  });

  test('an open policy that hangs lets the others go on', async () => {
    const { gate, failures } = bench([
      defineHooks({
        name: 'a',
        options: { preToolUse: { timeoutMs: 20, failure: 'open' } },
        preToolUse: () => new Promise<undefined>(() => undefined),
      }),
      defineHooks({ name: 'b', preToolUse: () => ToolDecision.allow() }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'run' },
      },
    );
    expect(failures()).toMatchObject([{ policy: 'a', kind: 'timed-out', open: true }]);
  });

  test('the signal of the hook is aborted with the failure as its reason', async () => {
    let signal: AbortSignal | undefined;
    const { gate } = bench([
      defineHooks({
        name: 'a',
        ...soon,
        preToolUse(_invocation, ctx) {
          signal = ctx.signal;
          return new Promise<undefined>(() => undefined);
        },
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toBeInstanceOf(HookError);
  });

  test('the check of a rewrite has the limit of the policy that rewrote', async () => {
    const { gate } = bench([
      defineHooks({ name: 'a', ...soon, preToolUse: () => ToolDecision.modify({ id: 2 }) }),
    ]);
    const never = () => new Promise<never>(() => undefined);
    expect(await gate.toolUse(invocation(), { check: never, moment: NOW }, asIs)).toMatchObject({
      error: { kind: 'timed-out', policy: 'a' },
    });
  });
});

describe('late answers', () => {
  test('are dropped and recorded', async () => {
    const { gate, failures, decided } = bench([
      defineHooks({
        name: 'a',
        options: { preToolUse: { timeoutMs: 20, failure: 'open' } },
        async preToolUse() {
          await sleep(50);
          return ToolDecision.allow();
        },
      }),
    ]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'no-opinion' },
      },
    );
    await sleep(60);
    expect(decided()).toEqual([]);
    expect(failures()).toMatchObject([
      { kind: 'timed-out', open: true },
      { kind: 'timed-out', open: true, late: true },
    ]);
  });

  test('a late rejection is recorded and never unhandled', async () => {
    const { gate, failures } = bench([
      defineHooks({
        name: 'a',
        ...soon,
        async preToolUse() {
          await sleep(50);
          throw new SyntaxError('late');
        },
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    await sleep(80);
    expect(failures()).toMatchObject([
      { kind: 'timed-out' },
      { kind: 'threw', errorName: 'SyntaxError', late: true },
    ]);
    expect(unhandled).toEqual([]);
  });

  test('that come more than once are recorded once', async () => {
    let answer = (_value: unknown): void => undefined;
    // A native promise is not adopted, so its own `then` is called as it is.
    const chatty = Object.defineProperty(Promise.resolve(), 'then', {
      value: (ok: (value: unknown) => void) => {
        answer = ok;
      },
    });
    const { gate, failures } = bench([illegal({ name: 'a', ...soon, preToolUse: () => chatty })]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    answer(ToolDecision.allow());
    answer(ToolDecision.allow());
    expect(failures()).toMatchObject([{ kind: 'timed-out' }, { late: true }]);
    expect(failures()).toHaveLength(2);
  });

  test('a late write to memory changes nothing', async () => {
    const { gate, memory } = bench([
      defineHooks({
        name: 'a',
        ...soon,
        async preToolUse(_invocation, ctx) {
          await sleep(50);
          ctx.memory.set('approved', true);
        },
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    await sleep(80);
    expect(memory.size).toBe(0);
    expect(unhandled).toEqual([]);
  });

  test('come after the gate is closed without harm', async () => {
    const { gate, failures } = bench([
      defineHooks({
        name: 'a',
        ...soon,
        async preToolUse() {
          await sleep(50);
          throw new Error('late');
        },
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    gate.close();
    await sleep(80);
    expect(failures().at(-1)).toMatchObject({ late: true });
    expect(unhandled).toEqual([]);
  });
});
