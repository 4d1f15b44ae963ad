import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { peerPackages } from './contenders.ts';
import type { Formula } from './formulas.ts';
import type { HistoryRow, PerContender, Results, StepsRow, ThreadsRow } from './rows.ts';
import { round } from './rows.ts';
import type { ContenderName } from './work.ts';

const TITLES: { readonly [Name in ContenderName]: string } = {
  bare: 'bare loop',
  memory: 'agent-hooks, memory',
  sqlite: 'agent-hooks, SQLite',
  ai: 'AI SDK',
  pi: 'pi `Agent`',
  'pi-loop': 'pi low-level loop',
};

export function writeResults(results: Results, formulas: readonly Formula[], rounds: number): void {
  const about = { machine: machine(), versions: versions(), rounds };
  const json = JSON.stringify({ ...about, ...results, formulas }, undefined, 2);
  writeFileSync(new URL('results.json', import.meta.url), `${json}\n`);
  const where = Object.entries({ ...about.machine, ...about.versions });
  const parts = [
    intro(rounds),
    tables(results),
    '## What has to hold',
    formulaTable(formulas),
    '## Where and with what',
    where.map(([key, value]) => `- ${key}: ${value}`).join('\n'),
  ];
  writeFileSync(new URL('results.md', import.meta.url), `${parts.join('\n\n')}\n`);
}

function intro(rounds: number): string {
  return [
    '# What agent-hooks costs',
    '',
    'Made by `npm run bench`: the same work through every contender, interleaved in one run, medians of',
    `${rounds} rounds (of 5 for SQLite). Each has to end with the same text, after the same number of tool`,
    'executions and of guard calls. The model answers at once, from a script; a real one takes a thousand times',
    'as long as anything here. What an app builds once (agent, model, tools, policies) is built outside of the',
    'timed part, and before the first row everyone does all kinds of work until it is compiled. SQLite comes',
    'last: a process that has run on two stores is compiled for both, as no app is. Measured is the build in `dist`.',
    '',
    '- _bare loop_: what a team would write by hand. A request built per call, arguments parsed and checked, a',
    '  failing tool answered as an error, and the same three guards awaited. No store, no events, no approvals.',
    '- _agent-hooks_: the guards are three policies. SQLite commits durably.',
    '- _AI SDK_: `generateText`; the guards are a middleware around the model and a wrapper around the tool.',
    '- _pi_: the guards are `prepareRequest`, an awaited subscriber and `beforeToolCall`. Its `Agent` keeps one',
    '  conversation; its low-level loop keeps nothing, and nobody listens to it.',
    '',
    'Guards: `same-tick` are asynchronous functions that have nothing to wait for, the hardest case for a ratio;',
    '`event-loop` go through the event loop once, as a guard does that asks a service or a database. There is one',
    'guard of each request, one of each response, and one of each tool call.',
  ].join('\n');
}

/** All figures, for people. */
export function tables(results: Results): string {
  const { sizes, imports, createAgentUs, split } = results;
  return [
    '## A step',
    'Microseconds of one step; in brackets, times the bare loop.',
    table(results.steps),
    '## One more turn on a long thread',
    'Microseconds of a turn of two steps.',
    historyTable(results.history),
    '## The same methods in one policy and in ten',
    'Microseconds of one step; ten methods, two of them around the calls.',
    markdown(
      ['steps', 'one policy', 'ten policies'],
      [[`${split.steps}`, `${split.oneUs}`, figure(split.tenUs, round(split.tenUs / split.oneUs))]],
    ),
    '## Many threads at once',
    'Milliseconds, and times the bare loop; then the most memory that a fresh process held.',
    threadsTable(results.threads),
    '## Loading and building',
    markdown(
      ['', ''],
      [
        ...imports.map(({ name, ms }) => [`import \`${name}\` in a fresh process`, `${ms} ms`]),
        ['root entry, minified and gzipped, without its packages', kilobytes(sizes.own)],
        ['the same with zod and eventemitter3', kilobytes(sizes.withPackages)],
        ['`createAgent` with three policies and a tool', `${createAgentUs} µs`],
      ],
    ),
  ].join('\n\n');
}

