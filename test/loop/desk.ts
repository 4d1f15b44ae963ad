import {
  type AgentHooks,
  type AgentOptions,
  createAgent,
  type ModelRequest,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  type ThreadChanges,
  type ThreadStore,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

/** A small desk with one tool that must not run twice and one that only reads; both note what they did. */
export function desk(options: {
  readonly script: readonly ScriptEntry[];
  readonly hooks?: readonly AgentHooks[];
  readonly store?: ThreadStore;
  readonly log?: string[];
  readonly more?: Partial<AgentOptions>;
}) {
  const log = options.log ?? [];
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    tier: 'auto',
    execute: ({ euros }) => {
      log.push(`pay ${euros}`);
      return { paid: euros };
    },
  });
  const read = tool({
    name: 'read',
    description: 'Reads',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => {
      log.push('read');
      return { balance: 7 };
    },
  });
  const model = scriptedModel(
    options.script.map((entry) => (request: ModelRequest) => {
      log.push('model');
      return typeof entry === 'function' ? entry(request) : entry;
    }),
  );
  const store = options.store ?? memoryStore();
  const agent = createAgent({
    name: 'desk',
    model,
    tools: [pay, read],
    hooks: options.hooks ?? [],
    store,
    ...options.more,
  });
  return { agent, model, store, log };
}

export const callPay = (euros: number) => ({ name: 'pay', input: { euros } });
export const callRead = { name: 'read', input: {} };

/** A store that tells of every commit, before it is written. */
export function watched(
  store: ThreadStore,
  onCommit: (changes: ThreadChanges) => void,
): ThreadStore {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      if (key !== 'commit') return member.bind(target);
      return (...args: Parameters<ThreadStore['commit']>) => {
        onCommit(args[3]);
        return target.commit(...args);
      };
    },
  });
}

/** A store that dies after `commits` commits: the process behind it is gone, and everything it asks fails. */
export function dyingStore(store: ThreadStore, commits: number): ThreadStore {
  let left = commits;
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (left <= 0) throw new Error('the process is gone');
        const answer: unknown = Reflect.apply(member, target, args);
        if (key === 'commit') left -= 1;
        return answer;
      };
    },
  });
}
