import type { Usage } from '../protocol/chat.ts';
import type { AgentEvent, EventBody, EventStamp, EventType } from './event.ts';
import { EventForm, type EventForms } from './event-forms.ts';
import { stamped } from './stamp.ts';

/** What the values after it are; each other event begins with its form. In memory only, so the numbers may change. */
const START = 0;
const SEQ = 1;
const TIME = 2;
const EVENT = 3;

/** How many values are joined at most: to read one event, all that it is joined with are unpacked. */
const MOST_JOINED = 128;

/** What small integers are at least: V8 keeps a larger number, and one with a fraction, as an object. */
const SMALL = 2 ** 30;

type Body<Type extends EventType> = Extract<EventBody, { readonly type: Type }>;

/** What the events of many commits have in common. */
interface Source {
  readonly threadId: string;
  readonly turnId: string;
  /** Times are kept as what they are after it, in ms. */
  readonly since: number;
}

/**
 * Packs events of one thread, in their order: of the kinds that every step tells only what differs, and each other event
 * as it is. Ten events a step are most of what a thread is made of, and as objects they take five times the room.
 */
export class EventPacker {
  readonly #forms: EventForms;
  /** Used again for every commit; a step fits, so that it does not grow. */
  readonly #values: unknown[] = new Array(64);
  #source: Source;
  #length = 0;
  #nextSeq = 0;
  #step = 0;
  #at = 0;

  constructor(threadId: string, forms: EventForms) {
    this.#forms = forms;
    this.#source = { threadId, turnId: '', since: 0 };
  }

  add(body: EventBody, stamp: EventStamp): void {
    const fits = this.#begin(stamp) && stamp.agentPath === undefined;
    if (!fits || !this.#pack(body)) this.#put(EVENT, stamped(body, stamp));
  }

  /** What was added since it was taken last. */
  take(): PackedEvents {
    const values = this.#values.slice(0, this.#length);
    this.#length = 0;
    return new PackedEvents(this.#source, values, this.#nextSeq - 1);
  }

  /** Puts what the stamp has new. False for one of another turn or time than can be said here. */
  #begin({ threadId, turnId, step, at, seq }: EventStamp): boolean {
    let time = timeAfter(this.#source.since, at);
    if (this.#length === 0) {
      if (turnId !== this.#source.turnId || time === undefined) {
        this.#source = { threadId, turnId, since: at };
        time = 0;
      }
      this.#put(START, seq);
      this.#put(step, time);
    } else {
      if (seq !== this.#nextSeq) this.#put(SEQ, seq);
      if (turnId !== this.#source.turnId || time === undefined) {
        this.#nextSeq = seq + 1;
        return false;
      }
      if (at !== this.#at || step !== this.#step) {
        this.#put(TIME, step);
        this.#add(time);
      }
    }
    this.#nextSeq = seq + 1;
    this.#step = step;
    this.#at = at;
    return true;
  }

  /** False, and nothing put, for one that is not packed. */
  #pack(body: EventBody): boolean {
    const forms = this.#forms;
    switch (body.type) {
      case 'step.started':
        this.#add(forms.stepStarted.saying());
        return true;
      case 'step.finished':
        this.#add(forms.stepFinished.saying(body.outcome));
        return true;
      case 'llm.requested':
        this.#add(forms.requested.saying(body.model, body.purpose, body.attempt));
        return true;
      case 'llm.responded':
        return this.#packResponded(body);
      case 'hook.decided':
        return this.#packDecided(body);
      case 'tool.called':
        this.#put(forms.called.saying(body.toolName), body.callId);
        this.#add(body.requestedInput);
        return true;
      case 'tool.started':
        this.#put(forms.started.saying(body.toolName, body.source), body.callId);
        return true;
      case 'tool.succeeded':
        return this.#packSucceeded(body);
      default:
        return false;
    }
  }

  #packResponded(body: Body<'llm.responded'>): boolean {
    const { latencyMs, model, finishReason, toolCalls, usage } = body;
    const latency = packedDuration(latencyMs);
    if (body.purpose !== undefined || body.cost !== undefined || latency < 0) return false;
    const forms = this.#forms;
    if (isPlain(usage)) {
      const form = forms.respondedPlainly.saying(model, finishReason, toolCalls);
      this.#put(form, body.responseId);
      this.#put(usage.inputTokens, usage.outputTokens);
    } else {
      this.#put(forms.responded.saying(model, finishReason, toolCalls), body.responseId);
      this.#add(usage);
    }
    this.#add(latency);
    return true;
  }

  #packDecided(body: Body<'hook.decided'>): boolean {
    const { callId, toolName, policy, point, decision } = body;
    const duration = packedDuration(body.durationMs);
    if (body.version !== undefined || body.reason !== undefined || body.digest !== undefined)
      return false;
    if (body.recheck !== undefined || body.shadow !== undefined || duration < 0) return false;
    if ((callId === undefined) !== (toolName === undefined)) return false;
    if (callId === undefined) {
      this.#put(this.#forms.decided.saying(policy, point, decision), duration);
      return true;
    }
    this.#put(this.#forms.decidedOfCall.saying(policy, point, decision), duration);
    this.#put(callId, toolName);
    return true;
  }

