import type { ThreadChanges, ThreadStore } from '../../src/index.ts';
import { type FakeClock, lapseLeases } from './play.ts';
import { openStore, problemsOf } from './play-script.ts';
import type { Pickup, Script, StoreKind } from './script.ts';
import { World, type Written } from './world.ts';

/**
 * Plays a script, takes the thread as it was after one of its commits, read back from JSON, and goes on from there
 * with another process. What ran before the next commit has run: the first process may have ended only then.
 */
export async function problemsAfter(
  { script, version, pickup }: { script: Script; version: number; pickup: Pickup },
  kind: StoreKind,
): Promise<readonly string[]> {
  const clock: FakeClock = { now: 1_000_000 };
  const [store, copy] = [openStore(kind, clock), openStore(kind, clock)];
  try {
    const first = new World(script, store);
    const problems = await problemsOf(first, clock);
    const commits = first.written.filter((entry) => 'changes' in entry);
    if (problems.length > 0 || commits.length === 0) return problems;
    const last = commits[version % commits.length];
    const next = commits[(version % commits.length) + 1];
    if (last === undefined) return problems;
    lapseLeases(clock);
    const before = first.written.filter(({ at }) => at <= last.at);
    await writeAgain(before, copy);
    lapseLeases(clock);
    return await problemsOf(
      goOn(first, copy, { before, last: last.at, end: next?.at, pickup }),
      clock,
    );
  } finally {
    await store.close?.();
    await copy.close?.();
  }
}

async function writeAgain(entries: readonly Written[], store: ThreadStore): Promise<void> {
  const { token } = await store.claim('t', { holder: 'the first', ttlMs: 30_000 });
  let version = 0;
  for (const entry of entries) {
    if ('changes' in entry) {
      // Everything a store is given is JSON.
      const changes = JSON.parse(JSON.stringify(entry.changes)) as ThreadChanges;
      await store.commit('t', token, version, changes);
      version += 1;
    } else await store.recordLate('t', entry.callId, entry.result);
  }
}

/** A world in which the first process is gone: what it wrote, ran and was told is known, and the script is over. */
function goOn(
  first: World,
  store: ThreadStore,
  from: {
    readonly before: readonly Written[];
    readonly last: number;
    readonly end: number | undefined;
    readonly pickup: Pickup;
  },
): World {
  const { mode, cap, steps, forgetsDiscarded, resetsOnMessage } = first.script;
  const { before, last, end = Number.POSITIVE_INFINITY, pickup } = from;
  const world = new World(
    {
      mode,
      turns: first.turns + 1,
      answers: [],
      policies: [],
      pickups: [pickup],
      ...(cap !== undefined && { cap }),
      ...(steps !== undefined && { steps }),
      ...(forgetsDiscarded !== undefined && { forgetsDiscarded }),
      ...(resetsOnMessage !== undefined && { resetsOnMessage }),
    },
    store,
  );
  world.follow(first, { before, last, end });
  return world;
}
