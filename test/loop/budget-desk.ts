import {
  type AgentOptions,
  type Budget,
  type Counters,
  createAgent,
  type ScriptEntry,
  type ScriptedResponse,
  scriptedModel,
} from '../../src/index.ts';
import { memoryCounters } from '../../src/stores/memory-counters.ts';

export type Tenant = { readonly tenant: string };

/** A call that costs exactly this much by `PRICES`. */
export const costing = (cost: number, more: ScriptedResponse = {}) => ({
  text: 'done',
  ...more,
  usage: { inputTokens: Math.round(cost * 1_000_000), outputTokens: 0 },
});
export const PRICES = { scripted: { input: 1, output: 1 } };

export const tenantBudget = (more: Partial<Budget<Tenant>> = {}): Budget<Tenant> => ({
  name: 'tenant',
  key: ({ context }) => context.tenant,
  limit: 3,
  per: 'always',
  reserve: 1,
  ...more,
});

export function build(
  script: readonly ScriptEntry[],
  more: Partial<AgentOptions<Tenant>> & { readonly counters?: Counters } = {},
) {
  const counters = more.counters ?? memoryCounters();
  const model = scriptedModel(script);
  const agent = createAgent<Tenant>({
    name: 'desk',
    model,
    prices: PRICES,
    budgets: [tenantBudget()],
    counters,
    ...more,
  });
  const spent = (tenant = 'a', unit = 'cost') =>
    counters.read(`budget:tenant:${unit}:always:${tenant}`);
  return { agent, model, spent, counters };
}

export const a = { context: { tenant: 'a' }, message: 'hello' };
