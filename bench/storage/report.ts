import { writeFileSync } from 'node:fs';
import { machine, markdown, versionIn } from '../report.ts';
import type { StorageName } from './contender.ts';
import type { Formula, StorageResults, StorageRow } from './rows.ts';
import { NEW_MESSAGES, STEPS } from './work.ts';

const TITLES: { readonly [Name in StorageName]: string } = {
  memory: 'agent-hooks, memory',
  sqlite: 'agent-hooks, SQLite',
  postgres: 'agent-hooks, Postgres',
  redis: 'agent-hooks, Redis',
  langgraph: 'LangGraph, SQLite, as it comes',
  'langgraph-full': 'LangGraph, SQLite, durable',
  'langgraph-delta': 'LangGraph, SQLite, durable, deltas',
};

export function writeStorageResults(results: StorageResults, formulas: readonly Formula[]): void {
  const about = { machine: machine(), versions: versions(results) };
  const json = JSON.stringify({ ...about, ...results, formulas }, undefined, 2);
  writeFileSync(new URL('../results-storage.json', import.meta.url), `${json}\n`);
  const where = Object.entries({ ...about.machine, ...about.versions });
  const parts = [
    INTRO,
    storageTables(results),
    '## What has to hold',
    markdown(
      ['', 'what', 'value', 'limit'],
      formulas.map(({ name, value, limit, passed }) => [
        passed ? 'pass' : '**FAIL**',
        name,
        `${value}`,
        `${limit}`,
      ]),
    ),
    '## Where and with what',
    where.map(([key, value]) => `- ${key}: ${value}`).join('\n'),
  ];
  writeFileSync(new URL('../results-storage.md', import.meta.url), `${parts.join('\n\n')}\n`);
}

const INTRO = [
  '# What a stored step costs',
  '',
  `Made by \`npm run bench:storage\`: one more turn of ${STEPS} model calls, all but the last with one tool call, on`,
  `threads that have so many messages already. It adds ${NEW_MESSAGES} messages: 200 characters what people and the`,
  'model say, 400 what the tool gives. All contenders are interleaved in one run on one Node; figures are medians. The',
  'model answers at once, from a script.',
  '',
  '- _steps/s_: of whole turns, with the reading of the thread at the start of each.',
  '- _commits/s_: transactions that write, by the time in which one was under way. Claims count as commits.',
  '- _stored_: how much bigger the database is afterwards (Redis: `MEMORY USAGE` of all keys; memory: the live heap, of',
  '  which the room of arrays grows in leaps of half their length).',
  '- _logged_: what was written to the log that makes commits durable (WAL of SQLite and Postgres, AOF of Redis).',
  '- _rows_: rows that are there afterwards and were not before; in Redis, messages, events, and entries of hashes.',
  '',
  'LangGraph is a `StateGraph` of a model node and its `ToolNode`, with its `SqliteSaver`. _As it comes_ is what its',
  'documentation shows. _Durable_ promises what the SQLite of agent-hooks promises: `synchronous = FULL`, and each',
  'step is saved before the next begins. _Deltas_ has its experimental `MessagesDeltaValue` for the messages. Its',
  'history was saved as one step, so it has one checkpoint before the turn, and not one for every step of its past.',
].join('\n');

/** All figures, for people. */
export function storageTables({ rows, settings, missing }: StorageResults): string {
  const histories = [...new Set(rows.map(({ history }) => history))];
  return [
    ...histories.flatMap((history) => [
      `## A thread of ${history} messages`,
      table(rows.filter((row) => row.history === history)),
    ]),
    '## How durable a commit is',
    settings.map(({ name, settings }) => `- ${TITLES[name]}: ${settings}`).join('\n'),
    ...(missing.length === 0 ? [] : [`Not installed, and left out: ${missing.join(', ')}.`]),
  ].join('\n\n');
}

function table(rows: readonly StorageRow[]): string {
  return markdown(
    [
      '',
      'steps/s',
      'CPU ms a step',
      'commits/s',
      'commits a step',
      'reading, ms a turn',
      'stored, bytes a step',
      'logged, bytes a step',
      'rows a step',
    ],
    rows.map((row) => [
      TITLES[row.name],
      whole(row.stepsPerSecond),
      `${row.cpuMsPerStep}`,
      whole(row.commitsPerSecond),
      `${row.commitsPerStep}`,
      `${row.readMsPerTurn}`,
      whole(row.storedPerStep),
      row.loggedPerStep === undefined ? '–' : whole(row.loggedPerStep),
      row.name === 'memory' ? '–' : `${row.rowsPerStep}`,
    ]),
  );
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}

function versions({ settings }: StorageResults): Record<string, string> {
  const packages = ['pg', 'ioredis'].map((name) => [name, versionIn(`../node_modules/${name}/`)]);
  const hasPeer = settings.some(({ name }) => name === 'langgraph');
  const peers = hasPeer
    ? PEER_PACKAGES.map((name) => [name, versionIn(`peers/langgraph/node_modules/${name}/`)])
    : [];
  return {
    node: process.version,
    'SQLite of Node': process.versions['sqlite'] ?? 'unknown',
    'agent-hooks': versionIn('../'),
    ...Object.fromEntries([...packages, ...peers]),
  };
}

const PEER_PACKAGES = [
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
  '@langchain/core',
  'better-sqlite3',
];
