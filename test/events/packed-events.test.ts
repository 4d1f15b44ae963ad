import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { AgentEvent, EventBody, EventStamp, EventType } from '../../src/events/event.ts';
import { EventForms } from '../../src/events/event-forms.ts';
import { EventPacker, PackedEvents } from '../../src/events/packed-events.ts';
import { stamped } from '../../src/events/stamp.ts';
import { EventLog } from '../../src/stores/event-log.ts';

type Body<Type extends EventType> = Extract<EventBody, { readonly type: Type }>;

/** Every field that the kinds which are packed can have: one that is added has to be added here, too. */
const FULL: { readonly [Type in PackedType]: Required<Body<Type>> } = {
  'step.started': { type: 'step.started' },
  'step.finished': { type: 'step.finished', outcome: 'rejected' },
  'llm.requested': { type: 'llm.requested', model: 'm', purpose: 'main', attempt: 2 },
  'llm.responded': {
    type: 'llm.responded',
    responseId: 'r',
    model: 'm',
    finishReason: 'stop',
    toolCalls: 0,
    usage: { inputTokens: 1, outputTokens: 2 },
    latencyMs: 3,
    purpose: 'main',
    cost: 0,
  },
  'hook.decided': {
    type: 'hook.decided',
    policy: 'p',
    point: 'preToolUse',
    decision: 'allow',
    durationMs: 0.5,
    version: '1',
    reason: '',
    callId: '1.1.0',
    toolName: 'pay',
    recheck: true,
    shadow: true,
    digest: 'd',
  },
  'tool.called': { type: 'tool.called', callId: '1.1.0', toolName: 'pay', requestedInput: null },
  'tool.started': { type: 'tool.started', callId: '1.1.0', toolName: 'pay', source: 'model' },
  'tool.succeeded': {
    type: 'tool.succeeded',
    callId: '1.1.0',
    toolName: 'pay',
    source: 'model',
    durationMs: 4,
    prechecked: true,
  },
};

type PackedType =
  | 'step.started'
  | 'step.finished'
  | 'llm.requested'
  | 'llm.responded'
  | 'hook.decided'
  | 'tool.called'
  | 'tool.started'
  | 'tool.succeeded';

const OTHERS: readonly EventBody[] = [
  { type: 'turn.started', isFirst: true },
  { type: 'message.user', text: 'hello' },
  { type: 'thread.ended', reason: 'over' },
];

const OPTIONAL: { readonly [Type in PackedType]?: readonly (keyof Body<Type>)[] } = {
  'llm.responded': ['purpose', 'cost'],
  'hook.decided': ['version', 'reason', 'callId', 'toolName', 'recheck', 'shadow', 'digest'],
  'tool.succeeded': ['prechecked'],
};

/** A body with every set of the fields that it need not have. */
function variants(body: EventBody): readonly EventBody[] {
  let some = [body];
  for (const field of OPTIONAL[body.type as PackedType] ?? [])
    some = some.flatMap((one) => [one, without(one, field)]);
  return some;
}

function without(body: EventBody, left: string): EventBody {
  const fields = Object.entries(body).filter(([field]) => field !== left);
  return Object.fromEntries(fields) as EventBody; // The field need not be there.
}

function stampAt(seq: number): EventStamp {
  return { threadId: 't', turnId: `${seq % 7}`, step: seq % 3, at: 1_000.5 + (seq % 5), seq };
}

