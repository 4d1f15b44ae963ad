/** Milliseconds that a timer can wait at most. Given more, it fires at once. */
export const MAX_TIMER_MS: number = 2 ** 31 - 1;
