import type { Usage } from '../protocol/chat.ts';
import type { EventBody, EventType } from './event.ts';

/** What a small integer is less than: V8 keeps a larger number, and one with a fraction, as an object. */
export const SMALL: number = 2 ** 30;

type Body<Type extends EventType> = Extract<EventBody, { readonly type: Type }>;

/** Where a field of an event is kept: in the form, or in the values after it; durations as microseconds, tokens as two. */
type Place = 'first' | 'second' | 'third' | 'value' | 'duration' | 'tokens';

/** What an event is made of: its type, and its fields in their order. */
interface Layout {
  readonly type: EventType;
  readonly fields: readonly (readonly [name: string, place: Place])[];
}

/** What events of one layout say again and again, kept once. */
export class EventForm {
  readonly layout: Layout;
  readonly first: string;
  readonly second: string;
  readonly third: string;
  /** What was asked for after it the last time: a step tells what the step before it told. */
  next: EventForm | undefined;

  constructor(layout: Layout, [first, second, third]: readonly [string, string, string]) {
    this.layout = layout;
    this.first = first;
    this.second = second;
    this.third = third;
  }

  /** All are strings, and empty where there is none: values of several types take V8 thrice as long to compare. */
  says(first: string, second: string, third: string): boolean {
    return this.first === first && this.second === second && this.third === third;
  }
}

/** How many are known at a time. Names may be made by an app, or a model, one after the other without an end. */
const MOST_FORMS = 256;

/** The forms of one layout. */
class FormsOf {
  readonly #layout: Layout;
  /** By their first field, which is the name of somebody or something. */
  #forms: Map<string, EventForm[]> | undefined;
  #count = 0;
  #last: EventForm | undefined;

  constructor(layout: Layout) {
    this.#layout = layout;
  }

  /** The one that says this, known or new. */
  saying(first = '', second = '', third = ''): EventForm {
    let form = this.#last?.next;
    if (form === undefined || !form.says(first, second, third)) {
      form = this.#find(first, second, third);
      if (this.#last !== undefined) this.#last.next = form;
    }
    this.#last = form;
    return form;
  }

  // Apart, as a function whose parameters a closure reads makes an object for them whenever it is called.
  #find(first: string, second: string, third: string): EventForm {
    const known = this.#forms?.get(first)?.find((form) => form.says(first, second, third));
    return known ?? this.#add(new EventForm(this.#layout, [first, second, third]));
  }

  #add(form: EventForm): EventForm {
    if (this.#count === MOST_FORMS) this.#forget();
    this.#count += 1;
    this.#forms ??= new Map();
    const some = this.#forms.get(form.first);
    if (some === undefined) this.#forms.set(form.first, [form]);
    else some.push(form);
    return form;
  }

  /** A form that is still in an event must not lead to those that are in none: they would stay as long as it does. */
  #forget(): void {
    for (const some of this.#forms?.values() ?? []) for (const form of some) form.next = undefined;
    this.#forms = undefined;
    this.#count = 0;
    this.#last = undefined;
  }
}

const STEP_STARTED: Layout = { type: 'step.started', fields: [] };
const STEP_FINISHED: Layout = { type: 'step.finished', fields: [['outcome', 'first']] };
const REQUESTED: Layout = {
  type: 'llm.requested',
  fields: [
    ['model', 'first'],
    ['purpose', 'second'],
    ['attempt', 'value'],
  ],
};
const RESPONDED: Layout = {
  type: 'llm.responded',
  fields: [
    ['responseId', 'value'],
    ['model', 'first'],
    ['finishReason', 'second'],
    ['toolCalls', 'value'],
    ['usage', 'value'],
    ['latencyMs', 'duration'],
  ],
};
const RESPONDED_PLAINLY: Layout = {
  type: 'llm.responded',
  fields: RESPONDED.fields.map(([name, place]) => [name, name === 'usage' ? 'tokens' : place]),
};
const DECIDED: Layout = {
  type: 'hook.decided',
  fields: [
    ['policy', 'first'],
    ['point', 'second'],
    ['decision', 'third'],
    ['durationMs', 'duration'],
  ],
};
const DECIDED_OF_CALL: Layout = {
  type: 'hook.decided',
  fields: [...DECIDED.fields, ['callId', 'value'], ['toolName', 'value']],
};
const CALLED: Layout = {
  type: 'tool.called',
  fields: [
    ['callId', 'value'],
    ['toolName', 'first'],
    ['requestedInput', 'value'],
  ],
};
const STARTED: Layout = {
  type: 'tool.started',
  fields: [
    ['callId', 'value'],
    ['toolName', 'first'],
    ['source', 'second'],
  ],
};
const SUCCEEDED: Layout = {
  type: 'tool.succeeded',
  fields: [...STARTED.fields, ['durationMs', 'duration']],
};

