import { describe, expect, test } from 'vitest';
import type { EventBody, EventStamp, EventType } from '../../src/events/event.ts';
import { EventPacker } from '../../src/events/packed-events.ts';
import { stamped } from '../../src/events/stamp.ts';

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
      const packer = new EventPacker('t');
      packer.add(body, stampAt(8));
      expect(packer.take().events).toStrictEqual([stamped(body, stampAt(8))]);
    }
  });

  test('events of all kinds in one list keep their order, their numbers, gaps and stamps', () => {
    const bodies = [...Object.values(FULL).flatMap(variants), ...OTHERS];
    const packer = new EventPacker('t');
    const expected = [...bodies, ...bodies.toReversed()].map((body, index) => {
      const stamp = stampAt(index < bodies.length ? index + 1 : index + 5);
      packer.add(body, stamp);
      return stamped(body, stamp);
    });
    const packed = packer.take();
    expect(packed.events).toStrictEqual(expected);
    expect([packed.firstSeq, packed.lastSeq]).toEqual([1, expected.length + 4]);
  });

  test('what is packed later changes nothing that was taken before', () => {
    const packer = new EventPacker('t');
    packer.add(FULL['tool.started'], stampAt(1));
    const first = packer.take();
    packer.add(FULL['step.finished'], stampAt(2));
    const second = packer.take();
    expect(first.events).toStrictEqual([stamped(FULL['tool.started'], stampAt(1))]);
    expect(second.events).toStrictEqual([stamped(FULL['step.finished'], stampAt(2))]);
    expect(packer.take().firstSeq).toBeUndefined();
  });

  test('an event of a subagent keeps the agents it rose through', () => {
    const packer = new EventPacker('t');
    const stamp = { ...stampAt(1), agentPath: ['billing'] };
    packer.add(OTHERS[0] as EventBody, stamp);
    packer.add(FULL['tool.started'], { ...stamp, seq: 2 });
    expect(packer.take().events.map(({ agentPath }) => agentPath)).toEqual([
      ['billing'],
      ['billing'],
    ]);
  });
});
