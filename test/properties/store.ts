import type { ThreadStore } from '../../src/index.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

/** The store as one process sees it: it may fail, stand still or lose its answers, and the next process finds what was written. */
export function storeOf(world: World, process: Process): ThreadStore {
  const { store } = world;
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      if (key === 'commit') return (...args: CommitArgs) => commit(world, process, args);
      if (key === 'recordLate') return (...args: LateArgs) => recordLate(world, process, args);
      return (...args: unknown[]) => gone(process) ?? Reflect.apply(member, target, args);
    },
  });
}

type CommitArgs = Parameters<ThreadStore['commit']>;
type LateArgs = Parameters<ThreadStore['recordLate']>;

/** Throws, or never answers, once the process has lost its store. */
function gone(process: Process): Promise<never> | undefined {
  if (process.frozen) return new Promise(() => undefined);
  if (process.dead) throw new Error('the process is gone');
  return undefined;
}

async function commit(world: World, process: Process, args: CommitArgs): Promise<void> {
  process.moment('commit');
  await gone(process);
  const fault = process.commitFault;
  process.commitFault = undefined;
  if (fault === 'fail') throw new Error('the disk is full');
  await world.store.commit(...args);
  // What the port names, and nothing else a commit may carry.
  const { state, messages, events, ledger, approvals, memory, artifacts } = args[3];
  const changes = { state, messages, events, ledger, approvals, memory, artifacts };
  world.written.push({ at: world.tick(), leg: process.leg, changes });
  if (fault === 'lose') throw new Error('the connection was cut');
  process.moment('commit');
  await gone(process);
}

async function recordLate(world: World, process: Process, args: LateArgs): Promise<void> {
  await gone(process);
  await world.store.recordLate(...args);
  world.written.push({ at: world.tick(), callId: args[1], result: args[2] });
}
