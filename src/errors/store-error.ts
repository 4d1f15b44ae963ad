import { AgentHooksError, type ErrorText } from './base.ts';

/** A store could not do what it was asked. Nothing of the failed write is in it. */
export class StoreError extends AgentHooksError {
  readonly code: string = 'store-failed';

  constructor(text: ErrorText, options?: { readonly cause?: unknown }) {
    super(text, options);
    this.name = 'StoreError';
  }
}

/** Another run holds the thread. */
export class ThreadBusyError extends StoreError {
  override readonly code = 'thread-busy';
  /**
   * When the claim of that run ends unless it is renewed, which a run that goes on does: milliseconds since the epoch, by
   * the clock of the store. Absent where the store does not say.
   */
  readonly heldUntil?: number;

  constructor(threadId: string, heldUntil?: number) {
    const end = timeOf(heldUntil);
    super({
      where: `thread '${threadId}'`,
      what: 'another run holds it',
      fix: `Wait for that run to end, or cancel it in the process it runs in; \`onBusy: 'queue'\` of the agent waits by itself. The claim of a process that ended runs out${end === undefined ? '' : ` at ${end}`}`,
    });
    this.name = 'ThreadBusyError';
    if (heldUntil !== undefined && end !== undefined) this.heldUntil = heldUntil;
  }
}

/** Nothing for what is no time, which a damaged record may hold. */
function timeOf(ms: number | undefined): string | undefined {
  const date = new Date(ms ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

const GO_ON =
  'Do not repeat the request: tools may have run. Go on with `resume`, which settles what is open';

/** The thread was taken over or written by someone else meanwhile. The refused commit wrote nothing. */
export class ThreadConflictError extends StoreError {
  override readonly code = 'thread-conflict';

  constructor(threadId: string, what = 'it was changed by another run', fix: string = GO_ON) {
    super({ where: `thread '${threadId}'`, what, fix });
    this.name = 'ThreadConflictError';
  }
}

/** The store was written by a newer version of this package. */
export class StoreVersionError extends StoreError {
  override readonly code = 'store-version';

  constructor(where: string, found: number, supported: number) {
    super({
      where,
      what: `it has format ${found}, and this version reads up to ${supported}`,
      fix: 'Update agent-hooks in every process that uses this store',
    });
    this.name = 'StoreVersionError';
  }
}

/** One stored record cannot be read. Other threads are not affected. */
export class CorruptRecordError extends StoreError {
  override readonly code = 'corrupt-record';
  /** The thread it belongs to. */
  readonly threadId: string;

  constructor(threadId: string, where: string, what: string) {
    super({ where, what, fix: 'Restore this record from a backup, or delete the thread' });
    this.name = 'CorruptRecordError';
    this.threadId = threadId;
  }
}

/** A call id came back with another input. The ledger never answers for an input it did not see. */
export class LedgerMismatchError extends StoreError {
  override readonly code = 'ledger-mismatch';
  readonly callId: string;

  constructor(threadId: string, callId: string) {
    super({
      where: `thread '${threadId}', call '${callId}'`,
      what: 'the ledger knows this call with another input',
      fix: 'Give every call an id of its own; nothing of this commit was written',
    });
    this.name = 'LedgerMismatchError';
    this.callId = callId;
  }
}

/**
 * Why a store could not be read or written. `busy`: another writer held it for too long; `full`: no room;
 * `closed`: it was closed; `unreadable`: it is damaged, or no store of this package; `unreachable`: its server was not
 * reached, or the connection broke; `timeout`: it did not answer in time; `failed`: anything else. After `unreachable`
 * and `timeout` the last write may be stored or not, as a whole: what is read next tells.
 */
export type StoreFailure =
  | 'busy'
  | 'full'
  | 'closed'
  | 'unreadable'
  | 'unreachable'
  | 'timeout'
  | 'failed';

/** What holds the store refused. `cause` is the error of the driver, where there is one. */
export class StoreAccessError extends StoreError {
  override readonly code: `store-${StoreFailure}`;

  constructor(
    failure: StoreFailure,
    where: string,
    options: { readonly what?: string; readonly cause?: unknown } = {},
  ) {
    super(
      { where, what: options.what ?? FAILURE_WHAT[failure], fix: FAILURE_FIX[failure] },
      'cause' in options ? { cause: options.cause } : undefined,
    );
    this.name = 'StoreAccessError';
    this.code = `store-${failure}`;
  }
}

const FAILURE_WHAT: Record<StoreFailure, string> = {
  busy: 'another writer held it for too long',
  full: 'there is no room left to write',
  closed: 'it is closed',
  unreadable: 'it cannot be read as a store',
  unreachable: 'its server is not reached, or the connection broke',
  timeout: 'it did not answer in time',
  failed: 'it failed',
};

const OPEN_END =
  'A write that had begun is stored as a whole or not at all; `resume` goes on from what is stored';

const FAILURE_FIX: Record<StoreFailure, string> = {
  busy: 'Repeat the request; nothing of it was written',
  full: 'Make room and repeat the request; nothing of it was written',
  closed: 'Open the store again',
  unreadable: 'Restore it from a backup, or check where the store is',
  unreachable: `See \`cause\`, and check its address and that it runs. ${OPEN_END}`,
  timeout: `Check its load, or give it more time with \`timeoutMs\`. ${OPEN_END}`,
  failed: 'See `cause`; nothing of the failed write is stored',
};
