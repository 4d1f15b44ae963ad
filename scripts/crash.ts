/**
 * The crash test with many kills, for the night: 300 per store, or as many as the first argument says. The second is
 * the seed. Writes every kill and what it came to into test/crash/log, one file per store.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChild } from '../test/crash/build-child.ts';
import type { StorePlace } from '../test/crash/plan.ts';
import { runCrashes } from '../test/crash/run-crashes.ts';
import { startPostgres } from '../test/services/postgres-server.ts';
import { startRedis } from '../test/services/redis-server.ts';

const kills = Number(process.argv[2] ?? 300);
const seed = Number(process.argv[3] ?? 1);
const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-crashes-'));
const logs = join(import.meta.dirname, '..', 'test', 'crash', 'log');
mkdirSync(logs, { recursive: true });
const child = await buildChild(join(import.meta.dirname, '..', 'test', 'crash', 'child.ts'));
const postgres = await startPostgres();
const redis = await startRedis();
try {
  await crash({ kind: 'sqlite', at: join(folder, 'threads.db'), name: '' });
  await crash(postgres && { kind: 'postgres', at: postgres.url, name: 'crash' });
  await crash(redis && { kind: 'redis', at: redis.url, name: 'crash' });
} finally {
  await postgres?.stop();
  await redis?.stop();
  child.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function crash(place: StorePlace | undefined): Promise<void> {
  if (place === undefined) {
    console.error('a server is not installed: run test/services/install.sh');
    process.exitCode = 1;
    return;
  }
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const { problems, ...report } = await runCrashes({
    script: child.script,
    place,
    kills,
    seed,
    log,
  });
  const found = problems.length === 0 ? ['no problem found'] : problems;
  const summary = `${place.kind}: seed ${seed}, ${JSON.stringify(report)}`;
  writeFileSync(join(logs, `${place.kind}.txt`), [summary, ...found, ...lines, ''].join('\n'));
  console.log([summary, ...found].join('\n'));
  if (problems.length > 0) process.exitCode = 1;
}
