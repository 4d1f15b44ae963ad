import { describe, expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW, request, sleep } from './make-gate.ts';

const never = () => new Promise<undefined>(() => undefined);

describe('C4 — cancelling the turn', () => {
  test('interrupts a hook that hangs, at once', async () => {
    let signal: AbortSignal | undefined;
    const { gate, cancel } = bench([
      defineHooks({
        name: 'a',
        preLlmRequest(_request, ctx) {
          signal = ctx.signal;
          return never();
        },
      }),
    ]);
    const verdict = gate.request(request(), NOW, asIs);
    const started = performance.now();
    cancel.cancel('user left');
    expect(await verdict).toEqual({ type: 'cancelled' });
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(signal?.reason).toBe('user left');
    gate.close();
  });

  test('drops the answer that comes afterwards, and asks nobody else', async () => {
    const asked: string[] = [];
    const { gate, cancel, decided, failures } = bench([
      defineHooks({
        name: 'a',
        async preToolUse() {
          await sleep(20);
          return ToolDecision.allow();
        },
      }),
      defineHooks({ name: 'b', preToolUse: () => void asked.push('b') }),
    ]);
    const verdict = gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    cancel.cancel();
    expect(await verdict).toEqual({ type: 'cancelled' });
    await sleep(40);
    expect({ asked, decided: decided() }).toEqual({ asked: [], decided: [] });
    expect(failures()).toMatchObject([{ policy: 'a', late: true, open: false }]);
    gate.close();
  });

  test('counts when it comes with the answer', async () => {
    const run = bench([
      defineHooks({
        name: 'a',
        preToolUse() {
          run.cancel.cancel();
          return ToolDecision.allow();
        },
      }),
      defineHooks({
        name: 'b',
        async onTurnStart() {
          await sleep(1);
        },
      }),
    ]);
    expect(await run.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toEqual({
      type: 'cancelled',
    });
    expect(await run.gate.turnStart({ turnId: 't', isFirst: true }, NOW)).toEqual({
      type: 'cancelled',
    });
    expect(run.decided()).toEqual([]);
  });

  test('interrupts the check of a rewrite', async () => {
    const { gate, cancel } = bench([
      defineHooks({ name: 'a', preToolUse: () => ToolDecision.modify({ id: 2 }) }),
    ]);
    const verdict = gate.toolUse(
      invocation(),
      { check: never as () => Promise<never>, moment: NOW },
      asIs,
    );
    cancel.cancel();
    expect(await verdict).toEqual({ type: 'cancelled' });
    gate.close();
  });

  test('aborts the signal of work that a hook left behind', async () => {
    let signal: AbortSignal | undefined;
    const { gate, cancel } = bench([
      defineHooks({
        name: 'a',
        preToolUse(_invocation, ctx) {
          signal = ctx.signal;
        },
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(signal?.aborted).toBe(false);
    cancel.cancel('gone');
    expect(signal?.reason).toBe('gone');
  });

  test('closing the gate interrupts what still runs', async () => {
    let signal: AbortSignal | undefined;
    const { gate } = bench([
      defineHooks({
        name: 'a',
        preToolUse(_invocation, ctx) {
          signal = ctx.signal;
          return never();
        },
      }),
    ]);
    const verdict = gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    gate.close();
    expect(await verdict).toEqual({ type: 'cancelled' });
    expect(signal?.aborted).toBe(true);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toEqual({
      type: 'cancelled',
    });
  });
});
