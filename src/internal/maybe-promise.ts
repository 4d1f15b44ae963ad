/** A value now or later. Callers await only what `isThenable`: a tick saved at every synchronous answer. */
export type MaybePromise<T> = T | PromiseLike<T>;
