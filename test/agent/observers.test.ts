import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AgentEvent,
  type AgentHooks,
  ConfigError,
  createAgent,
  EVENT_TYPES,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from 'agent-hooks';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callPay, callRead, desk } from '../loop/desk.ts';

const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
const warnings: string[] = [];

beforeEach(() => {
  unhandled.length = 0;
  warnings.length = 0;
  process.on('unhandledRejection', onUnhandled);
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => {
    warnings.push(String(warning));
  });
});
afterEach(async () => {
  await sleep(0);
  process.off('unhandledRejection', onUnhandled);
  vi.restoreAllMocks();
  expect(unhandled).toEqual([]);
});

const agentFor = (hooks: readonly AgentHooks[] = [], text = 'hello') =>
  createAgent({ name: 'a', model: scriptedModel([text]), hooks });

function codesOf(agent: ReturnType<typeof agentFor>): string[] {
  const codes: string[] = [];
  agent.on('error.raised', ({ code }) => codes.push(code));
  return codes;
}

describe('agent.on — patterns', () => {
  test('U-AC9, U-T1, U-T15: a pattern with a star hears every event of the noun, and a star alone everything', async () => {
    const { agent } = desk({ script: [{ toolCalls: [callRead] }, 'done'] });
    const [tools, all]: [string[], string[]] = [[], []];
    agent.on('tool.*', ({ type }) => tools.push(type));
    agent.on('*', ({ type }) => all.push(type));
    await agent.run({ message: 'go' });
    expect(tools).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
    expect(all).toEqual(expect.arrayContaining([...tools, 'turn.started', 'turn.finished']));
  });

  test.each(['tools.*', 'tool', 'turn.end', '', '**', '*.started', 'constructor'])(
    "U-AC10, U-AI5: '%s' means no event, so registering it fails, and the error lists them all",
    (pattern) => {
      const error = refusal(pattern);
      expect(error).toMatchObject({ code: 'invalid-pattern' });
      for (const type of EVENT_TYPES) expect(error?.message).toContain(type);
    },
  );

  test('U-AC10: the error names the nearest pattern', () => {
    expect(refusal('tools.*')?.message).toContain("Did you mean 'tool.*'?");
    expect(refusal('turn.finish')?.message).toContain("Did you mean 'turn.finished'?");
  });

  test.each([[5], [undefined], [null], [['tool.*']], [{}], [Symbol('x')]])(
    'U-AC10: what is no text is refused the same way',
    (pattern) => {
      const error = refusal(pattern);
      expect(error).toMatchObject({ code: 'invalid-pattern' });
      for (const type of EVENT_TYPES) expect(error?.message).toContain(type);
    },
  );

  test('a pattern that is refused leaves nothing behind', async () => {
    const agent = agentFor();
    let told = 0;
    const observer = (): void => {
      told += 1;
    };
    expect(() => agent.on('nothing' as never, observer)).toThrow(ConfigError);
    agent.on('turn.finished', observer);
    await agent.run({ message: 'go' });
    expect(told).toBe(1);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', {}])(
    'M-18: a time limit of %s is refused',
    (timeoutMs) => {
      const options = { timeoutMs } as never;
      expect(() => agentFor().on('*', () => 0, options)).toThrow(
        expect.objectContaining({ code: 'invalid-option' }),
      );
    },
  );

  test('an unknown option, options that are none, and an observer that is no function are refused', () => {
    const agent = agentFor();
    expect(() => agent.on('*', () => 0, { timeout: 5 } as never)).toThrow(
      expect.objectContaining({ code: 'unknown-option' }),
    );
    expect(() => agent.on('*', () => 0, null as never)).toThrow(ConfigError);
    expect(() => agent.on('*', {} as never)).toThrow(ConfigError);
  });

  function refusal(pattern: unknown): Error | undefined {
    try {
      agentFor().on(pattern as never, () => 0);
    } catch (error) {
      return error as Error;
    }
    return undefined;
  }
});

describe('agent.on — who is told', () => {
  test('M-9: any number of observers, each once for an event', async () => {
    const agent = agentFor();
    const heard: string[] = [];
    for (const name of ['a', 'b', 'c']) agent.on('turn.finished', () => heard.push(name));
    await agent.run({ message: 'go' });
    expect(heard).toEqual(['a', 'b', 'c']);
  });

  test('U-T13: a function registered for overlapping patterns is told once of each event', async () => {
    const agent = agentFor();
    const heard: string[] = [];
    const observer = ({ type }: AgentEvent): void => void heard.push(type);
    const stops = [
      agent.on('turn.*', observer),
      agent.on('*', observer),
      agent.on('turn.finished', observer),
    ];
    await agent.run({ message: 'go' });
    expect(heard).toHaveLength(new Set(heard).size);
    expect(heard).toContain('step.started');
    heard.length = 0;
    stops[1]?.();
    await agent.stream({ message: 'go' }).result;
    expect(heard).toEqual(['turn.started', 'turn.finished']);
    heard.length = 0;
    stops[0]?.();
    await agent.stream({ message: 'go' }).result;
    expect(heard).toEqual(['turn.finished']);
  });

  test('also after one of its registrations was stopped twice', async () => {
    const agent = agentFor();
    let told = 0;
    const observer = (): void => {
      told += 1;
    };
    const stop = agent.on('turn.*', observer);
    agent.on('turn.finished', observer);
    stop();
    stop();
    agent.on('turn.*', observer);
    await agent.run({ message: 'go' });
    expect(told).toBe(2); // turn.started and turn.finished
  });

  test('two functions that do the same are two observers', async () => {
    const agent = agentFor();
    let told = 0;
    const make = () => (): void => {
      told += 1;
    };
    agent.on('turn.finished', make());
    agent.on('turn.finished', make());
    await agent.run({ message: 'go' });
    expect(told).toBe(2);
  });

  test('stopping is for this registration only, holds at once, and may be done twice', async () => {
    const agent = agentFor();
    const heard: string[] = [];
    const observer = (): void => void heard.push('same');
    const stop = agent.on('turn.*', observer);
    agent.on('turn.finished', observer);
    agent.on('turn.started', () => stopLater());
    const stopLater = agent.on('turn.started', () => heard.push('too late'));
    stop();
    stop();
    await agent.run({ message: 'go' });
    expect(heard).toEqual(['same']);
  });

  test('one that stops itself while it is told is told once, though registered twice', async () => {
    const agent = agentFor();
    let told = 0;
    const observer = (): void => {
      told += 1;
      stop();
    };
    const stop = agent.on('turn.finished', observer);
    agent.on('turn.*', observer);
    await agent.run({ message: 'go' });
    expect(told).toBe(2); // turn.started by the second registration, turn.finished by the first
  });
});

describe('agent.on — nobody waits', () => {
  test('M-19: observers that never settle, at every event, do not delay the run', async () => {
    const agent = agentFor();
    agent.on('*', () => new Promise(() => undefined));
    const before = performance.now();
    expect((await agent.run({ message: 'go' })).status).toBe('completed');
    expect(performance.now() - before).toBeLessThan(90);
    await agent.settled();
  });

  test('M-20: asynchronous observers run beside each other', async () => {
    const agent = agentFor();
    const ends: number[] = [];
    for (let count = 0; count < 3; count += 1)
      agent.on('turn.finished', async () => {
        await sleep(50);
        ends.push(performance.now());
      });
    const before = performance.now();
    await agent.run({ message: 'go' });
    await agent.settled();
    expect(ends).toHaveLength(3);
    expect(Math.max(...ends) - before).toBeLessThan(140);
  });

  test('U-AC11: a synchronous observer is done before the next event and before the agent goes on', async () => {
    const { agent, log } = desk({ script: [{ toolCalls: [callRead] }, 'done'] });
    agent.on('llm.requested', () => log.push('requested'));
    agent.on('tool.started', () => log.push('first'));
    agent.on('tool.*', ({ type }) => log.push(type));
    agent.on('turn.finished', () => log.push('finished'));
    await agent.run({ message: 'go' });
    log.push('resolved');
    expect(log.indexOf('first')).toBe(log.indexOf('tool.started') - 1);
    expect(log.indexOf('tool.started')).toBeLessThan(log.indexOf('tool.succeeded'));
    expect(log.slice(-2)).toEqual(['finished', 'resolved']);
  });

  test('U-AC12: an asynchronous observer of a call delays neither the tool nor the answer', async () => {
    const { agent, log } = desk({ script: [{ toolCalls: [callRead] }, 'done'] });
    agent.on(
      'tool.called',
      async () => {
        await sleep(60);
        log.push('observed');
      },
      { timeoutMs: 500 },
    );
    await agent.run({ message: 'go' });
    log.push('resolved');
    await agent.settled();
    expect(log.slice(-3)).toEqual(['model', 'resolved', 'observed']);
  });

  test('M-31: settled resolves within the largest limit, whatever hangs', async () => {
    const agent = agentFor();
    agent.on('turn.started', () => new Promise(() => undefined), { timeoutMs: 30 });
    agent.on('turn.started', () => new Promise(() => undefined), { timeoutMs: 60 });
    await agent.run({ message: 'go' });
    const before = performance.now();
    await agent.settled();
    expect(performance.now() - before).toBeLessThan(100);
    await agent.settled();
  });

  test('M-31: settled waits for those told so far, not for those told while it waits', async () => {
    const agent = createAgent({ name: 'a', model: scriptedModel(['one', 'two']) });
    let release = (): void => undefined;
    agent.on('turn.started', ({ threadId }) =>
      threadId === 'second'
        ? new Promise(() => undefined)
        : new Promise<void>((r) => (release = r)),
    );
    await agent.run({ threadId: 'first', message: 'go' });
    const settled = agent.settled();
    await agent.run({ threadId: 'second', message: 'go' });
    const before = performance.now();
    release();
    await settled;
    expect(performance.now() - before).toBeLessThan(50);
  });
});

describe('agent.on — time limits and failures', () => {
  test('M-21: after 100 ms an observer is given up on, and told of once', async () => {
    const agent = agentFor();
    const codes = codesOf(agent);
    agent.on('turn.finished', () => sleep(300));
    const before = performance.now();
    await agent.run({ message: 'go' });
    await agent.settled();
    expect(performance.now() - before).toBeGreaterThan(90);
    expect(performance.now() - before).toBeLessThan(250);
    expect(codes).toEqual(['observer-timed-out']);
    await sleep(250);
    expect(codes).toEqual(['observer-timed-out']);
  });

  test('M-22: a longer limit of its own holds', async () => {
    const agent = agentFor();
    const codes = codesOf(agent);
    agent.on('turn.finished', () => sleep(150), { timeoutMs: 400 });
    await agent.run({ message: 'go' });
    await agent.settled();
    expect(codes).toEqual([]);
  });

  test('M-28: a rejection after the limit is told of once more, as late, and is never unhandled', async () => {
    const agent = agentFor();
    const codes = codesOf(agent);
    agent.on(
      'turn.finished',
      async () => {
        await sleep(40);
        throw new Error('late');
      },
      { timeoutMs: 10 },
    );
    await agent.run({ message: 'go' });
    await sleep(80);
    expect(codes).toEqual(['observer-timed-out', 'observer-failed-late']);
  });

  test('M-25, U-AC14, U-T12, U-T16: one that throws or rejects is told of once, starves nobody and changes nothing', async () => {
    const { agent, store } = desk({ script: [{ toolCalls: [callRead] }, 'done'] });
    const told: unknown[] = [];
    const heard: string[] = [];
    agent.on('error.raised', ({ code, name, details }) => told.push({ code, name, details }));
    for (const type of ['turn.started', 'tool.succeeded', 'turn.finished'] as const) {
      agent.on(type, () => {
        throw new RangeError('secret');
      });
      agent.on(type, () => Promise.reject(new TypeError('secret')));
      agent.on(type, (event) => heard.push(event.type));
    }
    const result = await agent.run({ threadId: 't', message: 'go' });
    await agent.settled();
    const quiet = desk({ script: [{ toolCalls: [callRead] }, 'done'] });
    const alone = await quiet.agent.run({ threadId: 't', message: 'go' });
    expect(result).toEqual(alone);
    expect(await store.readMessages('t')).toEqual(await quiet.store.readMessages('t'));
    expect(heard).toEqual(['turn.started', 'tool.succeeded', 'turn.finished']);
    expect(told).toHaveLength(6);
    for (const event of heard)
      for (const name of ['RangeError', 'TypeError'])
        expect(told).toContainEqual({ code: 'observer-failed', name, details: { event } });
    expect(JSON.stringify(told)).not.toContain('secret');
    expect(warnings).toEqual([]);
  });

  test('M-25: where nobody hears of errors, a failing observer is one warning, however often it fails', async () => {
    const agent = agentFor();
    agent.on('*', () => {
      throw new RangeError('secret');
    });
    agent.on('turn.*', () => Promise.reject(new TypeError('secret')));
    // The first observer hears of the second, and of itself it must not.
    await agent.run({ message: 'go' });
    await agent.settled();
    const alone = agentFor();
    alone.on('turn.*', () => Promise.reject(new TypeError('secret')));
    await alone.run({ message: 'go' });
    await alone.settled();
    expect(warnings).toEqual([
      "an observer of 'error.raised' failed with RangeError (observer-failed)",
      "an observer of 'turn.started' failed with TypeError (observer-failed)",
    ]);
  });

  test('X27: one that fails on every event, at once or later, never hears of itself without end', async () => {
    for (const fail of [
      () => {
        throw new Error('always');
      },
      () => Promise.reject(new Error('always')),
    ]) {
      const agent = agentFor();
      let told = 0;
      agent.on('*', () => {
        told += 1;
        return fail();
      });
      const other = codesOf(agent);
      await agent.run({ message: 'go' });
      await agent.settled();
      await sleep(5);
      await agent.settled();
      // Each event and, once each, the news that it failed on it.
      expect(told).toBe(other.length * 2);
      expect(other.length).toBeGreaterThan(5);
    }
  });

  test('M-26: what an observer throws or returns decides nothing', async () => {
    const { agent, model, log } = desk({
      script: [{ toolCalls: [callPay(5)], text: 'paying' }, 'done'],
    });
    agent.on('*', () => ResponseDecision.retryWithFeedback('again'));
    agent.on('*', () => {
      throw ToolDecision.block('no');
    });
    agent.on('*', async () => ResponseDecision.modify({ text: 'changed' }));
    const result = await agent.run({ message: 'go' });
    await agent.settled();
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(model.requests).toHaveLength(2);
    expect(log).toContain('pay 5');
  });

  test('U-AC4: there is no voice here: an observer that speaks, and fails at it, fails like any other', async () => {
    const agent = agentFor();
    const codes = codesOf(agent);
    agent.on('message.outgoing', () => {
      throw new Error('the line is dead');
    });
    expect(await agent.run({ message: 'go' })).toMatchObject({ status: 'completed' });
    expect(codes).toEqual(['observer-failed']);
  });
});
