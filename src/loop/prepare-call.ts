import { OperationError } from '../errors/operation-error.ts';
import type { OperationErrorCode } from '../errors/tool-error.ts';
import { failureOf } from '../errors/tool-failure.ts';
import type { OperationPort } from '../tools/port.ts';
import { CallContext } from './execute-call.ts';
import { wholeCall } from './locks.ts';
import type { Operation } from './operation-state.ts';
import { type ReadUpdate, readUpdate } from './read-update.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn, Refusal } from './state.ts';

/** What became of preparing one call. `operation` is the last that is known of it, ready or not. */
export interface Preparation {
  readonly operation?: Operation;
  readonly refusal?: Refusal;
  readonly expired?: true;
}

interface Preparing {
  readonly turn: OpenTurn;
  readonly port: OperationPort<never, never>;
  /** Gives up what the call had prepared before: from here on it has another operation. Never rejects. */
  readonly giveUp: (call: BatchCall) => Promise<unknown>;
  /** Stores what a call has begun, before it goes on. False where that failed. */
  readonly name: (callId: string, operation: Operation) => Promise<boolean>;
}

/** Prepares the operation of one call, whatever its tool does: ends early, throws, hangs, or tells nonsense. */
export function prepareCall(
  call: BatchCall,
  session: Session,
  preparing: Preparing,
): Promise<Preparation> {
  return new PreparingCall(call, session, preparing).run();
}

/** How a call ends that could not be prepared. */
export function refusalFor(toolName: string, error: unknown): Refusal {
  const { output, eventText } = failureOf(toolName, error);
  const reason = eventText ?? 'it failed while it was prepared';
  return { outcome: 'failed', by: 'agent', reason, output };
}

class PreparingCall {
  readonly #call: BatchCall;
  readonly #session: Session;
  readonly #preparing: Preparing;
  readonly #ctx: CallContext;
  #resolve: ((preparation: Preparation) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #updates: AsyncIterator<unknown> | undefined;
  #operation: Operation | undefined;
  #stored: string | undefined;

  constructor(call: BatchCall, session: Session, preparing: Preparing) {
    this.#call = call;
    this.#session = session;
    this.#preparing = preparing;
    this.#operation = call.operation;
    this.#stored = call.operation?.operationId;
    const attempt = call.operation === undefined ? 1 : 2;
    this.#ctx = new CallContext(call, session, { turn: preparing.turn, attempt, readsOnly: true });
  }

  run(): Promise<Preparation> {
    return new Promise((resolve) => {
      this.#resolve = resolve;
      this.#session.options.cancel.listen(this.#onCancel);
      if (this.#isOver) return;
      const { prepareTimeoutMs } = this.#preparing.port;
      this.#timer = setTimeout(() => this.#fail('operation-timed-out'), prepareTimeoutMs);
      this.#listen().catch((error: unknown) => this.#refuse(error));
    });
  }

  get #isOver(): boolean {
    return this.#resolve === undefined;
  }

  async #listen(): Promise<void> {
    const { port } = this.#preparing;
    // A promise first: what `listen` throws at once is its failure too.
    const given = await port.listen(wholeCall(this.#call, this.#session).effectiveInput, this.#ctx);
    const updates = given[Symbol.asyncIterator]();
    this.#updates = updates;
    if (this.#isOver) return this.#close();
    let before: ReadUpdate | undefined;
    for (let count = 1; ; count += 1) {
      const next = await updates.next();
      if (this.#isOver) return;
      if (next.done === true) return this.#fail('operation-not-ready');
      if (count > port.maxUpdates) return this.#fail('operation-too-many-updates');
      before = readUpdate(next.value, before);
      if (await this.#take(before)) return;
    }
  }

  /** True when nothing more is to be heard. */
  async #take(update: ReadUpdate): Promise<boolean> {
    const { operationId } = update;
    const input = this.#call.effectiveInput;
    this.#operation = { operationId, input };
    if (this.#stored !== operationId) {
      // The store knows one of them: the one before would be left to nobody after a crash.
      if (this.#stored !== undefined) await this.#preparing.giveUp(this.#call);
      if (this.#isOver) return true;
      this.#stored = operationId;
      const isStored = await this.#preparing.name(this.#call.callId, this.#operation);
      if (this.#isOver) return true;
      if (!isStored) this.#fail('operation-not-stored');
      if (this.#isOver) return true;
    }
    this.#ctx.progress(update.told);
    if (update.type === 'expired') this.#fail('operation-expired');
    else if (update.type === 'ready') this.#ready(update);
    return this.#isOver;
  }

  #ready({
    state,
  }: Extract<ReadUpdate, { readonly type: 'progress' | 'revised' | 'ready' }>): void {
    const { operationId, expiresAt } = state;
    if (expiresAt !== undefined && expiresAt <= this.#session.ports.clock.now()) {
      this.#fail('operation-expired');
      return;
    }
    const input = this.#call.effectiveInput;
    this.#end({ operation: { operationId, input, prepared: state } }, 'ready');
  }

  readonly #onCancel = (): void => this.#end(this.#known(), 'cancelled');

  #fail(code: OperationErrorCode): void {
    this.#refuse(new OperationError(code));
  }

  #refuse(error: unknown): void {
    const refusal = refusalFor(this.#call.toolName, error);
    const isExpired = OperationError.isInstance(error) && error.code === 'operation-expired';
    const preparation = { ...this.#known(), refusal };
    this.#end(isExpired ? { ...preparation, expired: true } : preparation, 'failed');
  }

  #known(): Pick<Preparation, 'operation'> {
    return this.#operation === undefined ? {} : { operation: this.#operation };
  }

  #end(preparation: Preparation, why: string): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    clearTimeout(this.#timer);
    this.#session.options.cancel.unlisten(this.#onCancel);
    this.#ctx.end();
    this.#ctx.cancel(why);
    this.#close();
    resolve(preparation);
  }

  /** The tool may be in the middle of a wait, and is not waited for. */
  #close(): void {
    const updates = this.#updates;
    if (updates === undefined) return;
    void closeQuietly(updates);
  }
}

async function closeQuietly(updates: AsyncIterator<unknown>): Promise<void> {
  try {
    await updates.return?.();
  } catch {
    // Its updates are over: what it throws while it ends is no part of its call.
  }
}
