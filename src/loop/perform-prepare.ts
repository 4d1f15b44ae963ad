import { OperationError } from '../errors/operation-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import type { CancelReason } from '../protocol/operation.ts';
import { cancelOperations } from './cancel-operations.ts';
import { checkCall } from './check-call.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { FILLED_ANEW, isFilledAnew } from './filled-anew.ts';
import { findTool } from './find-tool.ts';
import type { Operation } from './operation-state.ts';
import { saveCheckpoint } from './perform-commit.ts';
import { type Preparation, prepareCall, refusalFor } from './prepare-call.ts';
import type { Session } from './session.ts';
import type { BatchCall, LetGo, Refusal, ThreadState } from './state.ts';
import { isToPrepare } from './step-prepare.ts';

type Prepare = Extract<Effect, { readonly type: 'prepare-batch' }>;

/** Checks the calls of a batch of which some prepare an operation: none begins for an input that does not fit. */
export async function readListening(
  calls: readonly BatchCall[],
  session: Session,
): Promise<LoopEvent> {
  const read: BatchCall[] = [];
  for (const call of calls) {
    const checking = checkCall(call, session);
    const checked = isThenable(checking) ? await checking : checking;
    if (checked === 'cancelled') return { type: 'turn.cancelled' };
    read.push(checked);
  }
  return { type: 'batch.read', calls: read, ...(session.hasStreamed && { shown: true }) };
}

/** Prepares the operations of a batch side by side, and gives up those that are not to go on. */
export async function prepareBatch(effect: Prepare, session: Session): Promise<LoopEvent> {
  const { turn, batch } = effect;
  const names = new OperationNames(session);
  const dropped: LetGo[] = [];
  const giveUp = (call: BatchCall): Promise<undefined> =>
    cancelOperations(
      { type: 'cancel-operations', turn, dropped: [{ call, reason: 'replaced' }] },
      session,
    );
  const settle = (call: BatchCall, preparation: Preparation): BatchCall => {
    const { operation, refusal } = preparation;
    const now = operation === undefined ? call : { ...call, operation };
    if (refusal === undefined) return now;
    if (now.operation !== undefined)
      dropped.push({ call: now, reason: reasonOf(preparation.expired) });
    return { ...now, refusal };
  };
  const calls = await Promise.all(
    batch.calls.map(async (given): Promise<BatchCall> => {
      if (!isToPrepare(given)) return given;
      const call = await checkAgain(given, session);
      const port = findTool(session, call.toolName)?.operation;
      if (call.refusal !== undefined) {
        const reason = call.refusal.outcome === 'blocked' ? 'refused' : 'dropped';
        if (given.operation !== undefined) dropped.push({ call: given, reason });
        return call;
      }
      // Refused here, so that nobody is asked about it, and nothing gives it up once more where it would run.
      if (port === undefined) return settle(call, { refusal: preparesNothing(call.toolName) });
      const name = (callId: string, operation: Operation) => names.save(callId, operation);
      return settle(call, await prepareCall(call, session, { turn, port, name, giveUp }));
    }),
  );
  if (dropped.length > 0)
    await cancelOperations({ type: 'cancel-operations', turn, dropped }, session);
  const { cancelled } = session.options.cancel;
  return { type: 'operations.prepared', calls, cancelled };
}

/** Read again in another process, the tool may be another; an edited input has been checked, one of a policy too. */
async function checkAgain(call: BatchCall, session: Session): Promise<BatchCall> {
  const checked = await checkCall(call, session);
  if (checked === 'cancelled') return call;
  return checked.refusal === undefined && isFilledAnew(call, checked)
    ? { ...checked, refusal: FILLED_ANEW }
    : checked;
}

/** The tool has become one that prepares nothing: what it prepared, nobody can carry out. */
function preparesNothing(toolName: string): Refusal {
  return refusalFor(toolName, new OperationError('operation-stale'));
}

function reasonOf(expired: true | undefined): CancelReason {
  return expired === true ? 'expired' : 'failed';
}

/** Stores which operations a batch has begun, one commit after the other, before the commit that says how they are. */
class OperationNames {
  readonly #session: Session;
  readonly #named = new Map<string, Operation>();
  #last: Promise<boolean> = Promise.resolve(true);
  #isStored = true;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Never rejects. False when the store could not, and for whatever comes after that: the thread may be someone else's. */
  save(callId: string, operation: Operation): Promise<boolean> {
    this.#named.set(callId, operation);
    this.#isStored = false;
    this.#last = this.#saveAfter(this.#last);
    return this.#last;
  }

  async #saveAfter(earlier: Promise<boolean>): Promise<boolean> {
    if (!(await earlier)) return false;
    // One commit holds all that were begun before it.
    if (this.#isStored) return true;
    this.#isStored = true;
    return saveCheckpoint(this.#session, this.#checkpoint());
  }

  #checkpoint(): ThreadState {
    const { state } = this.#session;
    const { phase } = state;
    if (phase.name !== 'preparing') throw new TypeError('an operation began outside its phase');
    const calls = phase.batch.calls.map((call): BatchCall => {
      const operation = this.#named.get(call.callId);
      return operation === undefined ? call : { ...call, operation };
    });
    return { ...state, phase: { ...phase, batch: { ...phase.batch, calls } } };
  }
}
