import { describe, expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { ToolInvocation } from '../../src/protocol/tool.ts';
import { illegal, invocation } from './make-gate.ts';
import { around, DONE, idempotent, NOT_RUN, RAN, wraps } from './wrapped-tool.ts';

describe('wrapToolUse — another input', () => {
  const sends = (input: unknown, more: object = {}) =>
    wraps('sends', (call, next) => next(illegal({ ...call, effectiveInput: input, ...more })));
  const judges = (answer: NonNullable<AgentHooks['preToolUse']>): AgentHooks => ({
    name: 'gate',
    preToolUse: answer,
  });

  test('U-Y6: what an outer one passes down is what the inner one and the tool get', async () => {
    const seen: unknown[] = [];
    const reads = wraps('reads', async (call, next) => {
      seen.push(call.effectiveInput, call.requestedInput);
      return next(call);
    });
    const run = around([sends({ id: 2 }), reads]);
    const { ran } = await run.wrapped;
    expect(seen).toEqual([{ id: 2 }, { id: 1 }]);
    expect(run.inputs).toEqual([{ id: 2 }]);
    expect(Object.isFrozen(run.inputs[0])).toBe(true);
    expect(ran).toMatchObject({ effectiveInput: { id: 2 }, callId: '1.1.0' });
    expect(run.decided()).toEqual(['sends modify']);
  });

  test('U-AA3: it is checked again, and what does not fit does not run', async () => {
    const run = around([sends({ party: 99 })], invocation(), {
      check: async () => ({ problem: 'party: too many' }),
    });
    expect((await run.wrapped).result).toEqual(NOT_RUN);
    expect(run.inputs).toEqual([]);
    expect(run.failures()).toMatchObject([{ policy: 'sends', kind: 'invalid-rewrite' }]);
  });

  test('a schema that throws lets nothing run', async () => {
    const run = around([sends({ id: 2 })], invocation(), {
      check: () => {
        throw new Error('boom');
      },
    });
    expect((await run.wrapped).result).toEqual(NOT_RUN);
    expect(run.inputs).toEqual([]);
  });

  test('what the check makes of it is what is judged and what runs', async () => {
    const asked: unknown[] = [];
    const gate = judges(
      ({ effectiveInput }, { recheck }) => void asked.push(effectiveInput, recheck),
    );
    const run = around([gate, sends({ id: 2, x: 1 })], invocation(), {
      check: () => ({ input: { id: 2 } }),
    });
    await run.wrapped;
    expect(asked).toEqual([{ id: 2 }, true]);
    expect(run.inputs).toEqual([{ id: 2 }]);
  });

  test('whenever a policy answers while its other input is judged, a call that ran is told of as such', async () => {
    for (let ticks = 0; ticks < 30; ticks += 1) {
      const hasty = wraps('hasty', async (call, next) => {
        void next({ ...call, effectiveInput: { id: 2 } });
        for (let tick = 0; tick < ticks; tick += 1) await undefined;
        return { outcome: 'not-executed', isError: true, output: 'not now' };
      });
      const run = around([judges(async () => undefined), hasty]);
      const { result, ran } = await run.wrapped;
      await new Promise(setImmediate);
      expect([ticks, ran !== undefined, result.outcome]).toEqual([
        ticks,
        run.inputs.length > 0,
        run.inputs.length > 0 ? 'succeeded' : 'not-executed',
      ]);
    }
  });

  test('an equal input is neither checked nor judged again', async () => {
    const gate = judges(() => ToolDecision.block('asked'));
    const run = around([gate, sends({ id: 1 })], invocation(), {
      check: () => ({ problem: 'asked' }),
    });
    expect((await run.wrapped).result).toBe(DONE);
  });

  const refusing: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['a Block', () => ToolDecision.block('too much'), /too much/],
    ['a Block that comes later', async () => ToolDecision.block('too much'), /too much/],
    ['a retry', () => ToolDecision.retryWithFeedback('secret'), /another answer/],
    ['a wish for an approval', () => ToolDecision.requiresConfirmation('Sure?'), /approved/],
    [
      'a failure',
      () => {
        throw new Error('secret');
      },
      /failed while/,
    ],
    ['a further change', () => ToolDecision.modify({ id: 3 }), /failed while/],
  ];
  test.each(refusing)(
    '%s keeps it from running, whatever the policy makes of it',
    async (_what, answer, reason) => {
      let told: unknown;
      const insists = wraps('insists', async (call, next) => {
        try {
          return await next({ ...call, effectiveInput: { id: 2 } });
        } catch (error) {
          told = error;
          return next(call);
        }
      });
      const run = around([insists, judges(() => illegal(answer()))], idempotent);
      const { result } = await run.wrapped;
      expect(result).toMatchObject({ outcome: 'blocked', isError: true });
      expect(result.output).toMatch(reason);
      expect(JSON.stringify(result)).not.toContain('secret');
      await new Promise(setImmediate);
      expect(run.inputs).toEqual([]);
      expect(told).toMatchObject({ code: 'hook-failed', policy: 'insists', kind: 'illegal' });
      expect(String(told)).toMatch(/the changed input was refused.* at preToolUse for who/s);
    },
  );

  test('an Allow lets it run, and no opinion only where the tier does', async () => {
    const confirm: ToolInvocation = { ...invocation(), tier: 'confirm' };
    const allows = judges(() => ToolDecision.allow());
    expect((await around([allows, sends({ id: 2 })], confirm).wrapped).result).toBe(DONE);
    const silent = around([sends({ id: 2 })], confirm);
    expect((await silent.wrapped).result).toMatchObject({ outcome: 'blocked' });
    expect(silent.inputs).toEqual([]);
  });

  test('a refusal after the tool ran is no "did not run"', async () => {
    const again = wraps('again', async (call, next) => {
      await next(call);
      return next({ ...call, effectiveInput: { id: 2 } });
    });
    const run = around([again, judges(() => ToolDecision.block('no'))], idempotent);
    expect((await run.wrapped).result).toMatchObject({ outcome: 'succeeded', ...RAN });
    expect(run.inputs).toEqual([{ id: 1 }]);
  });

  test.each([
    ['another name', sends({ id: 1 }, { toolName: 'drop' })],
    ['another id', sends({ id: 2 }, { callId: '9.9.9' })],
    ['another tier', sends({ id: 2 }, { tier: 'confirm' })],
    ['other side effects', sends({ id: 2 }, { sideEffects: 'none' })],
    ['something more', sends({ id: 1 }, { note: 1 })],
    ['an input that is a list', sends([1])],
    ['an input that is a text', sends('id')],
    ['an input that is null', sends(null)],
    ['no input', sends(undefined)],
    ['an input that is no JSON', sends({ id: () => 1 })],
    ['nothing', wraps('sends', (_call, next) => next(illegal(undefined)))],
  ])('%s is a failure of the policy', async (_what, policy) => {
    const run = around([policy]);
    expect((await run.wrapped).result).toEqual(NOT_RUN);
    expect(run.inputs).toEqual([]);
    expect(run.failures()).toMatchObject([{ policy: 'sends', kind: 'invalid-rewrite' }]);
  });
});
