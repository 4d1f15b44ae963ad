import { describe, expect, test } from 'vitest';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { ToolResult } from '../../src/protocol/tool.ts';
import { bench, illegal, invocation, NOW, sleep } from './make-gate.ts';

const result: ToolResult = { outcome: 'succeeded', isError: false, output: { card: '4111' } };
const closed = { options: { postToolUse: { failure: 'closed' } } } as const;
const boom = () => {
  throw new Error('no');
};

const look = async (...hooks: readonly AgentHooks<never>[]) => {
  const run = bench(hooks);
  return { ...run, result: await run.gate.toolResult(invocation(), result, NOW) };
};

describe('looking at results', () => {
  test('a rewrite changes output and error mark, and never the outcome', async () => {
    const run = await look(
      defineHooks({
        name: 'a',
        postToolUse: () => ToolResultDecision.modify({ output: 'x', isError: true }),
      }),
    );
    expect(run.result).toEqual({ outcome: 'succeeded', isError: true, output: 'x' });
    expect(Object.isFrozen(run.result)).toBe(true);
  });

  test('a field left out stays, also when it is there and undefined', async () => {
    const partial = { type: 'modify', result: { output: undefined, isError: true } };
    const run = await look(illegal({ name: 'a', postToolUse: () => partial }));
    expect(run.result).toEqual({ ...result, isError: true });
  });

  test('an open failure keeps the result and is recorded', async () => {
    const run = await look(defineHooks({ name: 'a', postToolUse: boom }));
    expect(run.result).toEqual(result);
    expect(run.failures()).toMatchObject([{ policy: 'a', open: true, callId: '1.1.0' }]);
  });

  test('a closed failure withholds the result and keeps the outcome', async () => {
    const run = await look(
      defineHooks({
        name: 'first',
        postToolUse: () => ToolResultDecision.modify({ output: 'late' }),
      }),
      defineHooks({ name: 'a', ...closed, postToolUse: boom }),
    );
    expect(run.result).toEqual({
      outcome: 'succeeded',
      isError: true,
      output: expect.stringContaining('withheld'),
    });
    expect(run.failures()).toMatchObject([{ policy: 'a', open: false }]);
  });

  test('nobody is asked twice', async () => {
    let asked = 0;
    await look(
      defineHooks({ name: 'a', postToolUse: () => ToolResultDecision.modify({ output: 'a' }) }),
      defineHooks({
        name: 'b',
        postToolUse() {
          asked += 1;
        },
      }),
    );
    expect(asked).toBe(1);
  });
});

describe('looking at results after a cancel', () => {
  const lookLate = (hooks: readonly AgentHooks<never>[]) => {
    const run = bench(hooks);
    run.cancel.cancel();
    return run.gate.toolResult(invocation(), result, NOW);
  };

  test('a synchronous redactor still counts, as the result is recorded in any case', async () => {
    const redact = defineHooks({
      name: 'a',
      postToolUse: () => ToolResultDecision.modify({ output: '***' }),
    });
    expect(await lookLate([redact])).toEqual({ ...result, output: '***' });
  });

  test('a slow closed one withholds the result, a slow open one lets it be', async () => {
    const slow = async () => {
      await sleep(1_000);
      return ToolResultDecision.keep();
    };
    const started = performance.now();
    expect(
      await lookLate([defineHooks({ name: 'a', ...closed, postToolUse: slow })]),
    ).toMatchObject({
      isError: true,
      output: expect.stringContaining('withheld'),
    });
    expect(await lookLate([defineHooks({ name: 'a', postToolUse: slow })])).toEqual(result);
    expect(performance.now() - started).toBeLessThan(500);
  });
});
