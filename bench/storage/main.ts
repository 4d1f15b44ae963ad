/**
 * What a step costs where it is stored: every store of agent-hooks, and LangGraph on its SQLite saver, with the same
 * work on threads of different lengths, interleaved in one run. Writes bench/results-storage.json and .md.
 *
 * `--short` takes seconds: it runs everything once, fails when a contender does not do the work or what is counted
 * grows with the history, judges no time and writes nothing. It leaves out LangGraph when it is not installed.
 */
import { buildWhereOld } from '../build.ts';
import type { StorageContender } from './contender.ts';
import { judgeStorage } from './formulas.ts';
import { hasPeer, installPeer, loadPeer } from './peer.ts';
import { storageTables, writeStorageResults } from './report.ts';
import type { Formula, StorageResults } from './rows.ts';
import type { Plan } from './run.ts';

const FULL: Plan = { histories: [0, 1_000, 10_000], warmUp: 1, rounds: 5, turns: 3, threads: 10 };
const SHORT: Plan = { histories: [0, 300], warmUp: 0, rounds: 1, turns: 1, threads: 3 };

const isShort = process.argv.includes('--short');
buildWhereOld();
if (!hasPeer()) {
  if (isShort)
    console.log('Without LangGraph: it is not installed (npm run bench:storage does it).');
  else installPeer();
}
await runStorageBench();

async function runStorageBench(): Promise<void> {
  const { contenders, missing } = await loadAll();
  try {
    const { measureStorage } = await import('./run.ts');
    const rows = await measureStorage(contenders, isShort ? SHORT : FULL);
    const settings = await Promise.all(
      contenders.map(async ({ name, settings }) => ({ name, settings: await settings() })),
    );
    report({ rows, settings, missing });
  } finally {
    for (const { close } of contenders) await close?.();
  }
}

/** What it measures is built only now. */
async function loadAll(): Promise<{ contenders: StorageContender[]; missing: string[] }> {
  const { memory } = await import('./ours-memory.ts');
  const { sqlite } = await import('./ours-sqlite.ts');
  const { startOnPostgres } = await import('./ours-postgres.ts');
  const { startOnRedis } = await import('./ours-redis.ts');
  const servers = [
    { name: 'postgresql', contender: await startOnPostgres() },
    { name: 'redis-server', contender: await startOnRedis() },
  ];
  const missing = servers.flatMap(({ name, contender }) => (contender === undefined ? [name] : []));
  if (missing.length > 0) console.log(`Not installed, and left out: ${missing.join(', ')}.`);
  const running = servers.flatMap(({ contender }) => contender ?? []);
  const peer = hasPeer() ? await loadPeer() : [];
  return { contenders: [memory, sqlite, ...running, ...peer], missing };
}

function report(results: StorageResults): void {
  const all = judgeStorage(results.rows);
  // Times of so short a run say nothing.
  const formulas = isShort ? all.filter(({ isTime }) => !isTime) : all;
  console.log(storageTables(results));
  for (const { name, value, limit, passed } of formulas) {
    console.log(`${passed ? 'pass' : 'FAIL'} ${name}: ${value} (limit ${limit})`);
  }
  if (!isShort) writeStorageResults(results, formulas);
  else requireAll(formulas);
}

function requireAll(formulas: readonly Formula[]): void {
  const failed = formulas.filter(({ passed }) => !passed);
  if (failed.length === 0) return;
  throw new Error(`grows with the history: ${failed.map(({ name }) => name).join('; ')}`);
}
