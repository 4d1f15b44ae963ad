import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import type { Counters } from '../../protocol/counters.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { StateValues } from '../../protocol/state-values.ts';
import type { ToolPort } from '../../tools/port.ts';
import type { AskOptions } from '../ask-options.ts';
import type { HistoryEntry } from '../history.ts';
import type { FaultKind } from './fault.ts';

export interface FuzzOptions<Context = unknown> {
  /** The tools of the agent. Inputs then fit their schemas; without them a call has any name and any input. */
  readonly tools?: readonly ToolPort<never>[];
  /** Payloads worth trying, such as those a test is about. They are asked first, and varied. */
  readonly examples?: readonly unknown[];
  /** What the history begins with, such as the results that the policy reads. Texts come after it. */
  readonly messages?: readonly HistoryEntry[];
  /** What the app passes to `run`. */
  readonly context?: Context;
  readonly memory?: JsonObject;
  readonly state?: StateValues;
  readonly counters?: Counters;
  /** The seed of an earlier report: the same inputs again. Default: another one each time. */
  readonly seed?: number;
  /** Milliseconds for all of it, up to 60000. Default: 5000. */
  readonly timeMs?: number;
  /** How many inputs, if there is time. Default: 300. */
  readonly runs?: number;
  /** Faults that are none here, such as `unstable` for a policy that counts on purpose. */
  readonly allow?: readonly FaultKind[];
}

const OPTIONS = Object.keys({
  tools: true,
  examples: true,
  messages: true,
  context: true,
  memory: true,
  state: true,
  counters: true,
  seed: true,
  timeMs: true,
  runs: true,
  allow: true,
} satisfies Record<keyof FuzzOptions, true>);

/** Options with their defaults. */
export interface FuzzSetting {
  readonly tools: readonly ToolFacts[];
  readonly examples: readonly unknown[];
  readonly asking: Pick<AskOptions, 'messages' | 'context' | 'memory' | 'state' | 'counters'>;
  readonly seed: number;
  readonly timeMs: number;
  readonly runs: number;
  readonly allow: readonly FaultKind[];
}

/** A tool, as far as inputs are made for it. `port` stays behind where a policy is asked in a thread of its own. */
export interface ToolFacts {
  readonly name: string;
  readonly displayName: string;
  readonly tier: string;
  readonly sideEffects: string;
  readonly inputSchema: JsonObject;
  readonly port?: ToolPort<never>;
}

const DEFAULT_TIME_MS = 5_000;
const MAX_TIME_MS = 60_000;
const DEFAULT_RUNS = 300;

export function settingFrom(options: FuzzOptions): FuzzSetting {
  checkKeys('fuzzPolicy', options, OPTIONS);
  const { timeMs = DEFAULT_TIME_MS, runs = DEFAULT_RUNS, tools = [] } = options;
  const { seed = Math.floor(Math.random() * 2 ** 31) } = options;
  if (!(timeMs >= 100 && timeMs <= MAX_TIME_MS))
    throw invalid('timeMs', 'is no number of milliseconds from 100 to 60000');
  if (!Number.isSafeInteger(runs) || runs < 1) throw invalid('runs', 'is no whole number from 1');
  if (!Number.isSafeInteger(seed)) throw invalid('seed', 'is no whole number');
  const { messages, context, memory, state, counters } = options;
  return {
    tools: tools.map((port, index) => {
      if (typeof Object(port).description !== 'object')
        throw invalid('tools', `holds something at ${index} that is no tool`);
      const { name, displayName, tier, sideEffects, description } = port;
      return { name, displayName, tier, sideEffects, inputSchema: description.inputSchema, port };
    }),
    examples: options.examples ?? [],
    asking: {
      ...(messages !== undefined && { messages }),
      ...(context !== undefined && { context }),
      ...(memory !== undefined && { memory }),
      ...(state !== undefined && { state }),
      ...(counters !== undefined && { counters }),
    },
    seed,
    timeMs,
    runs,
    allow: options.allow ?? [],
  };
}

function invalid(option: string, what: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: `fuzzPolicy: \`${option}\``,
    what,
    fix: 'See `FuzzOptions`, or leave it out',
  });
}
