import { forTools, ToolDecision, tool } from 'agent-hooks';
import { ask, assertAnswer, chatRequest, toolInvocation, toolResult } from 'agent-hooks/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { illegal } from './policies.ts';

type Wrap = NonNullable<AgentHooks['wrapToolUse']>;

const look = tool({
  name: 'look',
  description: 'Looks an order up',
  inputSchema: z.object({ id: z.number().max(10) }),
  sideEffects: 'none',
  execute: () => 'unused',
});
const call = toolInvocation(look, { id: 7 });
const done = toolResult({ total: 30 });

const wraps = (wrapToolUse: Wrap, more: Partial<AgentHooks> = {}) =>
  ask({ name: 'p', wrapToolUse, ...more });
const passes: Wrap = (invocation, next) => next(invocation);
const twice: Wrap = async (invocation, next) => {
  const first = await next(invocation);
  return first.isError ? next(invocation) : first;
};

describe('ask — wrapToolUse', () => {
  test('gives the result, and what the tool was called with', async () => {
    expect(await wraps(passes).wrapToolUse(call, () => done)).toEqual({
      type: 'answered',
      policy: 'p',
      point: 'wrapToolUse',
      memory: {},
      calls: [call],
      result: done,
    });
  });

  test('counts each call, and reads a tool that throws as one that failed', async () => {
    let tries = 0;
    const answer = await wraps(twice).wrapToolUse(call, () => {
      tries += 1;
      if (tries === 1) throw new Error('busy');
      return done;
    });
    expect(answer).toMatchObject({ type: 'answered', result: done, calls: [call, call] });
    const down = await wraps(passes).wrapToolUse(call, () => Promise.reject(new Error('busy')));
    expect(down).toMatchObject({
      type: 'answered',
      result: {
        outcome: 'failed',
        isError: true,
        output: { error: expect.stringContaining('failed before completing') },
      },
    });
  });

  test('one that does not go on has no call', async () => {
    const answer = await wraps(async () => toolResult('kept')).wrapToolUse(call, () => done);
    expect(answer).toMatchObject({ type: 'answered', calls: [], result: { output: 'kept' } });
  });

  test('another input is what the tool gets, once it fits', async () => {
    const other = (id: number) =>
      wraps((one, next) => next({ ...one, effectiveInput: { id } })).wrapToolUse(call, () => done);
    expect(await other(9)).toMatchObject({
      type: 'answered',
      calls: [{ effectiveInput: { id: 9 } }],
    });
    const misfit = await other(11);
    expect(misfit).toMatchObject({ type: 'failed', kind: 'invalid-rewrite', calls: [] });
    expect(misfit.type === 'failed' && misfit.error.message).toContain('look');
  });

  test('another input of a tool that is only a name is checked by nobody', async () => {
    const named = toolInvocation('pay', { amount: 1 });
    const answer = await wraps((one, next) =>
      next({ ...one, effectiveInput: { amount: 'all' } }),
    ).wrapToolUse(named, () => done);
    expect(answer).toMatchObject({ calls: [{ effectiveInput: { amount: 'all' } }] });
  });

  test('the own gate of the policy is asked about another input, and nobody else is', async () => {
    const seen: unknown[] = [];
    const answer = await wraps((one, next) => next({ ...one, effectiveInput: { id: 9 } }), {
      preToolUse: ({ effectiveInput }) => {
        seen.push(effectiveInput);
        return ToolDecision.block('nine is out');
      },
    }).wrapToolUse(call, () => done);
    expect(answer).toMatchObject({
      type: 'answered',
      calls: [],
      result: { outcome: 'blocked', output: 'Blocked: nine is out' },
    });
    expect(seen).toEqual([{ id: 9 }]);
  });

  test('where that gate fails over it, the call is refused', async () => {
    const answer = await wraps((one, next) => next({ ...one, effectiveInput: { id: 9 } }), {
      preToolUse: () => {
        throw new Error('boom');
      },
    }).wrapToolUse(call, () => done);
    expect(answer).toMatchObject({ type: 'answered', calls: [], result: { outcome: 'blocked' } });
  });

  test('a tool that must not run twice runs once', async () => {
    const pay = toolInvocation('pay', {});
    const failed = toolResult('busy', { outcome: 'failed' });
    const answer = await wraps(twice).wrapToolUse(pay, () => failed);
    expect(answer).toMatchObject({ type: 'failed', calls: [pay] });
  });

  test('a failure tells what was thrown, whether the call ran, and nothing of its output', async () => {
    const boom = new TypeError('boom');
    const before = await wraps(() => Promise.reject(boom)).wrapToolUse(call, () => done);
    expect(before).toMatchObject({ type: 'failed', kind: 'threw', failure: 'closed', calls: [] });
    expect(before.type === 'failed' && before.error.cause).toBe(boom);
    expect(JSON.stringify(before)).toContain('did not run');
    const after = await wraps(async (one, next) => {
      await next(one);
      throw boom;
    }).wrapToolUse(call, () => done);
    expect(after).toMatchObject({
      type: 'failed',
      calls: [call],
      result: { outcome: 'succeeded' },
    });
    expect(after.type === 'failed' && after.result.output).toMatch('did run');
    assertAnswer(after, 'fail', 'threw');
  });

  test('one that is open has failed all the same, and says that it is open', async () => {
    const options = { wrapToolUse: { failure: 'open' } } as const;
    const bad: Wrap = () => illegal(1);
    const open = await wraps(bad, { options }).wrapToolUse(call, () => done);
    expect(open).toMatchObject({ type: 'failed', kind: 'illegal', failure: 'open', calls: [] });
  });

  test('one that hangs is cut off at its limit, and the tool may take longer', async () => {
    const never = await wraps(() => new Promise(() => {})).wrapToolUse(call, () => done, {
      timeoutMs: 10,
    });
    expect(never).toMatchObject({ type: 'failed', kind: 'timed-out', calls: [] });
    const slow = () => new Promise<typeof done>((resolve) => setTimeout(resolve, 150, done));
    const waits = await wraps(passes).wrapToolUse(call, slow, { timeoutMs: 100 });
    expect(waits).toMatchObject({ type: 'answered', result: done });
  });

  test('remembers, and reads its context', async () => {
    const counts = wraps(async (one, next, ctx) => {
      ctx.memory.set('n', Number(ctx.memory.get('n')) + 1);
      return { ...(await next(one)), output: String(ctx.context) };
    });
    expect(
      await counts.wrapToolUse(call, () => done, { memory: { n: 1 }, context: 'acme' }),
    ).toMatchObject({ memory: { n: 2 }, result: { output: 'acme' } });
  });

  test('only the tools of its patterns are wrapped', async () => {
    const kept = { name: 'p', wrapToolUse: async () => toolResult('kept') };
    const other = ask(forTools(['pay'], kept));
    expect(await other.wrapToolUse(call, () => done)).toMatchObject({
      result: done,
      calls: [call],
    });
  });

  test('a cancel before it, or while the policy works, is told as one', async () => {
    const signal = AbortSignal.abort();
    expect(await wraps(passes).wrapToolUse(call, () => done, { signal })).toMatchObject({
      type: 'cancelled',
      calls: [],
    });
    const controller = new AbortController();
    const asked = wraps(async (one, next) => {
      await next(one);
      setTimeout(() => controller.abort());
      return new Promise(() => {});
    }).wrapToolUse(call, () => done, { signal: controller.signal });
    expect(await asked).toMatchObject({ type: 'cancelled', calls: [call] });
  });

  test('a tool of the test that gives no result is a mistake of the test', async () => {
    const asked = wraps(passes).wrapToolUse(call, () => illegal('done'));
    await expect(asked).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('toolResult('),
    });
  });

  test('so is a tool or a model that is not there', async () => {
    const missing = illegal(undefined);
    await expect(wraps(passes).wrapToolUse(call, missing)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('toolResult('),
    });
    const model = ask({ name: 'p', wrapLlmCall: (request, next) => next(request) });
    await expect(model.wrapLlmCall(chatRequest([]), missing)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining('chatParts('),
    });
  });

  test('an answer around a call meets no expectation of a decision', async () => {
    const answer = await wraps(passes).wrapToolUse(call, () => done);
    expect(() => assertAnswer(answer, 'allow')).toThrow(/gives no decision there/);
  });
});
