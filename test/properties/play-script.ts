import { memoryStore, type ThreadStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkSeen } from './check-seen.ts';
import { checkThread } from './check-thread.ts';
import { checkVotes } from './check-votes.ts';
import { type FakeClock, play } from './play.ts';
import type { Script, StoreKind } from './script.ts';
import { settle } from './timers.ts';
import { World } from './world.ts';

/** Plays a script on a new store and says what does not hold. */
export async function playScript(script: Script, kind: StoreKind): Promise<readonly string[]> {
  const clock: FakeClock = { now: 1_000_000 };
  const store = openStore(kind, clock);
  try {
    return await problemsOf(new World(script, store), clock);
  } finally {
    await store.close?.();
  }
}

export function openStore(kind: StoreKind, clock: FakeClock): ThreadStore {
  const now = (): number => clock.now;
  return kind === 'memory' ? memoryStore({ now }) : sqliteStore({ path: ':memory:', now });
}

/** Plays what is left of a world's script, and checks everything. */
export async function problemsOf(world: World, clock: FakeClock): Promise<readonly string[]> {
  const unhandled = (error: unknown): void =>
    world.problem(`P7: an unhandled rejection: ${error instanceof Error ? error.stack : error}`);
  process.on('unhandledRejection', unhandled);
  try {
    await play(world, clock);
    await settle();
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  await checkThread(world);
  await checkVotes(world);
  await checkSeen(world);
  await checkSecrets(world);
  return world.problems;
}
