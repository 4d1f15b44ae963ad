import { isThenable } from './is-thenable.ts';
import type { MaybePromise } from './maybe-promise.ts';

/**
 * A value that comes later, for one taker, who is called in the very moment it is there. A promise makes its taker
 * queue once more for every function that passes it on, and a step of a run passes on a dozen values. Whatever awaits
 * one finds a thenable, which gives a promise as any other.
 */
export class Later<Value> implements PromiseLike<Value> {
  #take: ((value: Value) => unknown) | undefined;
  #fail: ((error: unknown) => void) | undefined;
  /** Who is given what the taker makes of the value. */
  #next: Later<unknown> | undefined;
  #end: 'value' | 'error' | undefined;
  #given: Value | undefined;
  #error: unknown;

  /** Calls one of the two, once; at once where it is over already. What they throw is thrown at whoever ends it. */
  whenOver(take: (value: Value) => void, fail: (error: unknown) => void): void {
    this.#take = take;
    this.#fail = fail;
    if (this.#end !== undefined) this.#tell();
  }

  /** What `take` makes of the value. What that throws is its failure. */
  map<Next>(take: (value: Value) => MaybePromise<Next>): Later<Next> {
    const next = new Later<Next>();
    this.#take = take;
    this.#next = next as Later<unknown>; // it is given what `take` makes, and nothing else
    if (this.#end !== undefined) this.#tell();
    return next;
  }

  /** Ends it. A second end does nothing. */
  resolve(value: MaybePromise<Value>): void {
    if (this.#end !== undefined) return;
    if (isLater(value)) {
      this.#adopt(value);
      return;
    }
    this.#end = 'value';
    this.#given = value;
    if (this.#take !== undefined) this.#tell();
  }

  reject(error: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = 'error';
    this.#error = error;
    if (this.#take !== undefined) this.#tell();
  }

  // biome-ignore lint/suspicious/noThenProperty: whoever awaits what comes now or later does not ask how it comes
  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => MaybePromise<Fulfilled>) | null,
    onRejected?: ((error: unknown) => MaybePromise<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    const promise = new Promise<Value>((resolve, reject) => this.whenOver(resolve, reject));
    return promise.then(onFulfilled, onRejected);
  }

  #adopt(value: PromiseLike<Value>): void {
    whenThere(
      value,
      (given) => this.resolve(given),
      (error) => this.reject(error),
    );
  }

  #tell(): void {
    const next = this.#next;
    if (this.#end === 'error') {
      if (next === undefined) this.#fail?.(this.#error);
      else next.reject(this.#error);
      return;
    }
    const given = this.#given as Value; // it is over, and not with an error
    if (next === undefined) {
      this.#take?.(given);
      return;
    }
    let made: unknown;
    try {
      made = this.#take?.(given);
    } catch (error) {
      next.reject(error);
      return;
    }
    next.resolve(made);
  }
}

/**
 * As `isThenable`, for what only the loop itself makes, which never gives on what somebody else calls a promise. Nothing
 * is read of the value: V8 keeps few shapes in mind, and looks a member of one more up anew.
 */
export function isLater<Value>(value: MaybePromise<Value>): value is PromiseLike<Value> {
  return value instanceof Later || value instanceof AsyncResult || value instanceof Promise;
}

/** What async functions give, also where an app has put something else in the place of the global `Promise`. */
function AsyncResult(): void {}
AsyncResult.prototype = Object.getPrototypeOf((async () => {})());

/** Calls one of the two when the value is there. */
export function whenThere<Value>(
  value: PromiseLike<Value>,
  take: (value: Value) => void,
  fail: (error: unknown) => void,
): void {
  if (value instanceof Later) value.whenOver(take, fail);
  else void value.then(take, fail);
}

/**
 * A promise of what somebody else's comes to. `Promise.resolve` takes a promise with a `then` of its own for one that is
 * none, which may call back twice or throw; `await` looks past that.
 */
export async function adopted<Value>(foreign: PromiseLike<Value>): Promise<Value> {
  return await foreign;
}

/** What `take` makes of a value, at once where it is there. */
export function after<Value, Next>(
  value: MaybePromise<Value>,
  take: (value: Value) => MaybePromise<Next>,
): MaybePromise<Next> {
  if (!isThenable(value)) return take(value);
  return value instanceof Later ? value.map(take) : value.then(take);
}

/** As `promise.finally`, which makes three promises more and asks its taker to wait for two of them. `end` must not throw. */
export function ending<Value>(promise: Promise<Value>, end: () => void): Promise<Value> {
  return promise.then(
    (value) => {
      end();
      return value;
    },
    (error: unknown) => {
      end();
      throw error;
    },
  );
}

/** All of the values, in their order. Fails with the first that fails. */
export function all<Value>(values: readonly MaybePromise<Value>[]): MaybePromise<readonly Value[]> {
  const given = new Array<Value>(values.length);
  const later = new Later<readonly Value[]>();
  // Itself is one of them, so that none of the values can be the last before all are asked.
  let open = 1;
  values.forEach((value, index) => {
    if (!isThenable(value)) {
      given[index] = value;
      return;
    }
    open += 1;
    const take = (late: Value): void => {
      given[index] = late;
      open -= 1;
      if (open === 0) later.resolve(given);
    };
    whenThere(value, take, (error) => later.reject(error));
  });
  open -= 1;
  return open === 0 ? given : later;
}
