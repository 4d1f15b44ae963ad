import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ChatRequest, ChatStreamPart } from '../protocol/chat.ts';
import type { ChainSetting } from './chain.ts';
import type { ChainVerdict, WrappedCall } from './gate.ts';

/** The call all levels belong to. */
export interface Nest {
  readonly setting: ChainSetting;
  /** Parts that have been read already: passed on as they are, they need not be read again. */
  readonly known: WeakSet<object>;
  /** What the model threw. */
  readonly thrown: Set<unknown>;
  /** Set once nothing counts any more. */
  readonly over: Error | undefined;
  /** Asks `preLlmRequest` about a request that was put in the place of the one that was judged. */
  readonly judge: (request: ChatRequest) => MaybePromise<ChainVerdict<ChatRequest>>;
  /** The level at this place in the list of policies; below the last one is the model. */
  open(index: number, request: ChatRequest, caller: Caller | undefined): Level;
  end(ending: Exclude<WrappedCall['ending'], undefined>): void;
  begin(pull: Pull): void;
  settled(pull: Pull): void;
}

/** Whoever reads a level, and does nothing else while it does. */
export interface Caller {
  entered(): void;
  left(): void;
}

type Result = IteratorResult<ChatStreamPart, undefined>;

const DONE: Result = Object.freeze({ done: true, value: undefined });

/** One question for the next part. Answered once; what comes after that is for nobody. */
export class Pull {
  readonly #level: Level;
  readonly #resolve: (result: Result) => void;
  readonly #reject: (error: unknown) => void;
  #isOpen = true;

  constructor(level: Level, resolve: (result: Result) => void, reject: (error: unknown) => void) {
    this.#level = level;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  give(value: ChatStreamPart): void {
    if (this.#settle()) this.#resolve({ done: false, value });
  }

  done(): void {
    if (this.#settle()) this.#resolve(DONE);
  }

  fail(error: unknown): void {
    if (this.#settle()) this.#reject(error);
  }

  #settle(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#level.answered(this);
    return true;
  }
}

/** A stream within a call that ends, for everyone who waits for a part, as soon as the call does. */
export abstract class Level implements AsyncIterableIterator<ChatStreamPart, undefined> {
  protected readonly nest: Nest;
  protected readonly pulls: Set<Pull> = new Set();
  readonly #caller: Caller | undefined;
  #closed = false;

  constructor(nest: Nest, caller: Caller | undefined) {
    this.nest = nest;
    this.#caller = caller;
  }

  protected get closed(): boolean {
    return this.#closed;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Result> {
    const { over } = this.nest;
    if (over !== undefined) return handled(Promise.reject(over));
    if (this.#closed) return Promise.resolve(DONE);
    return handled(
      new Promise((resolve, reject) => {
        const pull = new Pull(this, resolve, reject);
        this.pulls.add(pull);
        this.nest.begin(pull);
        this.#caller?.entered();
        this.produce(pull);
      }),
    );
  }

  /** Lets go at once: what the levels below still have to do is theirs. */
  return(): Promise<Result> {
    this.close();
    return Promise.resolve(DONE);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const pull of [...this.pulls]) pull.done();
    this.release();
  }

  answered(pull: Pull): void {
    this.pulls.delete(pull);
    this.nest.settled(pull);
    this.#caller?.left();
  }

  protected abstract produce(pull: Pull): void;
  /** Closes what is below. Must not throw. */
  protected abstract release(): void;
}

/** A policy may ask for a part and look away; that its question then fails is not for the process to die of. */
function handled<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
