import type { Meter } from './meter.ts';

export const OURS = ['memory', 'sqlite', 'postgres', 'redis'] as const;
export const PEERS = ['langgraph', 'langgraph-full', 'langgraph-delta'] as const;

export type StorageName = (typeof OURS)[number] | (typeof PEERS)[number];

/** What is stored, as it is now. Only differences mean anything. */
export interface Size {
  /** Bytes that stay. */
  readonly stored: number;
  /** Bytes written to the log that makes commits durable; `undefined` where there is none. */
  readonly logged: number | undefined;
  /** Rows, or entries of collections. */
  readonly rows: number;
}

/** One store with its agent, for one sample or one look at its size. */
export interface Session {
  readonly meter: Meter;
  /** Makes a thread with so many messages before anything is measured. */
  readonly seed: (threadId: string, history: number) => Promise<void>;
  /** One more turn on such a thread. Gives its text. */
  readonly turn: (threadId: string, history: number) => Promise<string>;
  /** Does now what seeding has left for later, so that no timed turn pays for it. */
  readonly settle: () => Promise<void>;
  /** Settles, and keeps the log from then on until `after`. */
  readonly before: () => Promise<Size>;
  readonly after: () => Promise<Size>;
  readonly close: () => Promise<void>;
}

export interface StorageContender {
  readonly name: StorageName;
  /** A store with nothing in it. */
  readonly open: () => Promise<Session>;
  /** How durable a commit is, as the store itself says. */
  readonly settings: () => Promise<string>;
  readonly close?: () => Promise<void>;
}
