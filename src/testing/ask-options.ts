import { checkKeys } from '../errors/check-keys.ts';
import type { GatePorts, Moment, RunFacts } from '../hooks/gate.ts';
import { CancelScope } from '../internal/cancel-scope.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { toJson } from '../internal/to-json.ts';
import type { Counters } from '../protocol/counters.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import type { StateValues } from '../protocol/state-values.ts';
import type { Purpose } from '../protocol/texts.ts';
import { memoryCounters } from '../stores/memory-counters.ts';
import { type HistoryEntry, history } from './history.ts';
import { TURN_ID } from './text-payloads.ts';

/** What the policy reads in `ctx`, and how it is asked. Everything has a default. */
export interface AskOptions<Context = unknown> {
  /** Passed through untouched. */
  readonly context?: Context;
  /** The history so far, without what is being judged. Default: none. */
  readonly messages?: readonly HistoryEntry[];
  /** What the policy remembers about the thread. Default: nothing. */
  readonly memory?: JsonObject;
  /** Default: `thread`. */
  readonly threadId?: string;
  /** Default: `this-turn`. */
  readonly turnId?: string;
  /** Default: 1. */
  readonly step?: number;
  /** Default: 1. */
  readonly attempt?: number;
  readonly agentPath?: readonly string[];
  /** Default: `scripted`. */
  readonly model?: string;
  /** Default: `main`; at `onContextCompact` `compaction`. */
  readonly purpose?: Purpose;
  /** Who speaks. Default, as for the next two: `null`. */
  readonly sender?: JsonValue;
  readonly channel?: JsonValue;
  readonly session?: JsonValue;
  /** The state of the thread. Default: empty. */
  readonly state?: StateValues;
  /** Default: counters of this one question. */
  readonly counters?: Counters;
  /** At `onContextCompact`: how long a summary may be. Default: 2000. */
  readonly maxSummaryTokens?: number;
  /** Asks as if a later policy had rewritten the value: a change is then a failure. Default: false. */
  readonly recheck?: boolean;
  /** Cancels the turn while the policy is asked. */
  readonly signal?: AbortSignal;
  /** Milliseconds the policy may take. Default: what it would have in an agent. */
  readonly timeoutMs?: number;
}

const OPTIONS = Object.keys({
  context: true,
  messages: true,
  memory: true,
  threadId: true,
  turnId: true,
  step: true,
  attempt: true,
  agentPath: true,
  model: true,
  purpose: true,
  sender: true,
  channel: true,
  session: true,
  state: true,
  counters: true,
  maxSummaryTokens: true,
  recheck: true,
  signal: true,
  timeoutMs: true,
} satisfies Record<keyof AskOptions, true>);

/** Throws `ConfigError` for an option that nobody knows. */
export function checkAskOptions(where: string, options: unknown): void {
  checkKeys(where, options, OPTIONS);
}

/** The run around one question. */
export interface AskSetting {
  readonly facts: RunFacts;
  readonly moment: Moment;
  readonly ports: GatePorts;
  readonly memory: () => JsonObject;
}

/** A run of nothing but this question: what would be recorded is dropped, as the answer tells it all. */
export function settingOf(options: AskOptions): AskSetting {
  const { threadId = 'thread', turnId = TURN_ID, agentPath = [], model = 'scripted' } = options;
  const { sender = null, channel = null, session = null, context } = options;
  const { step = 1, attempt = 1, purpose = 'main' } = options;
  const messages = history(...(options.messages ?? []));
  const state = deepFreeze({ ...options.state });
  // A memory is an object by its type, and stays one.
  let memory = deepFreeze(toJson(options.memory ?? {}) as JsonObject);
  return {
    facts: { threadId, turnId, agentPath, model, sender, channel, session, context },
    moment: { step, attempt, purpose },
    memory: () => memory,
    ports: {
      now: () => performance.now(),
      record: () => undefined,
      digest: () => '',
      messages: () => messages,
      state: () => state,
      counters: options.counters ?? memoryCounters(),
      memory: {
        read: () => memory,
        write: (_policy, value) => {
          memory = value;
        },
      },
      cancel: new CancelScope(options.signal),
    },
  };
}