/** Packs the bodies of one store, whatever threads they are of. */
export class EventForms {
  readonly #stepStarted = new FormsOf(STEP_STARTED);
  readonly #stepFinished = new FormsOf(STEP_FINISHED);
  readonly #requested = new FormsOf(REQUESTED);
  readonly #responded = new FormsOf(RESPONDED);
  readonly #respondedPlainly = new FormsOf(RESPONDED_PLAINLY);
  readonly #decided = new FormsOf(DECIDED);
  readonly #decidedOfCall = new FormsOf(DECIDED_OF_CALL);
  readonly #called = new FormsOf(CALLED);
  readonly #started = new FormsOf(STARTED);
  readonly #succeeded = new FormsOf(SUCCEEDED);

  /** Puts a body at `from`, and gives where it ends; 0 for one that is not packed. */
  pack(values: unknown[], from: number, body: EventBody): number {
    switch (body.type) {
      case 'step.started':
        values[from] = this.#stepStarted.saying('');
        return from + 1;
      case 'step.finished':
        values[from] = this.#stepFinished.saying(body.outcome);
        return from + 1;
      case 'llm.requested':
        values[from] = this.#requested.saying(body.model, body.purpose);
        values[from + 1] = body.attempt;
        return from + 2;
      case 'llm.responded':
        return this.#packResponded(values, from, body);
      case 'hook.decided':
        return this.#packDecided(values, from, body);
      case 'tool.called':
        values[from] = this.#called.saying(body.toolName);
        values[from + 1] = body.callId;
        values[from + 2] = body.requestedInput;
        return from + 3;
      case 'tool.started':
        values[from] = this.#started.saying(body.toolName, body.source);
        values[from + 1] = body.callId;
        return from + 2;
      case 'tool.succeeded':
        return this.#packSucceeded(values, from, body);
      default:
        return 0;
    }
  }

  #packResponded(values: unknown[], from: number, body: Body<'llm.responded'>): number {
    const latency = packedDuration(body.latencyMs);
    if (body.purpose !== undefined || body.cost !== undefined || latency < 0) return 0;
    const { model, finishReason, usage } = body;
    values[from + 1] = body.responseId;
    values[from + 2] = body.toolCalls;
    if (isPlain(usage)) {
      values[from] = this.#respondedPlainly.saying(model, finishReason);
      values[from + 3] = usage.inputTokens;
      values[from + 4] = usage.outputTokens;
      values[from + 5] = latency;
      return from + 6;
    }
    values[from] = this.#responded.saying(model, finishReason);
    values[from + 3] = usage;
    values[from + 4] = latency;
    return from + 5;
  }

  #packDecided(values: unknown[], from: number, body: Body<'hook.decided'>): number {
    const { callId, toolName, policy, point, decision } = body;
    const duration = packedDuration(body.durationMs);
    if (body.version !== undefined || body.reason !== undefined || body.digest !== undefined)
      return 0;
    if (body.recheck !== undefined || body.shadow !== undefined || duration < 0) return 0;
    if ((callId === undefined) !== (toolName === undefined)) return 0;
    values[from + 1] = duration;
    if (callId === undefined) {
      values[from] = this.#decided.saying(policy, point, decision);
      return from + 2;
    }
    values[from] = this.#decidedOfCall.saying(policy, point, decision);
    values[from + 2] = callId;
    values[from + 3] = toolName;
    return from + 4;
  }

  #packSucceeded(values: unknown[], from: number, body: Body<'tool.succeeded'>): number {
    const duration = packedDuration(body.durationMs);
    if (body.prechecked !== undefined || duration < 0) return 0;
    values[from] = this.#succeeded.saying(body.toolName, body.source);
    values[from + 1] = body.callId;
    values[from + 2] = duration;
    return from + 3;
  }
}

/** The body that was put with a form; `next` gives the values after it, one by one. */
export function unpackBody(form: EventForm, next: () => unknown): EventBody {
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

/** As small microseconds; -1 for one that those do not say to the digit. */
function packedDuration(ms: number): number {
  const us = Math.round(ms * 1000);
  return us >= 0 && us < SMALL && us / 1000 === ms ? us | 0 : -1;
}
