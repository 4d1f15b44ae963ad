import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AgentEvent, EventBody, EventStamp } from '../../src/events/event.ts';
import { EventForms } from '../../src/events/event-forms.ts';
import { EventPacker } from '../../src/events/packed-events.ts';
import { stamped } from '../../src/events/stamp.ts';
import type { Writable } from '../../src/internal/writable.ts';
import { Outbox, type Outgoing } from '../../src/loop/outbox.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import { EventLog } from '../../src/stores/event-log.ts';

/** Few, so that they come again, and such as are easily taken for one another. */
const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('', '0', '1', 'a', 'A', '__proto__', 'toString', '\ud83d', '\ud83e'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 4 }) },
);
const yes = fc.constant(true as const);
const tokens = fc.record(
  {
    inputTokens: fc.nat(),
    outputTokens: fc.nat(),
    cachedInputTokens: fc.nat(3),
    reasoningTokens: fc.nat(3),
    otherModels: fc.constant([{ model: 'n', inputTokens: 1, outputTokens: 0 }]),
  },
  { requiredKeys: ['inputTokens', 'outputTokens'], noNullPrototype: true },
);

/** JSON has one zero only. */
function number(most: number): fc.Arbitrary<number> {
  return fc
    .oneof(
      fc.nat(3),
      fc.nat(9_999).map((us) => us / 1000),
      fc.integer({ min: 2 ** 30 - 2, max: 2 ** 30 + 2 }),
      fc.integer({ min: 2 ** 30 - 2, max: 2 ** 30 + 2 }).map((us) => us / 1000),
      fc.double({ min: -most, max: most, noNaN: true }),
    )
    .map((value) => (value === 0 ? 0 : value));
}

const durationMs = number(1e300);
const called = { callId: name, toolName: name };
const source = fc.constantFrom('model' as const, 'event' as const);
const isOf = <Type extends string>(type: Type): fc.Arbitrary<Type> => fc.constant(type);

const purpose = fc.constantFrom('main' as const, 'compaction' as const);
const responded = {
  type: isOf('llm.responded'),
  responseId: name,
  model: name,
  finishReason: fc.constantFrom('stop' as const, 'tool-calls' as const),
  toolCalls: fc.nat(3),
  usage: tokens,
  latencyMs: durationMs,
};
const decided = {
  type: isOf('hook.decided'),
  policy: name,
  point: name,
  decision: name,
  durationMs,
};

function keysOf<Fields extends object>(fields: Fields): (keyof Fields)[] {
  return Object.keys(fields) as (keyof Fields)[]; // It has no others.
}

const KINDS: readonly fc.Arbitrary<EventBody>[] = [
  fc.record({ type: isOf('step.started') }),
  fc.record({
    type: isOf('step.finished'),
    outcome: fc.constantFrom('accepted' as const, 'rejected' as const, 'ended' as const),
  }),
  fc.record({
    type: isOf('llm.requested'),
    model: name,
    purpose,
    attempt: number(9),
  }),
  fc.record(responded),
  fc.record({ ...responded, purpose, cost: number(9) }, { requiredKeys: keysOf(responded) }),
  fc.record(decided),
  fc.record({ ...decided, ...called }),
  fc.record({ ...decided, ...called }, { requiredKeys: keysOf(decided) }),
  fc.record(
    { ...decided, ...called, version: name, reason: name, recheck: yes, shadow: yes, digest: name },
    { requiredKeys: keysOf(decided) },
  ),
  fc.record({
    type: isOf('tool.called'),
    ...called,
    requestedInput: fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>,
  }),
  fc.record({ type: isOf('tool.started'), ...called, source }),
  fc.record(
    { type: isOf('tool.succeeded'), ...called, source, durationMs, prechecked: yes },
    { requiredKeys: ['type', 'callId', 'toolName', 'source', 'durationMs'] },
  ),
  fc.record({ type: isOf('message.user'), text: name }),
  fc.record({ type: isOf('turn.started'), isFirst: fc.boolean() }),
];

const few = { minLength: 8, maxLength: 8 };
const bodies = fc.oneof(
  fc.array(fc.oneof(...KINDS), few),
  ...KINDS.map((kind) => fc.array(kind, few)),
);

/** Which of the few bodies of a case: what is said comes again. */
type Which = number;
const which = fc.nat(7);

/** What may become of a thread. */
type Move =
  | {
      readonly kind: 'tell';
      readonly body: Which;
      readonly turnId: string | undefined;
      readonly step: number | undefined;
      /** Milliseconds, or where the clock is put. */
      readonly later: number;
      readonly at: number | undefined;
      readonly gap: number;
      readonly agentPath: readonly string[] | undefined;
    }
  | { readonly kind: 'commit begins' | 'commit' | 'commit fails' | 'new run' | 'rewrite' }
  /** By somebody who packs nothing, as an import does. */
  | { readonly kind: 'commit plainly'; readonly body: Which };

function rarely<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> {
  return fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: value },
  );
}

