/**
 * What the policies cost: the same work through a hand-written loop and through agent-hooks, interleaved in one
 * run, medians, as a ratio. Writes bench/results.json and bench/results.md. `--quick` runs a few rounds only and
 * writes nothing.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import { interleave } from './measure.ts';
import { type GuardKind, runBare, runOurs } from './work.ts';

interface Row {
  readonly steps: number;
  readonly guards: GuardKind;
  readonly bareUs: number;
  readonly memoryUs: number;
  readonly memoryRatio: number;
  readonly sqliteUs: number;
}

const quick = process.argv.includes('--quick');
const rounds = quick ? 5 : 30;
const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-bench-'));
const sqlite = sqliteStore({ path: join(folder, 'bench.db') });
const rows: Row[] = [];

try {
  for (const steps of [1, 10, 50, 200]) {
    for (const guards of ['none', 'same-tick', 'event-loop'] as const) {
      rows.push(await measureRow(steps, guards));
    }
  }
} finally {
  await sqlite.close?.();
  rmSync(folder, { recursive: true });
}
report(rows);

async function measureRow(steps: number, guards: GuardKind): Promise<Row> {
  const [bare, memory] = await interleave(
    [
      { name: 'bare', run: () => runBare(steps, [], guards) },
      { name: 'memory', run: () => runOurs(steps, guards) },
    ],
    { rounds, warmUp: quick ? 5 : 300 },
  );
  // By itself: waiting for the disk between two rounds would let the others run cold.
  const durable = await interleave(
    [{ name: 'sqlite', run: () => runOurs(steps, guards, sqlite) }],
    { rounds: 5, warmUp: 1 },
  );
  const [sqliteMs] = durable;
  if (bare === undefined || memory === undefined || sqliteMs === undefined) {
    throw new Error('nothing was measured');
  }
  const perStep = (ms: number): number => round((ms / steps) * 1000);
  return {
    steps,
    guards,
    bareUs: perStep(bare.ms),
    memoryUs: perStep(memory.ms),
    memoryRatio: round(memory.ms / bare.ms),
    sqliteUs: perStep(sqliteMs.ms),
  };
}

function report(measured: readonly Row[]): void {
  const table = [
    '| steps | guards | bare µs/step | agent-hooks, memory µs/step | ratio | agent-hooks, SQLite µs/step |',
    '|---:|---:|---:|---:|---:|---:|',
    ...measured.map(
      (row) =>
        `| ${row.steps} | ${row.guards} | ${row.bareUs} | ${row.memoryUs} | ${row.memoryRatio} | ${row.sqliteUs} |`,
    ),
  ].join('\n');
  console.log(table);
  if (quick) return;
  const about = { machine: machine(), versions: versions(), rounds, rows: measured };
  writeFileSync(
    new URL('results.json', import.meta.url),
    `${JSON.stringify(about, undefined, 2)}\n`,
  );
  writeFileSync(new URL('results.md', import.meta.url), `${text(table)}\n`);
}

function text(table: string): string {
  const where = Object.entries({ ...machine(), ...versions() }).map(
    ([key, value]) => `- ${key}: ${value}`,
  );
  return [
    '# What the policies cost',
    '',
    'Made by `npm run bench`. Each row is the same work through a loop a team would write by hand (request built per',
    'call, arguments parsed and checked, errors caught, and the same three asynchronous guards awaited; no store, no',
    `events, no approvals) and through agent-hooks. Interleaved in one run, medians of ${rounds}. Both call the`,
    'scripted model that the package ships, which answers at once; a real model call takes a thousand times as long. SQLite commits',
    'durably, twice a step.',
    '',
    'Guards: `same-tick` are asynchronous functions that have nothing to wait for, the hardest case for the ratio;',
    '`event-loop` go through the event loop once, as a guard does that asks a service or a database.',
    '',
    table,
    '',
    ...where,
  ].join('\n');
}

function machine(): Record<string, string> {
  const [cpu] = cpus();
  return {
    cpu: `${cpus().length} × ${cpu?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    platform: `${process.platform} ${process.arch}`,
  };
}

function versions(): Record<string, string> {
  const own = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  return {
    node: process.version,
    v8: process.versions.v8,
    'agent-hooks': own.version,
    zod: own.dependencies.zod,
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
