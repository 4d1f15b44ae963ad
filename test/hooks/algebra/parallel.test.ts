import { describe, expect, test, vi } from 'vitest';
import { MessageDecision } from '../../../src/decisions/message-decision.ts';
import { ResponseDecision } from '../../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../../src/decisions/tool-result-decision.ts';
import type { AgentHooks, HookOptions } from '../../../src/hooks/agent-hooks.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { parallel } from '../../../src/hooks/parallel.ts';
import { defineHooks } from '../../../src/hooks/policy.ts';
import { shadow } from '../../../src/hooks/shadow.ts';
import { acceptAll, asIs, bench, invocation, NOW, response, sleep } from '../make-gate.ts';

interface Manner {
  /** Milliseconds before it answers; absent: at once. */
  readonly ms?: number;
  readonly options?: HookOptions;
}

const tool = (
  name: string,
  says: ToolDecision | Error | undefined,
  manner: Manner = {},
): AgentHooks =>
  defineHooks({
    name,
    options: { preToolUse: { ...manner.options } },
    preToolUse() {
      const answer = () => {
        if (says instanceof Error) throw says;
        return says;
      };
      return manner.ms === undefined ? answer() : sleep(manner.ms).then(answer);
    },
  });
const answer = (name: string, says: ResponseDecision | undefined, ms?: number): AgentHooks =>
  defineHooks({
    name,
    onLlmResponse: () => (ms === undefined ? says : sleep(ms).then(() => says)),
  });

const judge = async (...hooks: readonly AgentHooks[]) => {
  const run = bench(hooks);
  const verdict = await run.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
  return { ...run, verdict, type: verdict.type === 'judged' ? verdict.verdict.type : verdict.type };
};
const respond = async (...hooks: readonly AgentHooks[]) => {
  const run = bench(hooks);
  return {
    ...run,
    verdict: await run.gate.response(response([]), { newCallId: () => 'new', moment: NOW }, asIs),
  };
};

const block = ToolDecision.block('no');
const retry = ToolDecision.retryWithFeedback('again');
const confirm = ToolDecision.requiresConfirmation('sure?');
const allow = ToolDecision.allow();

/** Some answer at once and some later; neither must matter. */
const PACES: readonly (readonly [name: string, ms: readonly (number | undefined)[]])[] = [
  ['at once', [undefined, undefined, undefined]],
  ['later', [10, 5, 1]],
  ['mixed', [5, undefined, 1]],
];

