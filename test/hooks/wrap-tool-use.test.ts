import { describe, expect, test } from 'vitest';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import { forTools } from '../../src/hooks/for-tools.ts';
import type { ToolResult } from '../../src/protocol/tool.ts';
import { illegal, invocation, sleep } from './make-gate.ts';
import { around, DONE, idempotent, NOT_RUN, open, RAN, type Wrap, wraps } from './wrapped-tool.ts';

describe('wrapToolUse — nesting', () => {
  const logs = (name: string, log: string[]) =>
    wraps(name, async (call, next) => {
      log.push(`${name}>`);
      const result = await next(call);
      log.push(`<${name}`);
      return result;
    });

  test('U-Y2: they nest, and the first is outermost', async () => {
    const log: string[] = [];
    const run = around([logs('A', log), logs('B', log)], invocation(), {
      execute: () => {
        log.push('tool');
        return DONE;
      },
    });
    expect(await run.wrapped).toEqual({ result: DONE, ran: invocation(), unanswered: false });
    expect(log).toEqual(['A>', 'B>', 'tool', '<B', '<A']);
    expect(run.recorded).toEqual([]);
  });

  test('U-X8: one that does not call next is the answer, and nothing runs', async () => {
    const cached = { ...DONE, output: { cached: true } };
    const run = around([wraps('cache', async () => cached)]);
    const { result, ran } = await run.wrapped;
    expect(result).toEqual(cached);
    expect(result).not.toBe(cached);
    expect(Object.isFrozen(result) && Object.isFrozen(result.output)).toBe(true);
    expect(ran).toBeUndefined();
    expect(run.inputs).toEqual([]);
  });

  test('U-Y7: next may be called again for a tool that may be repeated', async () => {
    let tries = 0;
    const retries = wraps('retries', async (call, next) => {
      const first = await next(call);
      return first.isError ? next(call) : first;
    });
    const run = around([retries], idempotent, {
      execute: async () => {
        tries += 1;
        return tries === 1 ? { outcome: 'failed', isError: true, output: 'busy' } : DONE;
      },
    });
    expect((await run.wrapped).result).toBe(DONE);
    expect(run.inputs).toHaveLength(2);
  });

  test('a second next for a tool that must not run twice rejects, and runs nothing', async () => {
    const seen: unknown[] = [];
    const twice = wraps('twice', async (call, next) => {
      const first = await next(call);
      await next(call).catch((error: unknown) => seen.push(error));
      return first;
    });
    const run = around([twice]);
    expect((await run.wrapped).result).toBe(DONE);
    expect(run.inputs).toHaveLength(1);
    expect(seen).toMatchObject([
      {
        code: 'hook-failed',
        policy: 'twice',
        message: expect.stringMatching(/must not run twice.* Keep the result of the first `next`/),
      },
    ]);
  });

  test('two at once for such a tool run once', async () => {
    const both = wraps('both', async (call, next) => {
      const [first] = await Promise.allSettled([next(call), next(call)]);
      return first?.status === 'fulfilled' ? first.value : illegal(undefined);
    });
    const run = around([both], invocation(), { execute: () => sleep(5).then(() => DONE) });
    expect((await run.wrapped).result).toBe(DONE);
    expect(run.inputs).toHaveLength(1);
  });

  test('output and isError may be changed', async () => {
    const hides = wraps('hides', async (call, next) => ({
      ...(await next(call)),
      isError: true,
      output: 'hidden',
    }));
    expect((await around([hides]).wrapped).result).toEqual({
      outcome: 'succeeded',
      isError: true,
      output: 'hidden',
    });
  });

  test('only the tools of its patterns are wrapped', async () => {
    const own = wraps('own', async () => ({ ...DONE, output: 'own' }));
    expect((await around([forTools(['refund'], own)]).wrapped).result.output).toBe('own');
    expect((await around([forTools(['other'], own)]).wrapped).result).toBe(DONE);
  });
});

