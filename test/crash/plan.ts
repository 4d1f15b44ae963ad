/** Where a store is, so that another process can open it. */
export interface StorePlace {
  readonly kind: 'sqlite' | 'postgres' | 'redis';
  /** A path of SQLite, an address of the others. */
  readonly at: string;
  /** Schema or prefix. */
  readonly name: string;
}

/** What one process does, and where it kills itself. */
export interface ChildPlan {
  readonly place: StorePlace;
  /** Holds the three files that tell what happened, whatever the store says. */
  readonly folder: string;
  readonly threads: readonly string[];
  /** At which commit of this process; none where it is killed from outside. */
  readonly kill?: {
    readonly commit: number;
    /** Before it is sent; when it is sent and not answered; when it was answered. */
    readonly moment: 'before' | 'sent' | 'after';
  };
}

/** Appended to and never read by who appends. */
export const FILES = {
  /** One line per effect of a tool that must not run twice. */
  effects: 'effects',
  /** One line per result that a process was told is stored. */
  stored: 'stored',
  /** One line per answer that the policy turned down. */
  rejected: 'rejected',
  /** One line per turn that ended, as JSON. */
  ended: 'ended',
} as const;

/** How a turn ended. */
export interface Ended {
  readonly threadId: string;
  readonly status: string;
  readonly code?: string;
  readonly streak?: number;
}

/** Every fourth thread is one whose answers are never good enough. */
export function isStubborn(threadId: string): boolean {
  return Number(threadId.replace('thread-', '')) % 4 === 3;
}

/** How many steps with tools a turn has. */
export const STEPS = 3;
