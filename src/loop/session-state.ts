import { StateError, type StateProblem } from '../errors/state-error.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import { nearestName } from '../internal/nearest-name.ts';
import { WriteLog } from '../internal/write-log.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { StateValues } from '../protocol/state-values.ts';
import { fillTemplate, valueAt } from '../protocol/template.ts';
import type { Assign } from '../tools/result-port.ts';
import type { StatePort } from './state-port.ts';

interface SaveRefused {
  readonly field: string;
  readonly reason: string;
}

/** What the running calls of a batch have left. */
interface BatchWrites {
  /** The stored values with everything they wrote. */
  readonly values: JsonObject;
  /** The fields that nobody has told of yet. */
  readonly fields: readonly string[];
}

/**
 * The values of a thread's state in one run: those of the state of the loop, and over them what the calls of the
 * running batch write, which everyone reads at once. What an older schema left under other names stays, unread.
 */
export class SessionState {
  readonly #threadId: string;
  readonly #port: StatePort;
  /** The values of the state of the loop. */
  readonly #base: () => JsonObject;
  /** By field, what was loaded and how the schema reads it; `undefined` for what does not fit. */
  readonly #loaded = new Map<string, { readonly raw: JsonValue; readonly read?: JsonValue }>();
  #log: WriteLog<JsonValue> | undefined;
  /** By call, the fields it changed. */
  readonly #changed = new Map<string, Set<string>>();
  #viewed: JsonObject | undefined;
  #view: StateValues = Object.freeze({});
  #committed: JsonObject;

  constructor(threadId: string, port: StatePort, base: () => JsonObject) {
    this.#threadId = threadId;
    this.#port = port;
    this.#base = base;
    this.#committed = base();
    for (const field of port.fields) {
      const raw = ownOf(this.#committed, field);
      if (raw === undefined) continue;
      const read = port.check(field, raw);
      this.#loaded.set(field, 'value' in read ? { raw, read: read.value } : { raw });
    }
  }

  /** Throws for a stored value that does not fit the schema, unless a new one is given in its place. */
  ensureFit(given: JsonObject = {}): void {
    for (const [field, { read }] of this.#loaded) {
      if (read !== undefined || Object.hasOwn(given, field)) continue;
      const where = `thread '${this.#threadId}', state field '${field}'`;
      const what = 'the stored value does not fit the schema of this agent';
      const fix = `Run with \`state: { ${field}: ... }\`, or let the schema read it; nothing was run or changed`;
      throw new StateError('stored-value', { where, what, fix }, field);
    }
  }

  /** What policies and tools read: every field that is set or has a default. Frozen. */
  get view(): StateValues {
    const raw = this.#log?.live ?? this.#base();
    if (raw !== this.#viewed) {
      this.#viewed = raw;
      this.#view = this.#read(raw);
    }
    return this.#view;
  }

  /** The same of what is stored. */
  get stored(): StateValues {
    return this.#committed === this.#viewed ? this.#view : this.#read(this.#committed);
  }

  /** Tells what a commit has written. */
  committed(values: JsonObject | undefined): void {
    if (values !== undefined) this.#committed = values;
  }

  fill(text: string): string {
    return fillTemplate(text, this.view, (name) => this.#port.fields.includes(name));
  }

  get(field: string): JsonValue | undefined {
    this.#ensureKnown(field);
    return ownOf(this.view, field);
  }

  /** `undefined` gives a field back to its default. Throws `StateError` for what the schema refuses, and changes nothing. */
  set(callId: string, field: string, value: unknown): void {
    this.#ensureKnown(field);
    const checked = value === undefined ? undefined : this.#port.check(field, value);
    if (checked !== undefined && 'code' in checked) throw fieldError(field, checked);
    this.#put(callId, field, checked?.value);
  }

  /**
   * Saves parts of a result: all of them, or none where the schema refuses one, which is told without its value. A part
   * that the result does not have gives its field back to its default.
   */
  save(callId: string, rows: readonly Assign[], result: JsonValue): SaveRefused | undefined {
    const writes: { readonly field: string; readonly value: JsonValue | undefined }[] = [];
    for (const { field, path } of rows) {
      const given = valueAt(result, path);
      const checked = given === undefined ? { value: given } : this.#port.check(field, given);
      if ('code' in checked) return { field, reason: checked.what };
      writes.push({ field, value: checked.value });
    }
    for (const { field, value } of writes) this.#put(callId, field, value);
    return undefined;
  }

  /**
   * What a call that must not run twice wrote is stored with its outcome, before its batch is done: after a crash nobody
   * would write it again. The fields it changed.
   */
  keep(callId: string): readonly string[] {
    this.#log?.keep(callId);
    return this.#told([callId]);
  }

  /** The values to store while the batch still runs; nothing where no call of it has written. */
  get kept(): JsonObject | undefined {
    return this.#log?.kept;
  }

  /** The batch is over, and all that its calls wrote counts. Nothing where they wrote nothing. */
  takeBatch(): BatchWrites | undefined {
    const log = this.#log;
    if (log === undefined) return undefined;
    this.#log = undefined;
    return { values: log.live, fields: this.#told([...this.#changed.keys()]) };
  }

  #put(callId: string, field: string, value: JsonValue | undefined): void {
    this.#log ??= new WriteLog(this.#base());
    this.#note(callId, field, value);
    this.#log.put(callId, field, value);
  }

  #note(callId: string, field: string, value: JsonValue | undefined): void {
    const before = [this.#base(), this.#log?.live ?? {}];
    if (before.every((values) => jsonEqual(ownOf(values, field), value))) return;
    const fields = this.#changed.get(callId) ?? new Set();
    this.#changed.set(callId, fields.add(field));
  }

  #told(callIds: readonly string[]): readonly string[] {
    const fields = new Set(callIds.flatMap((callId) => [...(this.#changed.get(callId) ?? [])]));
    for (const callId of callIds) this.#changed.delete(callId);
    return [...fields];
  }

  #read(raw: JsonObject): StateValues {
    const view: Record<string, JsonValue> = {};
    for (const field of this.#port.fields) {
      const loaded = this.#loaded.get(field);
      const own = ownOf(raw, field);
      const value = own !== undefined && loaded?.raw === own ? loaded.read : own;
      const read = value === undefined ? ownOf(this.#port.defaults, field) : value;
      if (read !== undefined) view[field] = read;
    }
    return deepFreeze(view);
  }

  #ensureKnown(field: string): void {
    const { fields } = this.#port;
    if (fields.includes(field)) return;
    // The name may be a value that came from a model, so it is not quoted.
    const nearest = typeof field === 'string' ? nearestName(field, fields) : undefined;
    throw new StateError('unknown-field', {
      where: 'the state of the thread',
      what: 'it has no field of this name',
      fix:
        nearest === undefined
          ? `The fields are: ${fields.join(', ')}`
          : `Did you mean '${nearest}'?`,
    });
  }
}

function fieldError(field: string, { code, what, fix }: StateProblem): StateError {
  return new StateError(code, { where: `state field '${field}'`, what, fix }, field);
}

function ownOf(values: StateValues, field: string): JsonValue | undefined {
  return Object.hasOwn(values, field) ? values[field] : undefined;
}
