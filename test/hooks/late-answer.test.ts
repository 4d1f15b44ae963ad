import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { ToolResult } from '../../src/protocol/tool.ts';
import { acceptAll, asIs, bench, invocation, NOW, request } from './make-gate.ts';

/** Keeps the process busy, as a synchronous piece of work does that somebody else runs. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

const hurried = { timeoutMs: 20 };

/** An answer that is there in time, in a process that is busy until long after. */
function heldUp<Value>(value: Value): Promise<Value> {
  const answer = sleep(1).then(() => value);
  queueMicrotask(() => block(60));
  return answer;
}

test('an answer that a busy process sees after its limit does not count, whichever it sees first', async () => {
  const { gate, failures, decided } = bench([
    defineHooks({
      name: 'a',
      options: { preToolUse: { timeoutMs: 20 } },
      preToolUse() {
        const answer = sleep(1).then(() => ToolDecision.allow());
        queueMicrotask(() => block(60));
        return answer;
      },
    }),
  ]);
  const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
  expect(verdict).toMatchObject({ type: 'failed', error: { kind: 'timed-out' } });
  await sleep(5);
  expect(decided()).toEqual([]);
  expect(failures()).toMatchObject([{ late: true }, { kind: 'timed-out', open: false }]);
  gate.close();
});

test('nor does one around a tool call, which then fails as a call that did not run', async () => {
  let runs = 0;
  const { gate, failures } = bench([
    defineHooks({
      name: 'a',
      options: { wrapToolUse: hurried },
      wrapToolUse: () => heldUp({ outcome: 'succeeded', isError: false, output: 'made up' }),
    }),
  ]);
  const execute = (): ToolResult => {
    runs += 1;
    return { outcome: 'succeeded', isError: false, output: 'real' };
  };
  const wrapped = await gate.toolCall(invocation(), { execute, check: acceptAll }, NOW);
  expect(wrapped).toMatchObject({ unanswered: true, result: { isError: true } });
  expect(runs).toBe(0);
  expect(failures()).toMatchObject([{ kind: 'timed-out', open: false }, { late: true }]);
  gate.close();
});

test.each(['a part', 'a throw'])('nor does %s around a model call', async (what) => {
  const { gate, failures } = bench([
    defineHooks({
      name: 'a',
      options: { wrapLlmCall: hurried },
      async *wrapLlmCall() {
        await heldUp(undefined);
        if (what === 'a throw') throw new Error('too late');
        yield { type: 'text', text: 'made up' } as const;
      },
    }),
  ]);
  const call = gate.llmCall(request(), () => NEVER, NOW);
  const read = async (): Promise<unknown[]> => {
    const parts: unknown[] = [];
    for await (const part of call.parts) parts.push(part);
    return parts;
  };
  await expect(read()).rejects.toThrow();
  expect(call.ending).toMatchObject({ type: 'failed', error: { kind: 'timed-out' } });
  expect(failures()).toMatchObject([{ kind: 'timed-out', open: false }, { late: true }]);
  call.close();
  gate.close();
});

const NEVER: AsyncIterable<never> = {
  [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
};
