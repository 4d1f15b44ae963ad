import type * as z from 'zod';
import { AgentHooksError } from '../../errors/base.ts';
import { ThreadImportError } from '../../errors/retention-error.ts';
import { StoreVersionError } from '../../errors/store-error.ts';
import type { AgentEvent } from '../../events/event.ts';
import { jsonEqual } from '../../internal/json-equal.ts';
import { readState } from '../../loop/read-state.ts';
import type { Approval } from '../../protocol/approval.ts';
import type { Artifact } from '../../protocol/artifact.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { Message } from '../../protocol/message.ts';
import { firstProblem, parseMessage } from '../../protocol/message-schema.ts';
import type { LedgerEntry, StoredThread, ThreadChanges } from '../../stores/port.ts';
import { type Counts, isAtRest, NO_COUNTS } from './export-format.ts';
import { parentOf } from './family.ts';
import * as schemas from './record-schemas.ts';

interface Place {
  readonly line: number;
  readonly kind: string;
}

/** Reads the lines of one thread between its header and its end, and keeps them as one commit. */
export class ThreadReader {
  readonly threadId: string;
  /** The thread that the import is of; absent while it is this one. */
  readonly #topId: string | undefined;
  readonly #counts: Counts = { ...NO_COUNTS };
  readonly #seen = new Set<string>();
  readonly #messages: Message[] = [];
  readonly #events: AgentEvent[] = [];
  readonly #ledger: LedgerEntry[] = [];
  readonly #approvals: Approval[] = [];
  readonly #artifacts: Artifact[] = [];
  readonly #memory: [policy: string, value: JsonObject][] = [];
  #state: JsonObject | undefined;

  constructor(threadId: string, topId: string | undefined) {
    this.threadId = threadId;
    this.#topId = topId;
  }

  /** Returns all of the thread at its end. */
  read(value: JsonObject, line: number): ThreadChanges | undefined {
    const [kind = '', ...more] = Object.keys(value);
    if (more.length > 0) throw new ThreadImportError(line, 'it is more than one record');
    if (kind === 'end') return this.#end(value['end'], line);
    if (!isKind(kind)) throw new ThreadImportError(line, 'it is no record of a kind that is known');
    this.#counts[kind] += 1;
    this.#take[kind](value[kind] ?? null, { line, kind });
    return undefined;
  }

  /** By kind. Each was checked as far as its schema goes, and is kept as it is. */
  readonly #take: { readonly [kind in keyof Counts]: (value: JsonValue, place: Place) => void } = {
    message: (value, { line }) => {
      const parsed = parseMessage(value);
      if ('problem' in parsed) throw new ThreadImportError(line, `message: ${parsed.problem}`);
      this.#messages.push(value as unknown as Message);
    },
    event: (value, place) => {
      const { seq, threadId } = fits(schemas.eventSchema(), value, place);
      this.#requireOwn(threadId, place);
      if (seq <= (this.#events.at(-1)?.seq ?? 0))
        throw new ThreadImportError(
          place.line,
          'event: its `seq` is not above that of the one before',
        );
      this.#events.push(value as unknown as AgentEvent);
    },
    ledger: (value, place) => {
      this.#requireNew(fits(schemas.ledgerSchema(), value, place).callId, place);
      this.#ledger.push(value as unknown as LedgerEntry);
    },
    approval: (value, place) => {
      const { approvalId, threadId } = fits(schemas.approvalSchema(), value, place);
      this.#requireOwn(threadId, place);
      this.#requireNew(approvalId, place);
      this.#approvals.push(value as unknown as Approval);
    },
    artifact: (value, place) => {
      this.#requireNew(fits(schemas.artifactSchema(), value, place).artifactId, place);
      this.#artifacts.push(value as unknown as Artifact);
    },
    memory: (value, place) => {
      const { policy, value: kept } = fits(schemas.memorySchema(), value, place);
      this.#requireNew(policy, place);
      this.#memory.push([policy, kept as JsonObject]);
    },
    state: (value, place) => {
      this.#requireNew('', place);
      this.#requireOwn(fits(schemas.stateSchema(), value, place).threadId, place);
      this.#state = this.#readable(value as JsonObject, place.line);
    },
  };

  #end(counts: JsonValue | undefined, line: number): ThreadChanges {
    if (!jsonEqual(counts, this.#counts))
      throw new ThreadImportError(
        line,
        'it tells of other numbers of records than there are before it',
      );
    if (this.#state === undefined) throw new ThreadImportError(line, 'its thread has no state');
    return {
      state: this.#state,
      messages: this.#messages,
      events: this.#events,
      ledger: this.#ledger,
      approvals: this.#approvals,
      memory: Object.fromEntries(this.#memory),
      artifacts: this.#artifacts,
    };
  }

  #requireOwn(threadId: string, { line, kind }: Place): void {
    if (threadId !== this.threadId)
      throw new ThreadImportError(line, `${kind}: it belongs to another thread`);
  }

  #requireNew(key: string, { line, kind }: Place): void {
    const known = `${kind} ${key}`;
    if (this.#seen.has(known)) throw new ThreadImportError(line, `${kind}: it is there twice`);
    this.#seen.add(known);
  }

  #readable(state: JsonObject, line: number): JsonObject {
    const { threadId } = this;
    const stored: StoredThread = {
      threadId,
      version: 1,
      state,
      messageCount: 0,
      lastSeq: 0,
      memory: {},
    };
    const { phase } = readOrTell(stored, line);
    if (!isAtRest(phase.name))
      throw new ThreadImportError(
        line,
        `state: a thread in the phase '${phase.name}' is in no export`,
      );
    const top = parentOf(stored)?.topThreadId;
    if (top !== this.#topId)
      throw new ThreadImportError(
        line,
        'state: its thread does not belong to the one that the import begins with',
      );
    return state;
  }
}

function readOrTell(stored: StoredThread, line: number): ReturnType<typeof readState> {
  try {
    return readState(stored.threadId, stored);
  } catch (error) {
    if (StoreVersionError.isInstance(error) || !AgentHooksError.isInstance(error)) throw error;
    throw new ThreadImportError(line, 'state: it is not one this package wrote');
  }
}

/** Throws unless the value fits; what is wrong is told by member, never by value. */
export function fits<Value>(
  schema: z.ZodType<Value>,
  value: unknown,
  { line, kind }: Place,
): Value {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ThreadImportError(line, `${kind}: ${firstProblem(result.error)}`);
}

function isKind(kind: string): kind is keyof Counts {
  return Object.hasOwn(NO_COUNTS, kind);
}