describe('wrapToolUse — a failure before the tool ran', () => {
  const failing: readonly (readonly [string, string, () => unknown])[] = [
    [
      'throws at once',
      'threw',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', 'threw', () => Promise.reject(new Error('boom'))],
    ['answers at once', 'illegal', () => DONE],
    ['answers with nothing', 'illegal', async () => undefined],
    ['answers with a text', 'illegal', async () => 'done'],
    ['answers with an unknown outcome', 'illegal', async () => ({ ...DONE, outcome: 'fine' })],
    ['says it may have run', 'illegal', async () => ({ ...DONE, outcome: 'unknown' })],
    ['answers with a function', 'illegal', async () => ({ ...DONE, output: () => 1 })],
    ['answers with too much', 'illegal', async () => ({ ...DONE, note: 1 })],
  ];

  test.each(failing)(
    'U-Z3: one that %s says that the tool did not run',
    async (_what, kind, answer) => {
      const run = around([wraps('bad', () => illegal(answer()))]);
      const { result, ran, unanswered } = await run.wrapped;
      expect(result).toEqual(NOT_RUN);
      expect({ ran, unanswered }).toEqual({ ran: undefined, unanswered: true });
      expect(run.inputs).toEqual([]);
      expect(run.failures()).toMatchObject([
        {
          policy: 'bad',
          point: 'wrapToolUse',
          kind,
          open: false,
          callId: '1.1.0',
          toolName: 'refund',
        },
      ]);
      expect(JSON.stringify([result, run.recorded])).not.toContain('boom');
    },
  );

  test.each(failing)(
    'one that %s is as if absent where it is open',
    async (_what, kind, answer) => {
      const run = around([wraps('bad', () => illegal(answer()), open)]);
      expect((await run.wrapped).result).toBe(DONE);
      expect(run.inputs).toHaveLength(1);
      expect(run.failures()).toMatchObject([{ kind, open: true }]);
    },
  );

  test('U-X13: one that is not async is told so', async () => {
    const run = around([wraps('sync', () => illegal(DONE))]);
    await run.wrapped;
    expect(run.failures()).toMatchObject([{ policy: 'sync', kind: 'illegal' }]);
  });

  test('an outer one sees the error of an inner one, and can say nothing else of what was done', async () => {
    const lies = wraps('lies', async (call, next) => {
      await next(call);
      return DONE;
    });
    const bad = wraps('bad', async () => {
      throw new Error('boom');
    });
    expect((await around([lies, bad]).wrapped).result).toEqual(NOT_RUN);
  });
});

describe('wrapToolUse — a failure after the tool ran', () => {
  const failing: readonly (readonly [string, string, Wrap])[] = [
    [
      'throws',
      'threw',
      async (call, next) => {
        await next(call);
        throw new Error('boom');
      },
    ],
    [
      'throws without waiting for it',
      'threw',
      async (call, next) => {
        void next(call);
        throw new Error('boom');
      },
    ],
    [
      'throws at once without waiting for it',
      'threw',
      (call, next) => {
        void next(call);
        throw new Error('boom');
      },
    ],
    [
      'says that it did not run',
      'illegal',
      async (call, next) => ({ ...(await next(call)), outcome: 'not-executed' }),
    ],
    [
      'says so without waiting for it',
      'illegal',
      async (call, next) => {
        void next(call);
        return { ...DONE, outcome: 'not-executed' };
      },
    ],
    [
      'says that it failed',
      'illegal',
      async (call, next) => ({ ...(await next(call)), outcome: 'failed' }),
    ],
    [
      'answers with nothing',
      'illegal',
      async (call, next) => {
        await next(call);
        return illegal(undefined);
      },
    ],
  ];

  test.each(failing)(
    'U-Z7: one that %s withholds the result, and says that the call did run',
    async (_what, kind, wrap) => {
      const run = around([wraps('bad', wrap)], invocation(), {
        execute: () => sleep(5).then(() => ({ ...DONE, output: 'secret' })),
      });
      const { result, ran, unanswered } = await run.wrapped;
      expect(result).toMatchObject({ outcome: 'succeeded', isError: true, ...RAN });
      expect(ran).toEqual(invocation());
      expect(unanswered).toBe(false);
      expect(run.inputs).toHaveLength(1);
      expect(run.failures()).toMatchObject([{ kind, open: false }]);
      expect(JSON.stringify([result, run.recorded])).not.toMatch(/boom|secret/);
    },
  );

  test.each(failing)(
    'one that %s leaves the real result where it is open',
    async (_what, kind, wrap) => {
      const run = around([wraps('bad', wrap, open)]);
      expect((await run.wrapped).result).toBe(DONE);
      expect(run.inputs).toHaveLength(1);
      expect(run.failures()).toMatchObject([{ kind, open: true }]);
    },
  );

  test('of a call whose outcome is unknown, that is what is told', async () => {
    const unknown: ToolResult = { outcome: 'unknown', isError: true, output: 'Outcome unknown' };
    const bad = wraps('bad', failing[0]?.[2] ?? illegal(undefined));
    expect((await around([bad], invocation(), { execute: () => unknown }).wrapped).result).toBe(
      unknown,
    );
  });

  test('a misuse of the context counts even when it is caught', async () => {
    const misuses: AgentHooks = {
      // Memory needs a name.
      wrapToolUse: async (call, next, ctx) => {
        try {
          ctx.memory.get('x');
        } catch {}
        return next(call);
      },
    };
    expect((await around([misuses]).wrapped).result).toMatchObject(RAN);
  });
});

describe('wrapToolUse — its time', () => {
  const slow = { wrapToolUse: { timeoutMs: 20 } };

  test('stands while the tool runs', async () => {
    const run = around([wraps('waits', (call, next) => next(call), slow)], invocation(), {
      execute: () => sleep(60).then(() => DONE),
    });
    expect((await run.wrapped).result).toBe(DONE);
    run.gate.close();
  });

  test('runs while the policy works: nothing runs after it', async () => {
    const late: unknown[] = [];
    const run = around([
      wraps(
        'sleeps',
        async (call, next) => {
          await sleep(50);
          return next(call).catch((error: unknown) => {
            late.push(error);
            throw error;
          });
        },
        slow,
      ),
    ]);
    expect((await run.wrapped).result).toEqual(NOT_RUN);
    await sleep(60);
    expect(run.inputs).toEqual([]);
    expect(late).toMatchObject([{ code: 'hook-failed' }]);
    expect(run.failures()).toMatchObject([{ kind: 'timed-out' }, { late: true }]);
    run.gate.close();
  });

  test('past it when the tool ran, the result is withheld', async () => {
    const run = around([
      wraps(
        'sleeps',
        async (call, next) => {
          const result = await next(call);
          await sleep(60);
          return result;
        },
        slow,
      ),
    ]);
    expect((await run.wrapped).result).toMatchObject({ outcome: 'succeeded', ...RAN });
    run.gate.close();
  });
});

describe('wrapToolUse — a cancel', () => {
  test('before the tool: nothing runs any more', async () => {
    const run = around([
      wraps('slow', async (call, next) => {
        await sleep(20);
        return next(call);
      }),
    ]);
    await sleep(5);
    run.cancel.cancel();
    expect(await run.wrapped).toMatchObject({ result: { outcome: 'cancelled' }, unanswered: true });
    await sleep(30);
    expect(run.inputs).toEqual([]);
    expect(run.failures()).toEqual([]);
  });

  test('while the tool runs: it is waited for, and who passes its result on still does', async () => {
    const run = around([wraps('passes', async (call, next) => next(call))], invocation(), {
      execute: () => sleep(20).then(() => DONE),
    });
    await sleep(5);
    run.cancel.cancel();
    expect((await run.wrapped).result).toBe(DONE);
  });

  test('while the tool runs: nothing more is started, and who takes its time afterwards is cut off', async () => {
    const refused: unknown[] = [];
    const greedy = wraps('greedy', async (call, next) => {
      const first = next(call);
      await sleep(10);
      await next(call).catch((error: unknown) => refused.push(error));
      await first;
      return new Promise(() => undefined);
    });
    const run = around([greedy], idempotent, { execute: () => sleep(20).then(() => DONE) });
    await sleep(2);
    run.cancel.cancel();
    expect((await run.wrapped).result).toMatchObject({
      outcome: 'succeeded',
      isError: true,
      ...RAN,
    });
    expect(run.inputs).toHaveLength(1);
    expect(refused).toMatchObject([{ code: 'hook-failed', policy: 'greedy' }]);
    expect(String(refused[0])).toContain('`next` was called when the call was over');
    expect(run.failures()).toMatchObject([{ policy: 'greedy', kind: 'timed-out' }]);
  });

  test('a policy that takes its time after the tool is cut off, and its result withheld', async () => {
    const cleaned: string[] = [];
    const stuck = wraps('stuck', async (call, next) => {
      await next(call);
      return new Promise(() => undefined);
    });
    const cleans = wraps('cleans', async (call, next) => {
      try {
        return await next(call);
      } finally {
        cleaned.push('cleans');
      }
    });
    const run = around([cleans, stuck]);
    await sleep(5);
    run.cancel.cancel();
    expect((await run.wrapped).result).toMatchObject({
      outcome: 'succeeded',
      isError: true,
      ...RAN,
    });
    expect(run.failures()).toMatchObject([{ policy: 'stuck', kind: 'timed-out' }]);
    await new Promise(setImmediate);
    expect(cleaned).toEqual(['cleans']);
  });
});
