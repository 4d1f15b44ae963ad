import { AsyncResource, createHook, executionAsyncId } from 'node:async_hooks';
import {
  type AgentHooks,
  createAgent,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** What a turn makes that costs time whether or not anybody wanted it. */
export interface Work {
  promises: number;
  timers: number;
  clones: number;
  freezes: number;
  signals: number;
}

const look = tool({
  name: 'look',
  description: 'Looks around',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => 'nothing',
});

/** Two steps, with text beside the two calls of the first. */
export const WITH_TOOLS: readonly ScriptEntry[] = [
  { toolCalls: [{ name: 'look' }, { name: 'look' }], text: 'One moment.' },
  'Nothing.',
];

/** Counts while one turn runs. It never waits for anything outside of the process, so nothing else runs meanwhile. */
export async function countWork(
  hooks: readonly AgentHooks[],
  script: readonly ScriptEntry[] = WITH_TOOLS,
  during: () => void = () => undefined,
): Promise<Work> {
  const model = scriptedModel(script);
  const agent = createAgent({ name: 'a', model, tools: [look], hooks, store: memoryStore() });
  const work: Work = { promises: 0, timers: 0, clones: 0, freezes: 0, signals: 0 };
  const scope = new AsyncResource('countWork');
  const stop = watch(work, scope.asyncId());
  try {
    const { status } = await scope.runInAsyncScope(() => {
      during();
      return agent.run({ threadId: 't', message: 'Look around' });
    });
    if (status !== 'completed') throw new Error(`the turn is ${status}`);
  } finally {
    stop();
  }
  return work;
}

/**
 * Promises and timers are counted where Node makes them, whichever name they were reached by, and only those that
 * come of what began in the scope: the test runner has its own.
 */
function watch(work: Work, scopeId: number): () => void {
  const within = new Set([scopeId]);
  const resources = createHook({
    init(id, type) {
      if (!within.has(executionAsyncId())) return;
      within.add(id);
      if (type === 'PROMISE') work.promises += 1;
      if (type === 'Timeout' || type === 'Immediate') work.timers += 1;
    },
  });
  const count = (kind: keyof Work): (() => void) => {
    return () => {
      work[kind] += 1;
    };
  };
  const restores = [
    counted(globalThis, 'structuredClone', count('clones')),
    counted(JSON, 'stringify', count('clones')),
    counted(Object, 'freeze', count('freezes')),
    counted(globalThis, 'AbortController', count('signals')),
  ];
  resources.enable();
  return () => {
    resources.disable();
    for (const restore of restores) restore();
  };
}

/** Puts a counting function in the place of one that everybody calls by this name. */
function counted(owner: object, name: string, count: () => void): () => void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new Error(`${name} is no function`);
  const proxy = new Proxy(original, {
    apply(target, self, args) {
      count();
      return Reflect.apply(target, self, args);
    },
    construct(target, args) {
      count();
      return Reflect.construct(target, args);
    },
  });
  Reflect.set(owner, name, proxy);
  return () => void Reflect.set(owner, name, original);
}