describe('packed events', () => {
  test.each(Object.values(FULL))('$type: reads as it was given, whatever fields it has', (full) => {
    for (const body of variants(full)) {
      const packer = packerOf('t');
      packer.add(body, stampAt(8));
      expect(packer.take().events).toStrictEqual([stamped(body, stampAt(8))]);
    }
  });

  test('events of all kinds in one list keep their order, their numbers, gaps and stamps', () => {
    const bodies = [...Object.values(FULL).flatMap(variants), ...OTHERS];
    const packer = packerOf('t');
    const expected = [...bodies, ...bodies.toReversed()].map((body, index) => {
      const stamp = stampAt(index < bodies.length ? index + 1 : index + 5);
      packer.add(body, stamp);
      return stamped(body, stamp);
    });
    const packed = packer.take();
    expect(packed.events).toStrictEqual(expected);
    expect([packed.firstSeq, packed.lastSeq]).toEqual([1, expected.length + 4]);
  });

  test('commits of one turn that become one say their turn once, and else only what is later', () => {
    const packer = packerOf('t');
    const stamps = [
      { step: 1, at: 5 },
      { step: 1, at: 5 },
      { step: 1, at: 9 },
      { step: 2, at: 9 },
      { step: 2, at: 5 },
    ].map((stamp, index) => ({ threadId: 't', turnId: '1', seq: index + 1, ...stamp }));
    const commits = stamps.map((stamp) => {
      packer.add({ type: 'step.started' }, stamp);
      return packer.take();
    });
    const joined = PackedEvents.joined(commits);
    expect(commits.map(({ size }) => size)).toEqual([5, 5, 5, 5, 5]);
    // The last is told whole: a clock that was put back.
    expect(joined.size).toBe(5 + 1 + 2 + 2 + 5);
    const expected = stamps.map((stamp) => stamped({ type: 'step.started' }, stamp));
    expect(joined.events).toStrictEqual(expected);
    // Others in between are not what they are later than.
    const apart = PackedEvents.joined(commits.filter((_, index) => index !== 1));
    expect(apart.events).toStrictEqual(expected.filter((_, index) => index !== 1));
  });

  test('what is packed later changes nothing that was taken before', () => {
    const packer = packerOf('t');
    packer.add(FULL['tool.started'], stampAt(1));
    const first = packer.take();
    packer.add(FULL['step.finished'], stampAt(2));
    const second = packer.take();
    expect(first.events).toStrictEqual([stamped(FULL['tool.started'], stampAt(1))]);
    expect(second.events).toStrictEqual([stamped(FULL['step.finished'], stampAt(2))]);
    expect(packer.take().firstSeq).toBeUndefined();
  });

  test('an event of a subagent keeps the agents it rose through', () => {
    const packer = packerOf('t');
    const stamp = { ...stampAt(1), agentPath: ['billing'] };
    packer.add(OTHERS[0] as EventBody, stamp);
    packer.add(FULL['tool.started'], { ...stamp, seq: 2 });
    expect(packer.take().events.map(({ agentPath }) => agentPath)).toEqual([
      ['billing'],
      ['billing'],
    ]);
  });

  test('of one turn: steps, times far apart and to the digit, and durations below a microsecond', () => {
    const packer = packerOf('t');
    const ats = [1_000, 1_000, 1_001, 999, 1_000.25, 5e12, 1_000];
    const durations = [0, 0.001, 1e-9, 1 / 3, 0.1 + 0.2, 4e9, 12.345];
    const expected = ats.map((at, index) => {
      const body = { ...FULL['tool.succeeded'], durationMs: durations[index] ?? 0 };
      const { prechecked: _, ...plain } = body;
      const stamp = { threadId: 't', turnId: '1', step: index >> 1, at, seq: index + 1 };
      packer.add(plain, stamp);
      return stamped(plain, stamp);
    });
    expect(packer.take().events).toStrictEqual(expected);
  });

  test('tokens of every kind read as they were', () => {
    const packer = packerOf('t');
    const { purpose: _, cost: __, ...responded } = FULL['llm.responded'];
    const more = [
      {},
      { cachedInputTokens: 1 },
      { reasoningTokens: 0 },
      { otherModels: [{ model: 'n', inputTokens: 1, outputTokens: 1 }] },
    ];
    const expected = more.map((some, index) => {
      const body = { ...responded, usage: { ...responded.usage, ...some } };
      packer.add(body, stampAt(7 * index + 1));
      return stamped(body, stampAt(7 * index + 1));
    });
    expect(packer.take().events).toStrictEqual(expected);
  });

  test('names that never come again still read as they were', () => {
    const packer = packerOf('t');
    const names = Array.from({ length: 1_200 }, (_, index) => `tool ${index % 600}`);
    const events = names.flatMap((toolName, index) => {
      packer.add({ ...FULL['tool.started'], toolName }, stampAt(7 * index + 1));
      return packer.take().events;
    });
    expect(events.map((event) => 'toolName' in event && event.toolName)).toEqual(names);
  });
});

