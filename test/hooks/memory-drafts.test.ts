import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { HookContext, PolicyMemory } from '../../src/hooks/context.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { ToolInvocation, ToolResult } from '../../src/protocol/tool.ts';
import { acceptAll, asIs, bench, illegal, invocation, NOW, request, sleep } from './make-gate.ts';
import { finish, text as spoken } from './wrapped-model.ts';

const start = { turnId: 'turn-1', isFirst: true };
const text = { text: 'hello', attachments: [] };
const wrote = (memory: ReadonlyMap<string, JsonObject>) => memory.get('a');

function count(memory: PolicyMemory): number {
  const next = Number(memory.get('n') ?? 0) + 1;
  memory.set('n', next);
  return next;
}

/** What is left in the memory of a policy whose onTurnStart does this. */
async function left(
  onTurnStart: (memory: PolicyMemory, ctx: HookContext) => unknown,
  options: AgentHooks['options'] = {},
): Promise<JsonObject | undefined> {
  const { gate, memory } = bench([
    defineHooks({
      name: 'a',
      options,
      onTurnStart: (_turn, ctx) => illegal(onTurnStart(ctx.memory, ctx)),
    }),
  ]);
  await gate.turnStart(start, NOW);
  return wrote(memory);
}

describe('what a policy writes to its memory counts once it has answered', () => {
  test('with a decision, with no opinion, and with a block', async () => {
    const answers = [{ type: 'proceed' }, undefined, { type: 'block', reason: 'no' }];
    for (const answer of answers) {
      const kept = await left((memory) => {
        count(memory);
        return answer;
      });
      expect(kept).toEqual({ n: 1 });
    }
  });

  test('and its own writes are read back before', async () => {
    const seen: unknown[] = [];
    await left((memory) => {
      count(memory);
      count(memory);
      memory.set('gone', 1);
      memory.delete('gone');
      seen.push(memory.get('n'), memory.get('gone'));
    });
    expect(seen).toEqual([2, undefined]);
  });

  test('a hook that throws leaves none', async () => {
    const thrown = (memory: PolicyMemory): never => {
      count(memory);
      throw new Error('no');
    };
    expect(await left(thrown)).toBeUndefined();
    expect(await left(async (memory) => thrown(memory))).toBeUndefined();
    expect(await left(thrown, { onTurnStart: { failure: 'open' } })).toBeUndefined();
  });

  test('nor does one whose answer is illegal, or that has to decide and does not', async () => {
    const kept = await left((memory) => {
      count(memory);
      return { type: 'allow' };
    });
    expect(kept).toBeUndefined();
    expect(await left((memory) => void count(memory), { onTurnStart: { mustDecide: true } })).toBe(
      undefined,
    );
  });

  test('nor one that misused it, whatever it wrote beside that', async () => {
    const kept = await left((memory) => {
      count(memory);
      try {
        memory.set(
          'bad',
          illegal(() => 1),
        );
      } catch {
        return;
      }
    });
    expect(kept).toBeUndefined();
  });

  test('nor one that passed its limit, before it and after', async () => {
    let late: unknown;
    const kept = await left(
      async (memory) => {
        count(memory);
        await sleep(40);
        try {
          count(memory);
        } catch (error) {
          late = error;
        }
      },
      { onTurnStart: { timeoutMs: 10 } },
    );
    await sleep(60);
    expect(kept).toBeUndefined();
    expect(late).toMatchObject({ kind: 'illegal' });
  });

  test('nor one that a cancel cut off', async () => {
    const { gate, memory, cancel } = bench([
      defineHooks({
        name: 'a',
        onTurnStart: async (_turn, ctx) => {
          count(ctx.memory);
          await sleep(30);
        },
      }),
    ]);
    const asked = gate.turnStart(start, NOW);
    cancel.cancel();
    expect(await asked).toEqual({ type: 'cancelled' });
    await sleep(50);
    expect(wrote(memory)).toBeUndefined();
  });

  test('a policy that fails after others leaves what they wrote', async () => {
    const { gate, memory } = bench([
      defineHooks({ name: 'b', onTurnStart: (_turn, ctx) => void count(ctx.memory) }),
      defineHooks({
        name: 'a',
        onTurnStart: (_turn, ctx) => {
          count(ctx.memory);
          throw new Error('no');
        },
      }),
    ]);
    await gate.turnStart(start, NOW);
    expect(Object.fromEntries(memory)).toEqual({ b: { n: 1 } });
  });
});

