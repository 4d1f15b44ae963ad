import { describe, expect, test } from 'vitest';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import type { AgentHooks } from '../../src/hooks/agent-hooks.ts';
import type { ChatRequest } from '../../src/protocol/chat.ts';
import { illegal, sleep } from './make-gate.ts';
import { around, finish, given, wraps } from './wrapped-model.ts';

const cooler: ChatRequest = { ...given, settings: { temperature: 0 } };

/** Calls `next` with another request. */
const sends = (name: string, request: unknown, options: AgentHooks['options'] = {}) =>
  wraps(
    name,
    async function* (_request, next) {
      yield* next(illegal(request));
    },
    options,
  );

const judges = (name: string, answer: NonNullable<AgentHooks['preLlmRequest']>): AgentHooks => ({
  name,
  preLlmRequest: answer,
});

describe('wrapLlmCall — another request', () => {
  test('U-Y6: what an outer one passes down is what the inner one and the model get', async () => {
    const seen: ChatRequest[] = [];
    const reads = wraps('reads', (request, next) => {
      seen.push(request);
      return next(request);
    });
    const run = around([sends('sends', cooler), reads]);
    expect(await run.read()).toEqual(['hello', '!']);
    expect(seen).toEqual([cooler]);
    expect(run.requests).toEqual([cooler]);
    expect(Object.isFrozen(run.requests[0]?.settings)).toBe(true);
    expect(run.decided()).toEqual(['sends modify']);
  });

  test('it is judged by everyone at preLlmRequest once more, for the verdict only', async () => {
    const asked: unknown[] = [];
    const run = around([
      judges('a', (request, { recheck }) => void asked.push(['a', request.settings, recheck])),
      sends('sends', cooler),
      judges('b', async (request, { recheck }) => {
        asked.push(['b', request.settings, recheck]);
        return RequestDecision.proceed();
      }),
    ]);
    await run.read();
    expect(asked).toEqual([
      ['a', { temperature: 0 }, true],
      ['b', { temperature: 0 }, true],
    ]);
    expect(run.decided()).toEqual(['sends modify', 'b proceed again']);
  });

  test.each([
    ['the same object', given],
    ['an equal one', { ...given, settings: {} }],
    ['an equal one without its tools', { messages: given.messages, settings: given.settings }],
  ])('%s is not judged again', async (_what, request) => {
    const never = judges('never', () => RequestDecision.block('asked'));
    const run = around([never, sends('sends', request)]);
    expect(await run.read()).toEqual(['hello', '!']);
    expect(run.requests[0]).toBe(given);
    expect(run.recorded).toEqual([]);
  });

  test.each([
    ['at once', (): unknown => RequestDecision.block('no')],
    ['later', async (): Promise<unknown> => RequestDecision.block('no')],
  ])(
    'a Block that comes %s ends the call, whatever the policy makes of it',
    async (_when, answer) => {
      const log: string[] = [];
      const insists = wraps('insists', async function* (request, next) {
        try {
          yield* next(cooler);
        } catch {
          log.push('caught');
          yield* next(request);
        }
      });
      const run = around([insists, judges('guard', () => illegal(answer()))]);
      await expect(run.read()).rejects.toThrow();
      expect(run.wrapped.ending).toMatchObject({ type: 'block', policy: 'guard', reason: 'no' });
      await new Promise(setImmediate);
      expect(log).toEqual(['caught']);
      expect(run.requests).toEqual([]);
      expect(run.failures()).toEqual([]);
    },
  );

  test('a further change there is a failure', async () => {
    const changes = judges('changes', (request) =>
      RequestDecision.modify({ ...request, settings: { seed: 1 } }),
    );
    const run = around([changes, sends('sends', cooler)]);
    await expect(run.read()).rejects.toMatchObject({
      policy: 'changes',
      kind: 'changed-on-recheck',
    });
    expect(run.requests).toEqual([]);
  });

  test('a policy that fails there fails the call', async () => {
    const throws = judges('throws', () => {
      throw new Error('x');
    });
    const run = around([throws, sends('sends', cooler)]);
    await expect(run.read()).rejects.toMatchObject({ policy: 'throws', point: 'preLlmRequest' });
    expect(run.requests).toEqual([]);
  });

  test('judging takes none of the time of the policy that put it in place', async () => {
    const slow = judges('slow', () => sleep(60).then(() => undefined));
    const run = around([slow, sends('sends', cooler, { wrapLlmCall: { timeoutMs: 20 } })]);
    expect(await run.read()).toEqual(['hello', '!']);
    run.gate.close();
  });

  test('a cancel while it is judged calls nothing', async () => {
    const slow = judges('slow', () => sleep(30).then(() => undefined));
    const run = around([slow, sends('sends', cooler)]);
    const reading = run.read();
    await sleep(5);
    run.cancel.cancel();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await sleep(40);
    expect(run.requests).toEqual([]);
    run.gate.close();
  });

  test('one that is let go while it is judged is not sent when it has passed', async () => {
    const slow = judges('slow', () => sleep(10).then(() => undefined));
    const leaves = wraps('leaves', async function* (_request, next) {
      void next(cooler)[Symbol.asyncIterator]().next();
      yield finish;
    });
    const run = around([slow, leaves]);
    const reading = run.wrapped.parts[Symbol.asyncIterator]();
    expect(await reading.next()).toMatchObject({ value: { type: 'finish' } });
    expect(await reading.next()).toMatchObject({ done: true });
    await sleep(20);
    expect(run.requests).toEqual([]);
    run.wrapped.close();
  });

  test('parts that are asked for while it is judged wait for one verdict and come from one call', async () => {
    let judged = 0;
    const slow = judges('slow', async () => {
      judged += 1;
      await sleep(5);
      return undefined;
    });
    const hurries = wraps('hurries', async function* (_request, next) {
      const parts = next(cooler)[Symbol.asyncIterator]();
      const both = await Promise.all([parts.next(), parts.next()]);
      for (const { value } of both) if (value !== undefined) yield value;
    });
    const run = around([slow, hurries]);
    expect(await run.read()).toEqual(['hello', '!']);
    expect(judged).toBe(1);
    expect(run.requests).toEqual([cooler]);
    run.gate.close();
  });

  const unfit: readonly (readonly [string, unknown])[] = [
    ['other tools', { ...given, tools: [] }],
    ['no message', { ...given, messages: [] }],
    ['a message that is none', { ...given, messages: [{ role: 'user', content: 'x' }] }],
    ['an unknown setting', { ...given, settings: { apiKey: 'x' } }],
    ['an unknown key', { ...given, model: 'other' }],
    ['nothing', undefined],
    ['a text', 'hello'],
    [
      'what cannot be read',
      {
        get messages() {
          throw new Error('secret');
        },
      },
    ],
  ];
  test.each(unfit)(
    '%s is a failure of the policy, also when it catches it',
    async (_what, request) => {
      const insists = wraps('insists', async function* (asked, next) {
        try {
          next(illegal(request));
        } catch {
          yield* next(asked);
        }
      });
      const run = around([insists]);
      await expect(run.read()).rejects.toMatchObject({
        policy: 'insists',
        kind: 'invalid-rewrite',
      });
      await new Promise(setImmediate);
      expect(run.requests).toEqual([]);
      expect(run.failures()).toHaveLength(1);
    },
  );

  test.each(unfit)('with %s it is as if absent where it is open', async (_what, request) => {
    const run = around([sends('sends', request, { wrapLlmCall: { failure: 'open' } })]);
    expect(await run.read()).toEqual(['hello', '!']);
    expect(run.requests).toEqual([given]);
    await new Promise(setImmediate);
    expect(run.failures()).toMatchObject([{ open: true }]);
  });

  test('what a policy keeps of it cannot be changed after it was judged', async () => {
    const mine = { ...given, settings: { temperature: 0 } };
    const changes = wraps('changes', async function* (_request, next) {
      const below = next(mine);
      mine.settings.temperature = 2;
      yield* below;
    });
    const run = around([changes]);
    await run.read();
    expect(run.requests[0]?.settings).toEqual({ temperature: 0 });
  });
});
