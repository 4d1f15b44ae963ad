import type { FallbackCause } from '../events/event.ts';
import type { Rules } from '../loop/rules.ts';
import type { AgentOptions } from './agent-options.ts';
import type { StateSchema } from './state-schema.ts';

/** The options of an agent, whatever the types of its context and its state are. */
export type BuiltOptions = Omit<AgentOptions<never>, 'stateSchema'>;

/** What the loop goes by, from the options of the agent and the defaults of what they leave out. */
export function rulesOf(options: BuiltOptions, state: StateSchema | undefined): Rules {
  return Object.freeze({
    maxResponseRetries: options.maxResponseRetries ?? 8,
    maxRecoveries: 8,
    resetStreakOn: options.resetStreakOn ?? 'accept',
    outputRetries: options.outputRetries ?? 2,
    limits: { steps: 50, ...structuredClone(options.limits) },
    model: options.model.id,
    ...(options.prices !== undefined && { prices: structuredClone(options.prices) }),
    unpriced: options.unpriced ?? 'stop',
    fallbacks: { ...FALLBACKS, ...options.fallbacks },
    ...(state !== undefined && { state: { fields: state.fields, defaults: state.defaults } }),
    keepDiscarded: options.keepDiscarded ?? true,
    maxPauses: 3,
    maxAttempts: 3,
    announcesCalls: false,
    ...(options.compaction !== undefined && {
      summaryModel: (options.compaction.model ?? options.model).id,
    }),
    maxOverflows: 2,
    singleStep: false,
  });
}

const FALLBACKS: { readonly [cause in FallbackCause]: string } = {
  'user-message': 'Sorry, I cannot help with that.',
  request: 'Sorry, I cannot help with that.',
  response: 'Sorry, I cannot answer that.',
  outgoing: 'Sorry, I cannot show you that answer.',
  'hook-failure': 'Sorry, something went wrong. Please try again.',
  error: 'Sorry, something went wrong. Please try again.',
  limit: 'Sorry, I could not finish this. Please try again with a smaller request.',
};