describe('a rewrite', () => {
  const rewriting = (rewritten: unknown): readonly AgentHooks[] => [
    defineHooks({
      name: 'a',
      preToolUse: (_call, ctx) => {
        count(ctx.memory);
        return ToolDecision.modify(illegal(rewritten));
      },
    }),
  ];

  test('counts with what was written once it fits', async () => {
    const { gate, memory } = bench(rewriting({ id: 2 }));
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(wrote(memory)).toEqual({ n: 1 });
  });

  test('that does not fit leaves nothing, at once or later', async () => {
    const refuse = () => ({ problem: 'does not fit' });
    for (const check of [refuse, async () => refuse()]) {
      const { gate, memory } = bench(rewriting({ id: 2 }));
      expect(await gate.toolUse(invocation(), { check: check, moment: NOW }, asIs)).toMatchObject({
        type: 'failed',
      });
      expect(wrote(memory)).toBeUndefined();
    }
  });

  test('whose check a cancel cuts off leaves nothing', async () => {
    const { gate, memory, cancel } = bench(rewriting({ id: 2 }));
    const asked = gate.toolUse(
      invocation(),
      { check: () => sleep(30).then(() => acceptAll({})), moment: NOW },
      asIs,
    );
    cancel.cancel();
    expect(await asked).toEqual({ type: 'cancelled' });
    expect(wrote(memory)).toBeUndefined();
  });

  test('nor one whose check has answered when the cancel comes', async () => {
    /** A promise that calls back at once: what patches promises may give such. */
    const atOnce = (value: unknown): Promise<never> =>
      Object.defineProperty(Promise.resolve(illegal(value)), 'then', {
        value: (take: (value: unknown) => unknown) => atOnce(take(value)),
      });
    const { gate, memory, cancel } = bench(rewriting({ id: 2 }));
    const check = () => atOnce(acceptAll({ id: 2 }));
    const asked = gate.toolUse(invocation(), { check, moment: NOW }, asIs);
    cancel.cancel();
    expect(await asked).toEqual({ type: 'cancelled' });
    expect(wrote(memory)).toBeUndefined();
  });

  test('a policy that is asked again about it counts again', async () => {
    const { gate, memory } = bench([
      defineHooks({ name: 'a', onUserMessage: (_text, ctx) => void count(ctx.memory) }),
      defineHooks({ name: 'b', onUserMessage: () => MessageDecision.modify('hi') }),
    ]);
    await gate.userMessage(text, NOW);
    expect(wrote(memory)).toEqual({ n: 2 });
  });

  test('a change on the recheck leaves only what the first answer wrote', async () => {
    let asked = 0;
    const { gate, memory } = bench([
      defineHooks({
        name: 'a',
        onUserMessage: (_text, ctx) => {
          count(ctx.memory);
          asked += 1;
          return asked === 1 ? undefined : MessageDecision.modify(`change ${asked}`);
        },
      }),
      defineHooks({ name: 'b', onUserMessage: () => MessageDecision.modify('hi') }),
    ]);
    expect(await gate.userMessage(text, NOW)).toMatchObject({ type: 'failed' });
    expect(wrote(memory)).toEqual({ n: 1 });
  });
});

describe('what did not count is not read later either', () => {
  test('after a hook that throws, and after a rewrite that does not fit', async () => {
    let asked = 0;
    const { gate, memory } = bench([
      defineHooks({
        name: 'a',
        preToolUse: (_call, ctx) => {
          count(ctx.memory);
          asked += 1;
          if (asked === 1) throw new Error('no');
          return asked === 2 ? ToolDecision.modify({ id: 2 }) : undefined;
        },
      }),
    ]);
    const refuse = () => ({ problem: 'does not fit' });
    for (const _time of [1, 2, 3])
      await gate.toolUse(invocation(), { check: refuse, moment: NOW }, asIs);
    expect([asked, wrote(memory)]).toEqual([3, { n: 1 }]);
  });

  test('after one around a call, and one that watches', async () => {
    let fails = true;
    const use = (memory: PolicyMemory): void => {
      count(memory);
      if (fails) throw new Error('no');
    };
    const { gate, memory } = bench([
      defineHooks({
        name: 'a',
        events: ['step.started'],
        async wrapToolUse(call, next, ctx) {
          use(ctx.memory);
          return next(call);
        },
        onEvent: (_event, ctx) => use(ctx.memory),
      }),
    ]);
    const done: ToolResult = { outcome: 'succeeded', isError: false, output: 'done' };
    const core = { execute: () => done, check: acceptAll };
    const stamp = { threadId: 't', turnId: 'turn-1', step: 1, at: 0, seq: 1 };
    const both = async (): Promise<void> => {
      gate.observe({ type: 'step.started', ...stamp });
      await gate.toolCall(invocation(), core, NOW);
    };
    await both();
    expect(wrote(memory)).toBeUndefined();
    fails = false;
    await both();
    expect(wrote(memory)).toEqual({ n: 2 });
  });
});

