import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type AgentHooks,
  type ChatStreamPart,
  type Counters,
  defineHooks,
} from '../../src/index.ts';
import { memoryCounters } from '../../src/stores/memory-counters.ts';
import { a, build, costing } from './budget-desk.ts';

const OWN: readonly ChatStreamPart[] = [
  { type: 'text', text: 'by the policy' },
  { type: 'finish', result: { finishReason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } } },
];

/** Counters that take a moment to reserve, as those of a server do. */
function slowCounters(): Counters {
  const counters = memoryCounters();
  return {
    read: (key) => counters.read(key),
    increment: async (key, options) => {
      await sleep(30);
      return counters.increment(key, options);
    },
  };
}

describe.each(['run', 'stream'])(
  'L13: a call that nobody waits for once there is room for it: %s',
  (how) => {
    const unhandled = vi.fn();
    beforeEach(() => {
      unhandled.mockClear();
      process.on('unhandledRejection', unhandled);
    });
    afterEach(() => {
      process.off('unhandledRejection', unhandled);
    });

    async function answered(hooks: readonly AgentHooks<never>[]) {
      const { agent, model, spent } = build([costing(1), costing(1)], {
        counters: slowCounters(),
        hooks: hooks as never,
      });
      const result = how === 'run' ? await agent.run(a) : await agent.stream(a).result;
      await sleep(150);
      expect(unhandled).not.toHaveBeenCalled();
      return {
        text: 'text' in result ? result.text : '',
        calls: model.calls,
        spent: await spent(),
      };
    }

    test('is not made, and what was reserved is given back', async () => {
      const drops = defineHooks({
        name: 'drops',
        async *wrapLlmCall(request, next) {
          void next(request)
            [Symbol.asyncIterator]()
            .next()
            .catch(() => undefined);
          await sleep(5);
          yield* OWN;
        },
      });
      expect(await answered([drops as never])).toEqual({
        text: 'by the policy',
        calls: 0,
        spent: 0,
      });
    });

    test('so where the policy closes it and goes on with another', async () => {
      const again = defineHooks({
        name: 'again',
        async *wrapLlmCall(request, next) {
          const first = next(request)[Symbol.asyncIterator]();
          void first.next().catch(() => undefined);
          await sleep(5);
          await first.return?.();
          yield* next(request);
        },
      });
      expect(await answered([again as never])).toEqual({
        text: 'done',
        calls: 1,
        spent: 1_000_000,
      });
    });
  },
);
