import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW } from './make-gate.ts';

/** Keeps the process busy, as a synchronous piece of work does that somebody else runs. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
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
