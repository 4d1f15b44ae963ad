import { describe, expect, test, vi } from 'vitest';
import type { AgentEvent, EventBody } from '../../src/events/event.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { bench, illegal, NOW, sleep } from './make-gate.ts';

const stamp = { threadId: 'thread-1', turnId: 'turn-1', step: 2, at: 0, seq: 1 };
const event = (body: EventBody): AgentEvent => ({ ...stamp, ...body });
const started = event({ type: 'step.started' });
const tool = event({ type: 'tool.started', callId: '1', toolName: 'find', source: 'model' });

describe('onEvent', () => {
  test('hears the events its patterns name, each once', () => {
    const heard: string[] = [];
    const listen = (
      name: string,
      events?: readonly ('tool.*' | 'tool.started' | 'step.started')[],
    ) =>
      defineHooks({
        name,
        ...(events && { events }),
        onEvent: ({ type }) => heard.push(`${name} ${type}`),
      });
    const { gate } = bench([
      listen('all'),
      listen('tools', ['tool.*', 'tool.started']),
      listen('none', []),
    ]);
    gate.observe(started);
    gate.observe(tool);
    expect(heard).toEqual(['all step.started', 'all tool.started', 'tools tool.started']);
  });

  test('is told of the step of the event', () => {
    const seen: number[] = [];
    const { gate } = bench([
      defineHooks({ name: 'a', onEvent: (_event, ctx) => seen.push(ctx.step) }),
    ]);
    gate.observe(started);
    expect(seen).toEqual([2]);
  });

  test('B86: one that throws starves nobody, and is recorded once', () => {
    const heard: string[] = [];
    const { gate, failures } = bench([
      defineHooks({
        name: 'a',
        onEvent: () => {
          throw new TypeError('no');
        },
      }),
      defineHooks({ name: 'b', onEvent: ({ type }) => heard.push(type) }),
    ]);
    gate.observe(started);
    expect(heard).toEqual(['step.started']);
    expect(failures()).toEqual([
      {
        type: 'hook.failed',
        policy: 'a',
        point: 'onEvent',
        kind: 'threw',
        errorName: 'TypeError',
        open: true,
      },
    ]);
  });

  test('one that always fails is not told of its own failures', () => {
    let told = 0;
    const run = bench(
      [
        defineHooks({
          name: 'a',
          onEvent: () => {
            told += 1;
            throw new Error('no');
          },
        }),
      ],
      { record: (body) => run.gate.observe(event(body)) },
    );
    run.gate.observe(started);
    expect(told).toBe(1);
  });

  test('is told of the failures at other points', async () => {
    const heard: string[] = [];
    const run = bench(
      [
        defineHooks({
          name: 'a',
          onTurnStart: () => illegal('x'),
          onEvent: ({ type }) => heard.push(type),
        }),
      ],
      { record: (body) => run.gate.observe(event(body)) },
    );
    await run.gate.turnStart({ turnId: 't', isFirst: true }, NOW);
    expect(heard).toEqual(['hook.failed']);
  });

  test('is never waited for, and its answer is nothing', async () => {
    const { gate, recorded } = bench([
      defineHooks({ name: 'a', onEvent: () => ({ type: 'block', reason: 'x' }) }),
      defineHooks({ name: 'b', onEvent: async () => ({ type: 'block', reason: 'x' }) }),
    ]);
    expect(gate.observe(started)).toBeUndefined();
    await sleep(1);
    expect(recorded).toEqual([]);
    gate.close();
  });

  test('a rejection is recorded', async () => {
    const { gate, failures } = bench([
      defineHooks({ name: 'a', onEvent: async () => Promise.reject(new RangeError('no')) }),
    ]);
    gate.observe(started);
    await sleep(1);
    expect(failures()).toMatchObject([
      { point: 'onEvent', kind: 'threw', errorName: 'RangeError', open: true },
    ]);
    gate.close();
  });

  test('has 100 ms; what comes later is dropped', async () => {
    let signal: AbortSignal | undefined;
    let end = (): void => undefined;
    const { gate, failures } = bench([
      defineHooks({
        name: 'a',
        async onEvent(_event, ctx) {
          signal = ctx.signal;
          await new Promise<void>((resolve) => {
            end = resolve;
          });
          throw new Error('late');
        },
      }),
    ]);
    const before = performance.now();
    gate.observe(started);
    await vi.waitFor(() => expect(failures()).toMatchObject([{ kind: 'timed-out', open: true }]));
    expect(performance.now() - before).toBeGreaterThan(90);
    expect(signal?.aborted).toBe(true);
    end();
    await vi.waitFor(() => expect(failures()).toHaveLength(2));
    expect(failures()[1]).toMatchObject({ kind: 'threw', late: true });
    gate.close();
  });

  test('still hears what comes after the gate was closed, without a timer', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const heard: string[] = [];
    const { gate } = bench([
      defineHooks({
        name: 'a',
        async onEvent({ type }) {
          heard.push(type);
        },
      }),
    ]);
    gate.close();
    const before = timers();
    gate.observe(started);
    expect(heard).toEqual(['step.started']);
    expect(timers()).toBe(before);
  });
});