/** One line per number of steps, number of calls and kind of guards. */
function table(rows: readonly StepsRow[]): string {
  const names = namesOf(rows.map(({ usPerStep }) => usPerStep));
  return markdown(
    ['steps', 'calls', 'guards', ...names.map((name) => TITLES[name]), 'SQLite commits a step'],
    rows.map(({ steps, calls, guards, usPerStep, ratio, sqliteCommitsPerStep }) => [
      `${steps}`,
      `${calls}`,
      guards,
      ...names.map((name) => figure(usPerStep[name], ratio[name])),
      `${sqliteCommitsPerStep}`,
    ]),
  );
}

function historyTable(rows: readonly HistoryRow[]): string {
  return markdown(
    ['messages before', 'guards', TITLES.bare, TITLES.memory],
    rows.map(({ messages, guards, bareUs, memoryUs }) => [
      `${messages}`,
      guards,
      `${bareUs}`,
      figure(memoryUs, round(memoryUs / bareUs)),
    ]),
  );
}

function threadsTable(rows: readonly ThreadsRow[]): string {
  const names = namesOf(rows.map(({ ms }) => ms));
  return markdown(
    ['threads', 'steps', 'guards', 'of', ...names.map((name) => TITLES[name])],
    rows.flatMap(({ threads, steps, guards, ms, ratio, peakMb }) => [
      [
        `${threads}`,
        `${steps}`,
        guards,
        'time, ms',
        ...names.map((name) => figure(ms[name], ratio[name])),
      ],
      [
        `${threads}`,
        `${steps}`,
        guards,
        'peak, MB',
        ...names.map((name) => above(peakMb[name], peakMb.bare)),
      ],
    ]),
  );
}

function formulaTable(formulas: readonly Formula[]): string {
  return markdown(
    ['', 'what', 'value', 'limit'],
    formulas.map(({ name, value, limit, passed }) => [
      passed ? 'pass' : '**FAIL**',
      name,
      `${value}`,
      `${limit}`,
    ]),
  );
}

function namesOf(rows: readonly PerContender[]): ContenderName[] {
  // The keys of a table over all of them.
  const all = Object.keys(TITLES) as ContenderName[];
  return all.filter((name) => rows.some((row) => row[name] !== undefined));
}

function figure(value: number | undefined, ratio: number | undefined): string {
  if (value === undefined) return '–';
  return ratio === undefined ? `${value}` : `${value} (${ratio} ×)`;
}

function above(value: number | undefined, bare: number | undefined): string {
  if (value === undefined || bare === undefined) return '–';
  return value === bare ? `${value}` : `${value} (${round(value - bare)} above bare)`;
}

function kilobytes(bytes: number): string {
  return `${round(bytes / 1024)} KiB`;
}

/** A table. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Where it was measured. */
export function machine(): Record<string, string> {
  const [cpu] = cpus();
  return {
    cpu: `${cpus().length} × ${cpu?.model ?? 'unknown'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    platform: `${process.platform} ${release()} ${process.arch}`,
  };
}

function versions(): Record<string, string> {
  const peers = peerPackages().map(({ name, version }) => [name, version]);
  return {
    node: process.version,
    v8: process.versions.v8,
    sqlite: process.versions['sqlite'] ?? 'unknown',
    'agent-hooks': versionIn('../'),
    zod: versionIn('../node_modules/zod/'),
    eventemitter3: versionIn('../node_modules/eventemitter3/'),
    ...Object.fromEntries(peers),
  };
}

/** The version in a `package.json`; `folder` is seen from this one. */
export function versionIn(folder: string): string {
  const file = new URL(`${folder}package.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')).version;
}
