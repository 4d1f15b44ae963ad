/**
 * Mutation testing of the decisions, the hooks and the loop, for the night: it takes hours. Writes
 * test/mutation/report.md. Arguments go to Stryker, such as `--mutate src/loop/step.ts` for one file.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Mutant {
  readonly mutatorName: string;
  readonly replacement?: string;
  readonly status: string;
  readonly location: { readonly start: { readonly line: number } };
}

interface Report {
  readonly files: { readonly [file: string]: { readonly mutants: readonly Mutant[] } };
}

interface Row {
  readonly name: string;
  readonly caught: number;
  readonly missed: readonly Mutant[];
}

const MIN_SCORE = 80;
const UNDETECTED = new Set(['Survived', 'NoCoverage']);
const DETECTED = new Set(['Killed', 'Timeout']);

const root = join(import.meta.dirname, '..');
const cache = join(root, 'node_modules', '.cache', 'stryker');
const code = await stryker(process.argv.slice(2));
if (code !== 0) process.exit(code);
const { files } = JSON.parse(readFileSync(join(cache, 'report.json'), 'utf8')) as Report; // Stryker's own schema.
const rows = Object.entries(files).map(([name, { mutants }]): Row => {
  const caught = mutants.filter(({ status }) => DETECTED.has(status)).length;
  return { name, caught, missed: mutants.filter(({ status }) => UNDETECTED.has(status)) };
});
const total = scoreOf(rows);
writeFileSync(join(root, 'test', 'mutation', 'report.md'), report());
console.log(`${total.toFixed(1)} % of the mutants were caught; see test/mutation/report.md`);
if (total < MIN_SCORE) process.exitCode = 1;

function stryker(args: readonly string[]): Promise<number> {
  const bin = join(root, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js');
  const config = join('test', 'mutation', 'stryker.config.json');
  const child = spawn(process.execPath, [bin, 'run', config, ...args], {
    cwd: root,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode) => resolve(exitCode ?? 1));
  });
}

/** Caught mutants in percent of those that a test could catch. */
function scoreOf(some: readonly Row[]): number {
  const caught = some.reduce((sum, row) => sum + row.caught, 0);
  const missed = some.reduce((sum, row) => sum + row.missed.length, 0);
  return caught + missed === 0 ? 100 : (100 * caught) / (caught + missed);
}

function report(): string {
  const caught = rows.reduce((sum, row) => sum + row.caught, 0);
  const missed = rows.reduce((sum, row) => sum + row.missed.length, 0);
  return [
    '# Mutation testing',
    '',
    'Made by `npm run mutation`: every mutant that Stryker makes of `src/decisions`, `src/hooks` and `src/loop`, against the',
    'tests of those folders and the acceptance tests. Mutants of values made when a module is loaded are left out, as each',
    'would take a whole run.',
    '',
    `${total.toFixed(1)} %: ${caught} caught, ${missed} not.`,
    '',
    '| file | caught | not | % |',
    '|---|---:|---:|---:|',
    ...rows.map(
      (row) =>
        `| ${row.name} | ${row.caught} | ${row.missed.length} | ${scoreOf([row]).toFixed(0)} |`,
    ),
    '',
    '## Not caught',
    '',
    ...rows.flatMap(({ name, missed: some }) => some.map((mutant) => `- ${name}:${line(mutant)}`)),
    '',
  ].join('\n');
}

function line({ location, mutatorName, replacement = '', status }: Mutant): string {
  const short = replacement.replaceAll(/\s+/g, ' ').slice(0, 60);
  return `${location.start.line} ${mutatorName}${status === 'NoCoverage' ? ', no test' : ''}: \`${short}\``;
}