describe.each(PACES)('parallel — answers %s', (_name, [first, second, third]) => {
  const pace = (ms: number | undefined): Manner => (ms === undefined ? {} : { ms });

  test('at the tool gate the most restrictive wins, and everyone is recorded', async () => {
    const all = [allow, confirm, retry, block];
    for (const [rank, strict] of all.entries()) {
      for (const mild of [undefined, ...all.slice(0, rank)]) {
        for (const [a, b] of [
          [strict, mild],
          [mild, strict],
        ]) {
          const group = parallel(tool('a', a, pace(first)), tool('b', b, pace(second)));
          const { type, decided } = await judge(group);
          const wins = { allow: 'run', 'requires-confirmation': 'confirm' } as const;
          expect(type).toBe(Reflect.get(wins, strict.type) ?? strict.type);
          expect(decided()).toHaveLength(mild === undefined ? 1 : 2);
        }
      }
    }
    const silent = parallel(tool('a', undefined, pace(first)), tool('b', undefined, pace(second)));
    expect((await judge(silent)).type).toBe('no-opinion');
  });

  test('every prompt and every feedback counts, in the order of the list', async () => {
    const { verdict } = await judge(
      parallel('g', tool('a', confirm, pace(first)), tool('b', confirm, pace(second))),
      tool('c', confirm, pace(third)),
    );
    expect(verdict).toMatchObject({
      verdict: { requirements: [{ policy: 'g/a' }, { policy: 'g/b' }, { policy: 'c' }] },
    });
  });

  test('of a Retry and a Block of a response the Block wins, and both are recorded', async () => {
    const { verdict, decided } = await respond(
      parallel(
        answer('a', ResponseDecision.retryWithFeedback('again'), first),
        answer('b', ResponseDecision.accept(), second),
        answer('c', ResponseDecision.block('no'), third),
      ),
    );
    expect(verdict).toEqual({ type: 'block', policy: 'c', reason: 'no' });
    expect(decided()).toEqual(['a retry-with-feedback', 'b accept', 'c block']);
  });

  test('of two Blocks the first of the list is named', async () => {
    const { verdict } = await respond(
      parallel(
        answer('a', ResponseDecision.block('a'), first),
        answer('b', ResponseDecision.block('b'), second),
      ),
    );
    expect(verdict).toMatchObject({ policy: 'a' });
  });

  test('what comes after is asked once all of them have passed, and not after a verdict', async () => {
    const pass = ResponseDecision.accept();
    const passed = await respond(
      parallel(answer('a', pass, first), answer('b', pass, second)),
      answer('c', pass, third),
      parallel(answer('d', pass, first), answer('e', pass, second)),
      answer('f', pass),
    );
    expect(passed.verdict.type).toBe('pass');
    expect(passed.decided()).toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name} accept`),
    );
    const ended = await respond(
      parallel(answer('a', ResponseDecision.block('no'), first), answer('b', pass, second)),
      answer('c', pass, third),
    );
    expect(ended.decided()).toEqual(['a block', 'b accept']);
  });

  test('one closed failure is the failure of all, and a Block does not hide it', async () => {
    const { verdict, failures } = await judge(
      parallel(tool('a', block, pace(first)), tool('b', new TypeError('no'), pace(second))),
    );
    expect(verdict).toMatchObject({ type: 'failed', error: { policy: 'b', kind: 'threw' } });
    expect(failures()).toMatchObject([{ policy: 'b', open: false }]);
  });

  test('an open failure is recorded and is no opinion', async () => {
    const { type, failures } = await judge(
      parallel(
        tool('a', new TypeError('no'), { ...pace(first), options: { failure: 'open' } }),
        tool('b', allow, pace(second)),
      ),
    );
    expect(type).toBe('run');
    expect(failures()).toMatchObject([{ policy: 'a', open: true }]);
  });

  test('a rewrite is a failure, and is not applied', async () => {
    const { type, failures, verdict } = await judge(
      parallel(
        tool('a', ToolDecision.modify({ id: 2 }), { ...pace(first), options: { failure: 'open' } }),
        tool('b', allow, pace(second)),
      ),
    );
    expect(type).toBe('run');
    expect(verdict).toMatchObject({ invocation: { effectiveInput: { id: 1 } } });
    expect(failures()).toMatchObject([{ policy: 'a', kind: 'illegal', open: true }]);
    const closed = parallel(tool('a', ToolDecision.modify({ id: 2 }), pace(first)));
    expect((await judge(closed)).verdict).toMatchObject({ error: { kind: 'illegal' } });
  });

  test('a rewrite behind it is judged by all of them again', async () => {
    const guards = (name: string, ms: number | undefined) =>
      defineHooks({
        name,
        preToolUse: ({ effectiveInput }) => {
          const says = effectiveInput['id'] === 2 ? block : allow;
          return ms === undefined ? says : sleep(ms).then(() => says);
        },
      });
    const { type, decided } = await judge(
      parallel(guards('a', first), guards('b', second)),
      tool('c', ToolDecision.modify({ id: 2 }), pace(third)),
    );
    expect(type).toBe('block');
    expect(decided()).toEqual(['a allow', 'b allow', 'c modify', 'a block again', 'b block again']);
  });

  test('a policy on trial in it is heard and not followed', async () => {
    const { type, recorded } = await judge(
      parallel(
        shadow(tool('a', block, pace(first))),
        shadow(tool('b', new TypeError('no'), pace(second))),
        tool('c', allow, pace(third)),
      ),
    );
    expect(type).toBe('run');
    expect(recorded).toMatchObject([
      { type: 'hook.decided', policy: 'a', shadow: true },
      { type: 'hook.failed', policy: 'b', shadow: true },
      { type: 'hook.decided', policy: 'c' },
    ]);
  });
});

describe('parallel — at the same time', () => {
  test('takes as long as the slowest', async () => {
    const started: string[] = [];
    const waits = (name: string): AgentHooks =>
      defineHooks({
        name,
        async onLlmResponse() {
          started.push(name);
          await sleep(10);
          // Nobody has answered before all have been asked.
          expect(started).toEqual(['a', 'b', 'c', 'd']);
        },
      });
    const group = parallel(waits('a'), compose(waits('b'), waits('c')), parallel(waits('d')));
    expect((await respond(group)).verdict.type).toBe('pass');
  });

  test('policies that answer at once make no promise', () => {
    const { gate } = bench([parallel(tool('a', allow), tool('b', allow))]);
    expect(gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).not.toBeInstanceOf(
      Promise,
    );
  });

  test('a closed failure aborts the signals of the others, and nobody waits for them', async () => {
    const told: unknown[] = [];
    const hangs = defineHooks({
      name: 'hangs',
      preToolUse: (_invocation, { signal }) =>
        new Promise<undefined>((resolve) => {
          signal.addEventListener('abort', () => {
            told.push(signal.reason);
            setTimeout(() => resolve(undefined), 20);
          });
        }),
    });
    const since = performance.now();
    const run = await judge(parallel(hangs, tool('b', new TypeError('no'), { ms: 5 })));
    expect(performance.now() - since).toBeLessThan(1000);
    expect(run.verdict).toMatchObject({ type: 'failed', error: { policy: 'b' } });
    expect(told).toMatchObject([{ policy: 'b' }]);
    expect(run.failures()).toMatchObject([{ policy: 'b' }]);
    // What it says later is recorded as late, and changes nothing.
    await vi.waitFor(() =>
      expect(run.failures()).toMatchObject([{ policy: 'b' }, { policy: 'hangs', late: true }]),
    );
  });

  test('a failure at once does not wait for anybody either', async () => {
    const hangs = (name: string) =>
      defineHooks({ name, preToolUse: () => new Promise<undefined>(() => undefined) });
    const run = await judge(parallel(hangs('a'), tool('b', new TypeError('no')), hangs('c')));
    expect(run.verdict).toMatchObject({ type: 'failed', error: { policy: 'b' } });
  });

  test('each has its own time limit', async () => {
    const slow = (name: string, timeoutMs: number) =>
      tool(name, allow, { ms: 40, options: { timeoutMs, failure: 'open' } });
    const { decided, failures } = await judge(parallel(slow('a', 5), slow('b', 5000)));
    expect(decided()).toEqual(['b allow']);
    expect(failures()[0]).toMatchObject({ policy: 'a', kind: 'timed-out' });
  });

  test('a cancel cuts all of them off', async () => {
    const run = bench([
      parallel(tool('a', allow, { ms: 5000 }), tool('b', block), tool('c', allow, { ms: 5000 })),
    ]);
    const judging = run.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    run.cancel.cancel();
    expect(await judging).toEqual({ type: 'cancelled' });
  });

  test('results are looked at by all of them, last to first', async () => {
    const asked: string[] = [];
    const looks = (name: string) =>
      defineHooks({
        name,
        postToolUse() {
          asked.push(name);
          return sleep(1).then(() => ToolResultDecision.keep());
        },
      });
    const { gate } = bench([looks('a'), parallel(looks('b'), looks('c')), looks('d')]);
    const result = { outcome: 'succeeded', isError: false, output: 1 } as const;
    expect(await gate.toolResult(invocation(), result, NOW)).toEqual(result);
    expect(asked).toEqual(['d', 'c', 'b', 'a']);
  });

  test('each keeps its own memory', async () => {
    const notes = (name: string) =>
      defineHooks({
        name,
        async onOutgoingMessage(_message, { memory }) {
          await sleep(1);
          memory.set('by', name);
          return MessageDecision.proceed();
        },
      });
    const { gate, memory } = bench([parallel('g', notes('a'), notes('b'))]);
    await gate.outgoing({ text: 'x', isFinal: true }, NOW);
    expect(Object.fromEntries(memory)).toEqual({ 'g/a': { by: 'a' }, 'g/b': { by: 'b' } });
  });
});

describe('parallel — what it refuses', () => {
  test('policies that are to stand at different ends of the list', () => {
    const ordered = (name: string, order?: 'first' | 'last') => ({
      name,
      ...(order !== undefined && { order }),
      preToolUse: () => undefined,
    });
    expect(() => parallel(ordered('a', 'first'), ordered('b'))).toThrow(
      /different `order`.* Give all of them the same `order`/s,
    );
    expect(parallel('g', ordered('a', 'last'), ordered('b', 'last')).name).toBe('g');
  });
});
