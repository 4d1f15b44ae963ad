import { describe, expect, test, vi } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import { ConfigError } from '../../src/errors/config-error.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { ask, incomingText, toolInvocation, toolResult } from '../../src/testing/index.ts';
import { illegal, RefundLimit, refund } from './policies.ts';

const call = toolInvocation(refund, { amount: 5 });
const never = new Promise<undefined>(() => {});

describe('ask — a policy that fails', () => {
  const boom = new TypeError('no such field');

  test.each<[string, NonNullable<AgentHooks['preToolUse']>]>([
    ['throws', () => raise(boom)],
    ['rejects', () => Promise.reject(boom)],
  ])('one that %s has failed, and the cause is what it threw', async (_, preToolUse) => {
    const answer = await ask(literal({ preToolUse })).preToolUse(call);
    expect(answer).toMatchObject({ type: 'failed', kind: 'threw', failure: 'closed' });
    expect(answer.type === 'failed' && answer.error.cause).toBe(boom);
  });

  test('one that hangs has failed at its limit, and its signal is aborted', async () => {
    let signal: AbortSignal | undefined;
    const policy = defineHooks({
      preToolUse(_call, ctx) {
        signal = ctx.signal;
        return never;
      },
    });
    const answer = await ask(policy).preToolUse(call, { timeoutMs: 10 });
    expect(answer).toMatchObject({ type: 'failed', kind: 'timed-out' });
    expect(signal?.aborted).toBe(true);
  });

  test('without a limit of the test its own counts', async () => {
    const policy = defineHooks({
      options: { preToolUse: { timeoutMs: 10 } },
      preToolUse: () => never,
    });
    expect(await ask(policy).preToolUse(call)).toMatchObject({ kind: 'timed-out' });
  });

  test('the limit of the point holds where nobody sets one', async () => {
    vi.useFakeTimers();
    try {
      const asked = ask(literal({ preToolUse: () => never })).preToolUse(call);
      await vi.advanceTimersByTimeAsync(4_999);
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await asked).toMatchObject({ type: 'failed', kind: 'timed-out' });
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    true,
    'allow',
    {},
    { type: 'allwo' },
    { type: 'allow', sure: true },
    { type: 'block' },
    null,
  ])('one that answers %j has failed', async (value) => {
    const answer = await ask(literal({ preToolUse: () => illegal(value) })).preToolUse(call);
    expect(answer).toMatchObject({ type: 'failed', kind: 'illegal' });
  });

  test('a decision of another point is a failure', async () => {
    const policy = literal({ preToolUse: () => illegal(MessageDecision.proceed()) });
    expect(await ask(policy).preToolUse(call)).toMatchObject({ kind: 'illegal' });
  });

  test('one that changes what it was given has failed', async () => {
    const policy = defineHooks({
      preToolUse(invocation) {
        Object.assign(invocation.effectiveInput, { amount: 0 });
        return ToolDecision.allow();
      },
    });
    expect(await ask(policy).preToolUse(call)).toMatchObject({ type: 'failed', kind: 'threw' });
    expect(call.effectiveInput).toEqual({ amount: 5 });
  });

  test('saying nothing where `mustDecide` is set is a failure', async () => {
    const policy = defineHooks({
      options: { preToolUse: { mustDecide: true } },
      preToolUse: () => undefined,
    });
    expect(await ask(policy).preToolUse(call)).toMatchObject({ kind: 'undecided' });
  });

  test('a rewrite that its tool refuses is a failure', async () => {
    const policy = literal({ preToolUse: () => ToolDecision.modify({ amount: 5_000 }) });
    expect(await ask(policy).preToolUse(call)).toMatchObject({ kind: 'invalid-rewrite' });
  });

  test('a rewrite when only a verdict is asked for is a failure', async () => {
    const policy = defineHooks({ onUserMessage: ({ text }) => MessageDecision.modify(`${text}!`) });
    const asked = ask(policy);
    const again = await asked.onUserMessage(incomingText('hi'), { recheck: true });
    expect(again).toMatchObject({ type: 'failed', kind: 'changed-on-recheck' });
    expect(again.type === 'failed' && again.error.message).toContain("policy 'policy-1'");
  });

  test('memory without a name is a failure, caught or not', async () => {
    const policy = defineHooks({
      preToolUse(_call, ctx) {
        try {
          ctx.memory.set('a', 1);
        } catch {
          return ToolDecision.allow();
        }
        return ToolDecision.allow();
      },
    });
    expect(await ask(policy).preToolUse(call)).toMatchObject({ kind: 'illegal' });
  });

  test('at an open point it is a failure all the same, and says that it is open', async () => {
    const policy = literal({ postToolUse: () => raise(boom) });
    const answer = await ask(policy).postToolUse(call, toolResult('done'));
    expect(answer).toMatchObject({ type: 'failed', kind: 'threw', failure: 'open' });
  });
});

describe('ask — a cancelled turn', () => {
  test('a policy that is running is cut off', async () => {
    const controller = new AbortController();
    const asked = ask(literal({ preToolUse: () => never }));
    const answer = asked.preToolUse(call, { signal: controller.signal });
    controller.abort();
    expect(await answer).toMatchObject({ type: 'cancelled', policy: 'policy-1' });
  });

  test('nobody is asked once it is cancelled, but about the result of a call that ran', async () => {
    const policy = literal({
      preToolUse: () => ToolDecision.allow(),
      postToolUse: () => ToolResultDecision.keep(),
    });
    const options = { signal: AbortSignal.abort() };
    expect(await ask(policy).preToolUse(call, options)).toMatchObject({ type: 'cancelled' });
    expect(await ask(policy).postToolUse(call, toolResult(1), options)).toMatchObject({
      type: 'decided',
    });
  });
});

describe('ask — a mistake of the test', () => {
  test('a point that is not implemented is refused, and the message says what is', async () => {
    const policy: AgentHooks = new RefundLimit();
    await expect(ask(policy).onUserMessage(incomingText('hi'))).rejects.toThrow(
      "ask(RefundLimit).onUserMessage: the policy does not implement 'onUserMessage'. It implements: preToolUse",
    );
    await expect(ask(policy).onUserMessage(incomingText('hi'))).rejects.toBeInstanceOf(ConfigError);
  });

  test.each([
    ['a class in the place of an instance', RefundLimit, 'uncalled-factory'],
    ['an object without a hook', {}, 'no-hooks'],
    ['a misspelled hook', { preToolUes: () => undefined }, 'unknown-hook'],
  ])('%s is refused as an agent refuses it', (_, policy, code) => {
    expect(() => ask(illegal(policy))).toThrow(expect.objectContaining({ code }));
  });

  test('a limit that is none is refused', async () => {
    const asked = ask(new RefundLimit()).preToolUse(call, { timeoutMs: 0 });
    await expect(asked).rejects.toMatchObject({ code: 'invalid-option' });
  });
});

/** A literal whose type does not say what it implements. */
function literal(hooks: AgentHooks): AgentHooks {
  return hooks;
}

function raise(error: Error): never {
  throw error;
}
