import type { AgentEvent, EventBody, EventStamp, EventType } from './event.ts';
import { stamped } from './stamp.ts';

/** What the values after it are. In memory only, so the numbers may change. */
const SEQ = 0;
const STAMP = 1;
const EVENT = 2;
const STEP_STARTED = 3;
const STEP_FINISHED = 4;
const REQUESTED = 5;
const RESPONDED = 6;
const DECIDED = 7;
const DECIDED_OF_CALL = 8;
const CALLED = 9;
const STARTED = 10;
const SUCCEEDED = 11;

type Body<Type extends EventType> = Extract<EventBody, { readonly type: Type }>;

/**
 * Packs events of one thread, in their order: of the kinds that every step tells only what differs, and each other event
 * as it is. Ten events a step are most of what a thread is made of, and as objects they take three times the room.
 */
export class EventPacker {
  readonly #threadId: string;
  /** Used again for every commit; a step fits, so that it does not grow. */
  readonly #values: unknown[] = new Array(64);
  #length = 0;
  #nextSeq = 0;
  #turnId = '';
  #step = 0;
  #at = 0;

  constructor(threadId: string) {
    this.#threadId = threadId;
  }

  add(body: EventBody, stamp: EventStamp): void {
    this.#stamp(stamp);
    const length = stamp.agentPath === undefined ? pack(this.#values, this.#length, body) : 0;
    if (length > 0) this.#length = length;
    else this.#put(EVENT, stamped(body, stamp));
  }

  /** What was added since it was taken last. */
  take(): PackedEvents {
    const values = this.#values.slice(0, this.#length);
    this.#length = 0;
    return new PackedEvents(this.#threadId, values, this.#nextSeq - 1);
  }

  #stamp({ turnId, step, at, seq }: EventStamp): void {
    const isFirst = this.#length === 0;
    if (isFirst || seq !== this.#nextSeq) this.#put(SEQ, seq);
    this.#nextSeq = seq + 1;
    if (!isFirst && at === this.#at && step === this.#step && turnId === this.#turnId) return;
    this.#turnId = turnId;
    this.#step = step;
    this.#at = at;
    this.#put(STAMP, turnId);
    this.#put(step, at);
  }

  #put(first: unknown, second: unknown): void {
    this.#values[this.#length] = first;
    this.#values[this.#length + 1] = second;
    this.#length += 2;
  }
}

/** The events of one commit, packed. What is read of them are new objects. */
export class PackedEvents {
  readonly #threadId: string;
  readonly #values: readonly unknown[];
  /** Of the last event; says nothing where there is none. */
  readonly lastSeq: number;

  constructor(threadId: string, values: readonly unknown[], lastSeq: number) {
    this.#threadId = threadId;
    this.#values = values;
    this.lastSeq = lastSeq;
  }

  /** Of the first event; nothing for none. */
  get firstSeq(): number | undefined {
    return this.#values[1] as number | undefined; // every list begins with the number of its first
  }

  get events(): readonly AgentEvent[] {
    return unpack(this.#threadId, this.#values);
  }
}

/** Puts a body at `from` and gives where it ends; 0 for one that is not packed. */
function pack(values: unknown[], from: number, body: EventBody): number {
  switch (body.type) {
    case 'step.started':
      values[from] = STEP_STARTED;
      return from + 1;
    case 'step.finished':
      values[from] = STEP_FINISHED;
      values[from + 1] = body.outcome;
      return from + 2;
    case 'llm.requested':
      values[from] = REQUESTED;
      values[from + 1] = body.model;
      values[from + 2] = body.purpose;
      values[from + 3] = body.attempt;
      return from + 4;
    case 'llm.responded':
      return packResponded(values, from, body);
    case 'hook.decided':
      return packDecided(values, from, body);
    case 'tool.called':
      values[from] = CALLED;
      values[from + 1] = body.callId;
      values[from + 2] = body.toolName;
      values[from + 3] = body.requestedInput;
      return from + 4;
    case 'tool.started':
      values[from] = STARTED;
      values[from + 1] = body.callId;
      values[from + 2] = body.toolName;
      values[from + 3] = body.source;
      return from + 4;
    case 'tool.succeeded':
      return packSucceeded(values, from, body);
    default:
      return 0;
  }
}

function packResponded(values: unknown[], from: number, body: Body<'llm.responded'>): number {
  if (body.purpose !== undefined || body.cost !== undefined) return 0;
  values[from] = RESPONDED;
  values[from + 1] = body.responseId;
  values[from + 2] = body.model;
  values[from + 3] = body.finishReason;
  values[from + 4] = body.toolCalls;
  values[from + 5] = body.usage;
  values[from + 6] = body.latencyMs;
  return from + 7;
}

function packDecided(values: unknown[], from: number, body: Body<'hook.decided'>): number {
  const { callId, toolName } = body;
  if (body.version !== undefined || body.reason !== undefined || body.digest !== undefined)
    return 0;
  if (body.recheck !== undefined || body.shadow !== undefined) return 0;
  if ((callId === undefined) !== (toolName === undefined)) return 0;
  values[from] = callId === undefined ? DECIDED : DECIDED_OF_CALL;
  values[from + 1] = body.policy;
  values[from + 2] = body.point;
  values[from + 3] = body.decision;
  values[from + 4] = body.durationMs;
  if (callId === undefined) return from + 5;
  values[from + 5] = callId;
  values[from + 6] = toolName;
  return from + 7;
}

function packSucceeded(values: unknown[], from: number, body: Body<'tool.succeeded'>): number {
  if (body.prechecked !== undefined) return 0;
  values[from] = SUCCEEDED;
  values[from + 1] = body.callId;
  values[from + 2] = body.toolName;
  values[from + 3] = body.source;
  values[from + 4] = body.durationMs;
  return from + 5;
}

/** By mark: the kind, and its fields in the order in which they are packed. */
const KINDS: readonly (readonly [type: EventType, ...fields: string[]])[] = [
  ['step.started'],
  ['step.finished', 'outcome'],
  ['llm.requested', 'model', 'purpose', 'attempt'],
  ['llm.responded', 'responseId', 'model', 'finishReason', 'toolCalls', 'usage', 'latencyMs'],
  ['hook.decided', 'policy', 'point', 'decision', 'durationMs'],
  ['hook.decided', 'policy', 'point', 'decision', 'durationMs', 'callId', 'toolName'],
  ['tool.called', 'callId', 'toolName', 'requestedInput'],
  ['tool.started', 'callId', 'toolName', 'source'],
  ['tool.succeeded', 'callId', 'toolName', 'source', 'durationMs'],
];

/** The values are as `pack` has put them: their types are known from the mark before them. */
function unpack(threadId: string, values: readonly unknown[]): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  let turnId = '';
  let step = 0;
  let at = 0;
  let seq = 0;
  let index = 0;
  const next = (): unknown => values[index++];
  while (index < values.length) {
    const mark = next() as number;
    if (mark === SEQ) seq = next() as number;
    else if (mark === STAMP) {
      turnId = next() as string;
      step = next() as number;
      at = next() as number;
    } else {
      events.push(
        mark === EVENT
          ? (next() as AgentEvent)
          : stamped(bodyOf(mark, next), { threadId, turnId, step, at, seq }),
      );
      seq += 1;
    }
  }
  return events;
}

function bodyOf(mark: number, next: () => unknown): EventBody {
  const [type, ...fields] = KINDS[mark - STEP_STARTED] ?? ['step.started'];
  return Object.fromEntries([['type', type], ...fields.map((field) => [field, next()])]);
}
