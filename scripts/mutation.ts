/**
 * Mutation testing of the decisions, the hooks and the loop. Writes test/mutation/report.md.
 *
 *     npm run mutation                 every mutant, for some nights
 *     npm run mutation -- --parts 12   twelve parts of 240, each drawn at random: an estimate
 *     npm run mutation -- --from 100 --parts 12      others, for which nobody has written a test
 *     npm run mutation -- --again      those not caught so far, by the tests as they are now
 *     npm run mutation -- --again test/loop/crash.test.ts      or by some of them alone
 *
 * What is judged is kept in .scratch/mutation, part by part, as long as the sources are the same: the next run goes on there.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { keyOf, listMutants, makeOnly, type Place, partOf } from '../test/mutation/draw-mutants.ts';
import {
  asFirstJudged,
  isCaught,
  isMissed,
  type Judged,
  MIN_SCORE,
  reportOf,
  scoreOf,
} from '../test/mutation/report.ts';

const PARTS = 240;
const CONFIG = 'test/mutation/stryker.config.json';
const root = join(import.meta.dirname, '..');
process.chdir(root);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    from: { type: 'string', default: '0' },
    parts: { type: 'string', default: `${PARTS}` },
    again: { type: 'boolean' },
  },
});

const files = globSync('src/{decisions,hooks,loop}/**/*.ts').sort();
const all = await listMutants(files);
const folder = join('.scratch', 'mutation', hashOf(files));
mkdirSync(folder, { recursive: true });
const numbers = [...Array(PARTS).keys()];
if (values.again !== true) {
  for (const part of numbers.slice(Number(values.from)).slice(0, Number(values.parts)))
    await judgePart(part);
} else {
  await judgeMissed();
}
const judged = numbers.filter((part) => existsSync(fileOf(part))).flatMap(read);
writeFileSync('test/mutation/report.md', reportOf(judged, all.length));
// A sample is measured by what it was before anybody looked at it.
const score = scoreOf(judged.length === all.length ? judged : asFirstJudged(judged));
console.log(`${score.toFixed(1)} % of the mutants were caught; see test/mutation/report.md`);
if (score < MIN_SCORE) process.exitCode = 1;

async function judgePart(part: number): Promise<void> {
  if (existsSync(fileOf(part))) return;
  write(part, await judge(all.filter((mutant) => partOf(mutant, PARTS) === part)));
}

async function judgeMissed(): Promise<void> {
  const done = numbers.filter((part) => existsSync(fileOf(part)));
  const again = await judge(done.flatMap(read).filter(isMissed));
  // What some tests alone do not catch is as it was before.
  const news = positionals.length === 0 ? again : again.filter(isCaught);
  const now = new Map(news.map(({ status, ...mutant }) => [keyOf(mutant), status]));
  for (const part of done) {
    const mutants = read(part).map(({ first, status, ...mutant }): Judged => {
      return { ...mutant, status: now.get(keyOf(mutant)) ?? status, first: first ?? status };
    });
    write(part, mutants);
  }
}

async function judge(mutants: readonly Place[]): Promise<Judged[]> {
  makeOnly(mutants);
  const results = await new Stryker({
    configFile: CONFIG,
    testFiles: positionals,
  }).runMutationTest();
  const found = new Map(results.map((result) => [keyOf(fromReport(result)), result.status]));
  return mutants.map((mutant) => {
    const status = found.get(keyOf(mutant));
    if (status === undefined) throw new Error(`Stryker did not make the mutant ${keyOf(mutant)}`);
    return { ...mutant, status };
  });
}

/** Results count lines and columns from 1, everything before them from 0. */
function fromReport<M extends Place>(result: M): M {
  const { start, end } = result.location;
  const back = ({ line, column }: typeof start) => ({ line: line - 1, column: column - 1 });
  return { ...result, location: { start: back(start), end: back(end) } };
}

function fileOf(part: number): string {
  return join(folder, `${part}-of-${PARTS}.json`);
}

function read(part: number): Judged[] {
  return JSON.parse(readFileSync(fileOf(part), 'utf8')); // Its own `write`.
}

function write(part: number, mutants: readonly Judged[]): void {
  writeFileSync(fileOf(part), JSON.stringify(mutants));
}

function hashOf(names: readonly string[]): string {
  const hash = createHash('sha256');
  for (const name of names) hash.update(readFileSync(name));
  return hash.digest('hex').slice(0, 16);
}
