/** How many calls are under way at a time, in this process; the others wait in the order in which they came. */
export interface SlotsPort {
  /** A slot that is free now, as what gives it back; nothing while others have them all. */
  readonly takeFree: () => (() => void) | undefined;
  /** Calls back when it is its turn. What it gives leaves the queue. */
  readonly wait: (onTurn: (release: () => void) => void) => () => void;
  /** Rejects with the reason of the signal when that comes before the slot. */
  readonly take: (signal: AbortSignal) => Promise<() => void>;
}
