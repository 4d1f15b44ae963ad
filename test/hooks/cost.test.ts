import { afterEach, describe, expect, test, vi } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW, request, sleep } from './make-gate.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

describe('what asking costs', () => {
  test('a synchronous answer makes no promise, timer or signal', () => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    const controller = vi.spyOn(globalThis, 'AbortController');
    const { gate } = bench([
      defineHooks({ name: 'a', preToolUse: () => ToolDecision.allow() }),
      defineHooks({ name: 'b', preToolUse: () => ToolDecision.modify({ id: 2 }) }),
    ]);
    const verdict = gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(verdict).toMatchObject({ type: 'judged' });
    expect(verdict).not.toBeInstanceOf(Promise);
    expect(timer).not.toHaveBeenCalled();
    expect(controller).not.toHaveBeenCalled();
  });

  test('a point nobody implements asks nobody and reads no clock', () => {
    const now = vi.fn(() => 0);
    const { gate, recorded } = bench([defineHooks({ name: 'a', preToolUse: () => undefined })], {
      now,
    });
    const one = request();
    expect(gate.has('preLlmRequest')).toBe(false);
    expect(gate.request(one, NOW, asIs)).toEqual({ type: 'pass', value: one, modified: false });
    gate.observe({ type: 'step.started', threadId: 't', turnId: 'u', step: 1, at: 0, seq: 1 });
    expect(now).not.toHaveBeenCalled();
    expect(recorded).toEqual([]);
  });

  test('a signal is made when it is first read, and only once', async () => {
    const controller = vi.spyOn(globalThis, 'AbortController');
    const seen: AbortSignal[] = [];
    const { gate } = bench([
      defineHooks({
        name: 'a',
        onTurnStart: (_turn, ctx) => void seen.push(ctx.signal, ctx.signal),
      }),
    ]);
    await gate.turnStart({ turnId: 't', isFirst: true }, NOW);
    expect(controller).toHaveBeenCalledTimes(1);
    expect(seen[0]).toBe(seen[1]);
  });

  test('asynchronous answers of one run share one timer', async () => {
    const slow = (name: string) =>
      defineHooks({
        name,
        async preToolUse() {
          await Promise.resolve();
          return ToolDecision.allow();
        },
      });
    const { gate } = bench([slow('a'), slow('b'), slow('c')]);
    const timer = vi.spyOn(globalThis, 'setTimeout');
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(timer).toHaveBeenCalledTimes(1);
    gate.close();
  });

  test('a closed gate leaves nothing on the event loop', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const { gate } = bench([
      defineHooks({
        name: 'a',
        async preToolUse() {
          await sleep(1);
        },
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(timers()).toBe(before + 1);
    gate.close();
    expect(timers()).toBe(before);
  });

  test('only policies that could take back what was shown hold a stream', () => {
    const hook = () => undefined;
    const holds = (point: string) =>
      bench([defineHooks({ name: 'a', [point]: hook })]).gate.holdsStream;
    expect(['onLlmResponse', 'preToolUse', 'onOutgoingMessage'].map(holds)).toEqual([
      true,
      true,
      true,
    ]);
    expect(
      ['onTurnStart', 'onUserMessage', 'preLlmRequest', 'postToolUse', 'onEvent'].some(holds),
    ).toBe(false);
  });
});