test('names that never come again do not stay, not even where a few of their events do', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const packer = packerOf('t');
  const kept: PackedEvents[] = [];
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = used();
  for (let index = 0; index < 20_000; index += 1) {
    const toolName = `${index}${'x'.repeat(2_000)}`.toUpperCase();
    packer.add({ ...FULL['tool.started'], toolName }, stampAt(7 * index + 1));
    const packed = packer.take();
    if (index % 200 === 0) kept.push(packed);
  }
  const grown = used() - before;
  expect(kept.flatMap(({ events }) => events)).toHaveLength(100);
  packer.add(FULL['tool.started'], stampAt(1));
  expect(grown).toBeLessThan(4_000_000);
});

describe('packed events of several commits', () => {
  const commit = (packer: EventPacker, seqs: readonly number[]): PackedEvents => {
    for (const seq of seqs) packer.add(FULL['tool.started'], { ...stampAt(seq), turnId: '1' });
    return packer.take();
  };
  const started = (seq: number): AgentEvent =>
    stamped(FULL['tool.started'], { ...stampAt(seq), turnId: '1' });

  test('joined: all are there, with the gap between them', () => {
    const packer = packerOf('t');
    const joined = PackedEvents.joined([[1, 2], [5, 6], [7]].map((seqs) => commit(packer, seqs)));
    expect(joined.events).toStrictEqual([1, 2, 5, 6, 7].map(started));
    expect([joined.firstSeq, joined.lastSeq, PackedEvents.joined([]).firstSeq]).toEqual([
      1,
      7,
      undefined,
    ]);
  });

  test('a commit stays what it was when a log keeps others with it', () => {
    const packer = packerOf('t');
    const log = new EventLog();
    const commits = Array.from({ length: 40 }, (_, index) => commit(packer, [index + 1]));
    for (const one of commits) log.add(one);
    expect(commits.flatMap(({ events }) => events)).toStrictEqual(log.read(0, 99));
  });

  test('a log of several turns and runs, with commits that are not packed between them', () => {
    const log = new EventLog();
    const expected: AgentEvent[] = [];
    for (let seq = 1; seq < 300; seq += 3) {
      const packer = packerOf('t');
      for (const next of [seq, seq + 1]) {
        const stamp = { ...stampAt(next), turnId: `${seq >> 5}` };
        packer.add(FULL['tool.started'], stamp);
        expected.push(stamped(FULL['tool.started'], stamp));
        log.add(packer.take());
      }
      const plain = stamped(FULL['tool.called'], stampAt(seq + 2));
      if (seq % 4 === 0) expected.push(plain);
      if (seq % 4 === 0) log.add([plain]);
    }
    expect(log.read(0, 999)).toStrictEqual(expected);
    expect(log.read(150, 20)).toStrictEqual(expected.filter(({ seq }) => seq > 150).slice(0, 20));
  });

  test('a log gives every page of them, wherever it begins', () => {
    const packer = packerOf('t');
    const log = new EventLog();
    const seqs = Array.from({ length: 200 }, (_, index) => index + 1 + (index >> 4));
    for (let from = 0; from < seqs.length; from += 5)
      log.add(commit(packer, seqs.slice(from, from + 5)));
    for (const after of [0, 1, 7, 16, 17, 18, 100, seqs.at(-1) ?? 0]) {
      const expected = seqs.filter((seq) => seq > after).slice(0, 40);
      expect(log.read(after, 40)).toStrictEqual(expected.map(started));
    }
    expect(log.lastSeq).toBe(seqs.at(-1));
  });
});

function packerOf(threadId: string): EventPacker {
  return new EventPacker(threadId, new EventForms());
}