describe('around a model call', () => {
  const counting = defineHooks({
    name: 'a',
    async *wrapLlmCall(question, next, ctx) {
      count(ctx.memory);
      yield* next(question);
    },
  });
  const stopsAt = (type: string): AgentHooks =>
    defineHooks({
      name: 'stops',
      async *wrapLlmCall(question, next) {
        for await (const part of next(question)) {
          if (part.type === type) break;
          yield part;
        }
        yield finish;
      },
    });
  const run = async (hooks: readonly AgentHooks[]): Promise<JsonObject | undefined> => {
    const { gate, memory } = bench(hooks);
    const model = async function* () {
      yield spoken('hi');
      yield finish;
    };
    for await (const _part of gate.llmCall(request(), model, NOW).parts);
    await sleep(1);
    return wrote(memory);
  };

  test('a policy that has given its last part has answered, also when nobody reads on', async () => {
    expect(await run([counting])).toEqual({ n: 1 });
    expect(await run([stopsAt('finish'), counting])).toEqual({ n: 1 });
  });

  test('one whose answer nobody reads to its end has not', async () => {
    expect(await run([stopsAt('text'), counting])).toBeUndefined();
  });
});

describe('around two calls at a time', () => {
  const done: ToolResult = { outcome: 'succeeded', isError: false, output: 'done' };
  const counting = (fails: (call: ToolInvocation) => boolean): readonly AgentHooks[] => [
    defineHooks({
      name: 'a',
      async wrapToolUse(call, next, ctx) {
        count(ctx.memory);
        const result = await next(call);
        if (fails(call)) throw new Error('no');
        return result;
      },
    }),
  ];

  const run = async (hooks: readonly AgentHooks[]): Promise<JsonObject | undefined> => {
    const { gate, memory } = bench(hooks);
    const slow = async (): Promise<ToolResult> => {
      await sleep(5);
      return done;
    };
    const core = { execute: slow, check: acceptAll };
    const ids = [1, 2, 3];
    await Promise.all(
      ids.map((id) =>
        gate.toolCall(Object.freeze({ ...invocation({ id }), callId: `1.1.${id}` }), core, NOW),
      ),
    );
    return wrote(memory);
  };

  test('a policy counts every one of them', async () => {
    expect(await run(counting(() => false))).toEqual({ n: 3 });
  });

  test('one that fails takes its own write back, and no later one', async () => {
    expect(await run(counting((call) => call.callId === '1.1.1'))).toEqual({ n: 3 });
    expect(await run(counting((call) => call.callId === '1.1.3'))).toEqual({ n: 2 });
    expect(await run(counting(() => true))).toBeUndefined();
  });
});

describe('an observing policy', () => {
  const watching = async (
    onEvent: NonNullable<AgentHooks['onEvent']>,
  ): Promise<JsonObject | undefined> => {
    const { gate, memory } = bench([defineHooks({ name: 'a', events: ['step.started'], onEvent })]);
    const stamp = { threadId: 't', turnId: 'turn-1', step: 1, at: 0, seq: 1 };
    gate.observe({ type: 'step.started', ...stamp });
    await sleep(20);
    return wrote(memory);
  };

  test('keeps what it wrote when it is done, and not when it fails', async () => {
    expect(await watching((_event, ctx) => void count(ctx.memory))).toEqual({ n: 1 });
    expect(await watching(async (_event, ctx) => void count(ctx.memory))).toEqual({ n: 1 });
    const failing = (memory: PolicyMemory): never => {
      count(memory);
      throw new Error('no');
    };
    expect(await watching((_event, ctx) => failing(ctx.memory))).toBeUndefined();
    expect(await watching(async (_event, ctx) => failing(ctx.memory))).toBeUndefined();
  });
});
