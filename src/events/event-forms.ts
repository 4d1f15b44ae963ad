import type { EventType } from './event.ts';

/** Where a field of an event is kept: in the form, or in the values after it; durations as microseconds, tokens as two. */
type Place = 'first' | 'second' | 'third' | 'value' | 'duration' | 'tokens';
type Shared = string | number | undefined;

/** What an event is made of: its type, and its fields in their order. */
export interface Layout {
  readonly type: EventType;
  readonly fields: readonly (readonly [name: string, place: Place])[];
}

/** What events of one layout say again and again, kept once. */
export class EventForm {
  readonly layout: Layout;
  readonly first: Shared;
  readonly second: Shared;
  readonly third: Shared;
  /** What was asked for after it the last time: a step tells what the step before it told. */
  next: EventForm | undefined;

  constructor(layout: Layout, shared: readonly Shared[]) {
    this.layout = layout;
    [this.first, this.second, this.third] = shared;
  }

  says(first: Shared, second: Shared, third: Shared): boolean {
    return this.first === first && this.second === second && this.third === third;
  }
}

/** Names may be made by an app, one after the other without an end. */
const MOST_FORMS = 64;

/** The forms of one layout. */
class FormsOf {
  readonly #layout: Layout;
  readonly #forms: EventForm[] = [];
  #last: EventForm | undefined;

  constructor(type: EventType, fields: Layout['fields'] = []) {
    this.#layout = { type, fields };
  }

  /** The one that says this, known or new. */
  saying(first?: Shared, second?: Shared, third?: Shared): EventForm {
    const last = this.#last;
    let form = last?.next;
    if (form === undefined || !form.says(first, second, third)) {
      form =
        this.#forms.find((known) => known.says(first, second, third)) ??
        this.#add(new EventForm(this.#layout, [first, second, third]));
      if (last !== undefined) last.next = form;
    }
    this.#last = form;
    return form;
  }

  #add(form: EventForm): EventForm {
    if (this.#forms.length < MOST_FORMS) this.#forms.push(form);
    return form;
  }
}

/** The forms of one store, whatever threads they are of. */
export class EventForms {
  readonly stepStarted: FormsOf = new FormsOf('step.started');
  readonly stepFinished: FormsOf = new FormsOf('step.finished', [['outcome', 'first']]);
  readonly requested: FormsOf = new FormsOf('llm.requested', [
    ['model', 'first'],
    ['purpose', 'second'],
    ['attempt', 'third'],
  ]);
  readonly responded: FormsOf = new FormsOf('llm.responded', [
    ['responseId', 'value'],
    ['model', 'first'],
    ['finishReason', 'second'],
    ['toolCalls', 'third'],
    ['usage', 'value'],
    ['latencyMs', 'duration'],
  ]);
  /** Of a usage that has nothing but the two numbers that each has. */
  readonly respondedPlainly: FormsOf = new FormsOf('llm.responded', [
    ['responseId', 'value'],
    ['model', 'first'],
    ['finishReason', 'second'],
    ['toolCalls', 'third'],
    ['usage', 'tokens'],
    ['latencyMs', 'duration'],
  ]);
  readonly decided: FormsOf = new FormsOf('hook.decided', [
    ['policy', 'first'],
    ['point', 'second'],
    ['decision', 'third'],
    ['durationMs', 'duration'],
  ]);
  readonly decidedOfCall: FormsOf = new FormsOf('hook.decided', [
    ['policy', 'first'],
    ['point', 'second'],
    ['decision', 'third'],
    ['durationMs', 'duration'],
    ['callId', 'value'],
    ['toolName', 'value'],
  ]);
  readonly called: FormsOf = new FormsOf('tool.called', [
    ['callId', 'value'],
    ['toolName', 'first'],
    ['requestedInput', 'value'],
  ]);
  readonly started: FormsOf = new FormsOf('tool.started', [
    ['callId', 'value'],
    ['toolName', 'first'],
    ['source', 'second'],
  ]);
  readonly succeeded: FormsOf = new FormsOf('tool.succeeded', [
    ['callId', 'value'],
    ['toolName', 'first'],
    ['source', 'second'],
    ['durationMs', 'duration'],
  ]);
}