  #packSucceeded(body: Body<'tool.succeeded'>): boolean {
    const duration = packedDuration(body.durationMs);
    if (body.prechecked !== undefined || duration < 0) return false;
    this.#put(this.#forms.succeeded.saying(body.toolName, body.source), body.callId);
    this.#add(duration);
    return true;
  }

  #add(value: unknown): void {
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  #put(first: unknown, second: unknown): void {
    this.#values[this.#length] = first;
    this.#values[this.#length + 1] = second;
    this.#length += 2;
  }
}

/** Events of one thread, packed. What is read of them are new objects. */
export class PackedEvents {
  readonly #source: Source;
  readonly #values: readonly unknown[];
  /** Of the last event; says nothing where there is none. */
  readonly lastSeq: number;

  constructor(source: Source, values: readonly unknown[], lastSeq: number) {
    this.#source = source;
    this.#values = values;
    this.lastSeq = lastSeq;
  }

  /** Of the first event; nothing for none. */
  get firstSeq(): number | undefined {
    return this.#values[1] as number | undefined; // every list begins with a start
  }

  /** With those of the next commit, where both are few and of one turn. */
  joined(next: PackedEvents): PackedEvents | undefined {
    if (next.#source !== this.#source) return undefined;
    const first = this.#values;
    const second = next.#values;
    if (first.length + second.length > MOST_JOINED) return undefined;
    const values = new Array<unknown>(first.length + second.length); // what spreads has room for more
    for (let index = 0; index < first.length; index += 1) values[index] = first[index];
    for (let index = 0; index < second.length; index += 1)
      values[first.length + index] = second[index];
    return new PackedEvents(this.#source, values, next.lastSeq);
  }

  get events(): readonly AgentEvent[] {
    return unpack(this.#source, this.#values);
  }
}

/** The values are as the packer has put them: their types are known from what is before them. */
function unpack({ threadId, turnId, since }: Source, values: readonly unknown[]): AgentEvent[] {
  const events: AgentEvent[] = [];
  let index = 0;
  const next = (): unknown => values[index++];
  let seq = 0;
  let step = 0;
  let time = 0;
  while (index < values.length) {
    const head = next();
    if (head === START || head === SEQ) seq = next() as number;
    if (head === START || head === TIME) {
      step = next() as number;
      time = next() as number;
    } else if (head !== SEQ) {
      const stamp = { threadId, turnId, step, at: since + time, seq };
      events.push(
        head instanceof EventForm ? stamped(bodyOf(head, next), stamp) : (next() as AgentEvent),
      );
      seq += 1;
    }
  }
  return events;
}

function bodyOf(form: EventForm, next: () => unknown): EventBody {
  const { type, fields } = form.layout;
  const body: Record<string, unknown> = { type };
  for (const [name, place] of fields) {
    if (place === 'value') body[name] = next();
    else if (place === 'duration') body[name] = (next() as number) / 1000;
    else if (place === 'tokens') body[name] = { inputTokens: next(), outputTokens: next() };
    else body[name] = form[place];
  }
  return body as unknown as EventBody; // made of what was read of one
}

function isPlain(usage: Usage): boolean {
  return (
    usage.cachedInputTokens === undefined &&
    usage.reasoningTokens === undefined &&
    usage.otherModels === undefined
  );
}

/** Small, or undefined for a time which that does not say to the digit. */
function timeAfter(since: number, at: number): number | undefined {
  const time = at - since;
  return time > -SMALL && time < SMALL && (time | 0) === time && since + time === at
    ? time | 0
    : undefined;
}

/** As small microseconds; -1 for one that those do not say to the digit. */
function packedDuration(ms: number): number {
  const us = Math.round(ms * 1000);
  return us >= 0 && us < SMALL && us / 1000 === ms ? us | 0 : -1;
}
