/** One of many workers: runs a turn on every thread, in an order of its own, as long as the thread wants one. */
import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import {
  createAgent,
  type ModelRequest,
  Policy,
  type ScriptedAnswer,
  scriptedModel,
  ThreadBusyError,
  TurnDecision,
  textOf,
  tool,
} from '../../src/index.ts';
import { chance } from '../crash/chance.ts';
import { openPlace } from '../crash/open-place.ts';
import type { WorkerPlan } from './plan.ts';

const plan: WorkerPlan = JSON.parse(process.argv[2] ?? '');
const name = `worker-${plan.worker}`;
const SIDE_BY_SIDE = 8;

/** Lets so many turns into a thread, whoever comes. */
class Quota extends Policy {
  override readonly name = 'quota';

  override onTurnStart(...[, ctx]: Parameters<NonNullable<Policy['onTurnStart']>>): TurnDecision {
    const turns = Number(ctx.memory.get('turns') ?? 0);
    if (turns >= plan.quota) return TurnDecision.block('it had enough');
    ctx.memory.set('turns', turns + 1);
    return TurnDecision.proceed();
  }
}

const pay = tool({
  name: 'pay',
  description: 'Pays; must not happen twice',
  inputSchema: z.object({ key: z.string() }),
  tier: 'auto',
  execute: ({ key }) => {
    appendFileSync(plan.effects, `${key}\n`);
    return `paid ${key}`;
  },
});

/** Goes by the history alone: the last text of a user names the worker, and a result ends the turn. */
function answer({ messages }: ModelRequest): ScriptedAnswer {
  if (messages.at(-1)?.role === 'tool') return `done by ${name}`;
  const last = messages.findLast(({ role }) => role === 'user');
  return { toolCalls: [{ name: 'pay', input: { key: last ? textOf(last) : '' } }] };
}

const store = openPlace(plan.place);
const agent = createAgent({
  name: 'clerk',
  model: scriptedModel(Array.from({ length: 100_000 }, () => answer)),
  tools: [pay],
  hooks: [new Quota()],
  store,
});

async function visit(threadId: string): Promise<void> {
  for (;;) {
    try {
      const result = await agent.run({ threadId, message: `${threadId} ${name}` });
      if (result.status === 'completed' || result.status === 'blocked') return;
      throw result.status === 'failed' ? result.error : new Error(result.status);
    } catch (error) {
      if (!ThreadBusyError.isInstance(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 5 + 10 * random()));
    }
  }
}

const random = chance(plan.worker);
const queue = Array.from({ length: plan.threads }, (_, index) => ({
  threadId: `thread-${index}`,
  at: random(),
})).sort((a, b) => a.at - b.at);
await Promise.all(
  Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) await visit(next.threadId);
  }),
);
await store.close?.();