const told = fc.record({
  kind: isOf('tell'),
  body: which,
  turnId: rarely(fc.constantFrom('', '1', '2')),
  step: rarely(fc.nat(2)),
  later: fc.constantFrom(0, 0, 0, 1, 0.25, -1),
  at: rarely(number(1e300)),
  gap: fc.constantFrom(0, 0, 0, 0, 1, 7),
  agentPath: rarely(fc.constant(['below'])),
});
const isRare = fc.constantFrom('commit fails' as const, 'new run' as const, 'rewrite' as const);
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 40, arbitrary: told },
  { weight: 14, arbitrary: fc.record({ kind: isOf('commit') }) },
  { weight: 4, arbitrary: fc.record({ kind: isOf('commit begins') }) },
  { weight: 3, arbitrary: fc.record({ kind: isRare }) },
  { weight: 1, arbitrary: fc.record({ kind: isOf('commit plainly'), body: which }) },
);

/** A thread that is kept packed, and all that it was told as a plain list. */
class Thread {
  readonly #threadId: string;
  readonly #forms: EventForms;
  readonly #bodies: readonly EventBody[];
  #outbox: Outbox;
  #log = new EventLog();
  #told: AgentEvent[] = [];
  #sent: { readonly outgoing: Outgoing; readonly events: readonly AgentEvent[] } | undefined;
  #stored: AgentEvent[] = [];
  readonly #now = { turnId: '1', step: 0, at: 1.7e12, seq: 0 };

  constructor(threadId: string, forms: EventForms, bodies: readonly EventBody[]) {
    this.#threadId = threadId;
    this.#forms = forms;
    this.#bodies = bodies;
    this.#outbox = this.#newOutbox();
  }

  move(made: Move): void {
    if (made.kind === 'tell') this.#tell(made);
    else if (made.kind === 'commit begins') this.#sent ??= this.#send();
    else if (made.kind === 'commit') this.#commit();
    else if (made.kind === 'commit fails') this.#fail();
    else if (made.kind === 'new run') this.#run();
    else if (made.kind === 'commit plainly') this.#commitPlainly(this.#bodyOf(made.body));
    else this.#rewrite();
  }

  check(pages: readonly (readonly [after: number, limit: number])[]): void {
    const stored = this.#stored;
    expect(this.#log.read(0, Number.POSITIVE_INFINITY)).toStrictEqual(stored);
    expect(this.#log.lastSeq).toBe(stored.at(-1)?.seq ?? 0);
    for (const [after, limit] of pages) {
      const page = stored.filter(({ seq }) => seq > after).slice(0, limit);
      expect(this.#log.read(after, limit)).toStrictEqual(page);
    }
  }

  #tell(made: Extract<Move, { readonly kind: 'tell' }>): void {
    const now = this.#now;
    now.turnId = made.turnId ?? now.turnId;
    now.step = made.step ?? now.step;
    now.at = made.at ?? now.at + made.later;
    now.seq += made.gap + 1;
    const body = this.#bodyOf(made.body);
    const stamp: Writable<EventStamp> = { threadId: this.#threadId, ...now };
    if (made.agentPath !== undefined) stamp.agentPath = made.agentPath;
    this.#told.push(stamped(body, stamp));
    this.#outbox.add(body, stamp);
    // A run has one stamp for all its events.
    Object.assign(stamp, { threadId: 'x', turnId: 'x', step: -1, at: -1, seq: -1 });
  }

  #send(): { readonly outgoing: Outgoing; readonly events: readonly AgentEvent[] } {
    return { outgoing: this.#outbox.take(), events: this.#told.splice(0) };
  }

  #commit(): void {
    const { outgoing, events } = this.#sent ?? this.#send();
    this.#sent = undefined;
    this.#log.add(outgoing);
    this.#stored.push(...events);
  }

  #fail(): void {
    const { outgoing, events } = this.#sent ?? this.#send();
    this.#sent = undefined;
    this.#outbox.putBack(outgoing);
    this.#told.unshift(...events);
  }

  #run(): void {
    this.#outbox = this.#newOutbox();
    this.#told = [];
    this.#sent = undefined;
  }

  #commitPlainly(body: EventBody): void {
    this.#run();
    this.#now.seq += 1;
    const event = stamped(body, { threadId: this.#threadId, ...this.#now });
    this.#log.add([event]);
    this.#stored.push(event);
  }

  #rewrite(): void {
    this.#log = this.#log.map(nextStep);
    this.#stored = this.#stored.map(nextStep);
  }

  #newOutbox(): Outbox {
    return new Outbox(new EventPacker(this.#threadId, this.#forms));
  }

  #bodyOf(which: Which): EventBody {
    return this.#bodies[which] ?? expect.fail(`no body ${which}`);
  }
}

function nextStep(event: AgentEvent): AgentEvent {
  return { ...event, step: event.step + 1 };
}

const moves = fc.array(fc.tuple(fc.nat(1), move), { maxLength: 160, size: 'max' });
const pages = fc.array(fc.tuple(fc.integer({ min: -1, max: 90 }), fc.nat(30)), { maxLength: 6 });

test('whatever is told in whatever runs of two threads of one store is read as it was told', () => {
  const property = fc.property(bodies, moves, pages, (said, made, read) => {
    const forms = new EventForms();
    const threads = ['t', 'u'].map((id) => new Thread(id, forms, said));
    for (const [which, one] of made) threads[which]?.move(one);
    for (const thread of threads) thread.check(read);
  });
  fc.assert(property, { seed: 20_261_130, numRuns: 500 });
}, 60_000);
