import type { FallbackCause } from '../events/event.ts';
import type { StateRules } from './state-port.ts';

/** How far a turn, or a whole thread, may go. A limit left out does not bind. */
export interface TurnLimits {
  /** Model calls of the main loop, rejected ones included. */
  readonly steps?: number;
  /** Input and output tokens of every call, rejected ones included. The step that passes it is the last. */
  readonly tokens?: number;
  /** What all calls may cost, by `prices`, rejected ones included. The step that passes it is the last. */
  readonly cost?: number;
  /** Milliseconds of activity; waiting for a person does not count. Checked between steps. */
  readonly wallTimeMs?: number;
}

export interface Limits extends TurnLimits {
  /** The same over all turns of the thread. */
  readonly thread?: TurnLimits;
}

/** What a million tokens of a model cost, in whatever currency the app counts in. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input that was read from the provider's cache. Default: as much as other input. */
  readonly cachedInput?: number;
}

/** By the id of the model that answered, or else of the one that was asked. */
export interface Prices {
  readonly [model: string]: ModelPrice;
}

/** What `step` goes by beside the state. Never stored: a new release may bring other rules. */
export interface Rules {
  readonly maxResponseRetries: number;
  /** How many answers of a turn that do not fit their schema may be asked for again. */
  readonly outputRetries: number;
  /** How often in a row `onError` may recover a model call. */
  readonly maxRecoveries: number;
  readonly resetStreakOn: 'accept' | 'user-message';
  readonly limits: Limits;
  /** The id of the agent's model, under which its price may stand. */
  readonly model: string;
  readonly prices?: Prices;
  /** What a call without a price means for a cost limit: it is reached, or the call is free. */
  readonly unpriced: 'stop' | 'free';
  /** Of an agent whose threads have a state, with placeholders for it. */
  readonly fallbacks: { readonly [cause in FallbackCause]: string };
  /** What fills the fallbacks; absent where nothing is to be filled. */
  readonly state?: StateRules;
  /** Whether the audit keeps the text of a message that a policy refused. */
  readonly keepDiscarded: boolean;
  /** How often one batch may be asked again after its approvals were answered. */
  readonly maxPauses: number;
  /** How many model calls one step may start over crashes. */
  readonly maxAttempts: number;
  /** Commit before every model call, so that what came before it is heard before its first delta. */
  readonly announcesCalls: boolean;
  /** The model that summaries are asked of; absent where the history is never compacted. */
  readonly summaryModel?: string;
  /** How often in a row a request that is too long for the provider may be made shorter. */
  readonly maxOverflows: number;
  /** Stop with `continues` after one step. */
  readonly singleStep: boolean;
}
