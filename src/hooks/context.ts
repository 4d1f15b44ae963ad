import type { Counters } from '../protocol/counters.ts';
import type { JsonValue } from '../protocol/json.ts';
import type { Message } from '../protocol/message.ts';
import type { StateOf } from '../protocol/state-values.ts';
import type { Purpose } from '../protocol/texts.ts';

/**
 * What a policy may read beside its payload. Owned by the engine and read-only: identity lives only here, so
 * no decision can forge it.
 */
export interface HookContext<Context = unknown, State = StateOf<Context>> {
  /** The thread of this run. A subagent runs on one of its own. */
  readonly threadId: string;
  readonly turnId: string;
  /** The step of this turn, from 1; 0 before the first. */
  readonly step: number;
  /** The attempt of this step, from 1; more than 1 after a crash during the call, 0 before the first step. */
  readonly attempt: number;
  /** The agents above this one, outermost first; empty for an agent that no other called. */
  readonly agentPath: readonly string[];
  /** The id of the agent's model, or of that which writes a summary; `unknown` for one without an id. */
  readonly model: string;
  /** What the model call in question is for. */
  readonly purpose: Purpose;
  /** Who speaks, as the app told this run: a frozen copy, not kept with the thread. `null` where nothing was passed. */
  readonly sender: JsonValue;
  /** Over what they speak, in the same way. */
  readonly channel: JsonValue;
  /** What else the app tells of the session, in the same way. */
  readonly session: JsonValue;
  /** The history so far, frozen and not copied. Without the message or response that is being judged. */
  readonly messages: readonly Message[];
  /**
   * JSON this policy keeps for this thread; committed with the step. What is written counts once the hook has answered
   * legally: one that throws or is given up on has written nothing.
   */
  readonly memory: PolicyMemory;
  /**
   * The thread's state now, frozen: every field that is set or has a default. Policies read it; the app and tools set
   * it. Empty for an agent without a `stateSchema`. `State`: the output of that schema. In a subagent a policy from
   * above reads the state of its own thread.
   */
  readonly state: Readonly<State>;
  /** Counts across threads and processes, for limits per user or tenant. */
  readonly counters: Counters;
  /** Aborted on this hook's time limit and when the turn is cancelled. Made when first read. */
  readonly signal: AbortSignal;
  /** True when an earlier verdict is asked for again because a later policy rewrote the value. */
  readonly recheck: boolean;
  /** What the app passed to `run`, untouched. */
  readonly context: Context;
}

/** What one policy remembers about one thread. Needs a policy with an explicit `name`. */
export interface PolicyMemory {
  get(key: string): JsonValue | undefined;
  set(key: string, value: JsonValue): void;
  delete(key: string): void;
}
