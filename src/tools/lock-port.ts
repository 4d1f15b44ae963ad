import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { CheckedInput } from './input-port.ts';
import type { Conversation } from './transcript.ts';

/** A field of the state with keys below it, or a fact of the run with keys below that. */
export type LockPath = readonly [root: string, ...keys: string[]];

/** Where the value of a locked argument comes from. */
export type LockSource =
  | { readonly type: 'value'; readonly value: JsonValue }
  /** One placeholder and nothing else: the value as it is. */
  | { readonly type: 'path'; readonly path: LockPath }
  | { readonly type: 'text'; readonly text: string; readonly paths: readonly LockPath[] }
  | { readonly type: 'transcript'; readonly maxMessages: number; readonly text: boolean };

/** An argument that neither the model nor a policy gives. */
export interface Lock {
  readonly name: string;
  readonly source: LockSource;
  /** What the schema of the tool says of it. */
  readonly takes: JsonObject;
}

/** The locked arguments of a tool. */
export interface ToolLocks {
  readonly names: readonly string[];
  readonly locks: readonly Lock[];
  /** The JSON Schema of the whole input. */
  readonly schema: JsonObject;
  /** What to do about a value that is not set, by the name in its placeholder. */
  readonly hints: ReadonlyMap<string, string>;
  /** Checks what the model gives, while locks have no value. */
  readonly checkPart: (given: JsonValue) => MaybePromise<CheckedInput>;
  /**
   * Puts the locked arguments in the place of whatever stands there and checks the whole. What the model gives is looked
   * at first: a call that it has to make anew anyway is not refused over a value that nobody has.
   */
  readonly check: (given: JsonValue, facts: LockFacts) => MaybePromise<CheckedInput>;
  /** The same without a check; what has no value is left out. */
  readonly fill: (given: JsonObject, facts: LockFacts) => JsonObject;
  /** The input as it may be stored and told of; the very same where nothing of it is locked. */
  readonly strip: (input: JsonObject) => JsonObject;
}

/** What locks are filled from. */
export interface LockFacts {
  /** A value of the thread's state; nothing for what is not set. */
  readonly state: (path: LockPath) => JsonValue | undefined;
  /** What the schema of the state says that is. */
  readonly describe?: (path: LockPath) => string | undefined;
  /** By the name a path begins with. */
  readonly facts: (root: string) => JsonValue;
  readonly conversation: () => Conversation;
}

/** What a path begins with that is no field of the state. `call` is `session`. */
export const FACT_ROOTS: readonly string[] = ['session', 'call', 'sender', 'channel'];
