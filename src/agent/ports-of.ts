import { randomUUID } from 'node:crypto';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { Slots } from '../internal/slots.ts';
import { BackgroundCalls } from '../loop/background-calls.ts';
import { LeaseKeeper } from '../loop/lease-keeper.ts';
import type { Ports } from '../loop/ports.ts';
import { memoryStore } from '../stores/memory.ts';
import { memoryCounters } from '../stores/memory-counters.ts';
import { toolRegistry } from '../tools/registry.ts';
import { budgetsOf } from './budgets-of.ts';
import { checkNamed } from './check-named.ts';
import { compactionPort } from './compaction-port.ts';
import { knowledgeTool } from './knowledge.ts';
import { linesPort } from './lines-port.ts';
import { checkLocks } from './lock-rules.ts';
import type { Observers } from './observers.ts';
import { resultRulesOf } from './result-rules.ts';
import type { BuiltOptions } from './rules-of.ts';
import type { StateSchema } from './state-schema.ts';

/** What an agent needs of the world, from its options and the defaults of what they leave out. Throws `ConfigError`. */
export function portsOf(
  options: BuiltOptions,
  observers: Observers,
  state: StateSchema | undefined,
): Omit<Ports, 'hooks' | 'policies'> {
  const { tools = [], knowledge } = options;
  const search = knowledge === undefined ? [] : [knowledgeTool(knowledge)];
  const registry = toolRegistry([...tools, ...search]);
  const store = options.store ?? memoryStore();
  checkLocks(registry, state);
  checkNamed(registry, state);
  const results = resultRulesOf(options, { tools: registry, state });
  return {
    agentName: options.name,
    instructions: options.instructions ?? '',
    store,
    leases: new LeaseKeeper(store, { ttlMs: options.leaseMs ?? 30_000, name: randomUUID() }),
    model: options.model,
    settings: deepFreeze(structuredClone(options.settings ?? {})),
    notes: [...(options.notes ?? [])],
    tools: { ...registry, names: registry.descriptions.map(({ name }) => name) },
    ...(results !== undefined && { results }),
    lines: linesPort(options, { tools: registry, state }),
    ...(state !== undefined && { state }),
    ...(options.budgets !== undefined && { budgets: budgetsOf(options.budgets) }),
    counters: options.counters ?? store.counters ?? memoryCounters(),
    clock: { now: Date.now, monotonic: () => performance.now() },
    newId,
    observe: observers.observe,
    hasObservers: observers.any,
    isObserved: observers.hears,
    maxParallelTools: options.maxParallelTools ?? 8,
    ...(options.maxConcurrentTools !== undefined && {
      toolSlots: new Slots(options.maxConcurrentTools),
    }),
    maxOutputBytes: options.maxOutputBytes ?? 65_536,
    cancelGraceMs: options.cancelGraceMs ?? 2_000,
    background: new BackgroundCalls(),
    emptyRetries: 2,
    ...(options.compaction !== undefined && {
      compaction: compactionPort(options.compaction, options.model),
    }),
  };
}

/**
 * An id comes as a string of twenty pieces, which hold 400 bytes together. Asked for in small letters, which it has, it is
 * one piece; a mere look at one of its characters V8 leaves out once it knows that nobody wants it.
 */
function newId(): string {
  return randomUUID().toLowerCase();
}
