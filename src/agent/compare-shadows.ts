import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import type { CorruptRecordError } from '../errors/store-error.ts';
import type { AgentEvent } from '../events/event.ts';
import { leaveOut } from '../stores/page.ts';
import type { ThreadStore } from '../stores/port.ts';
import { type ShadowComparison, ShadowMoments } from './shadow-moments.ts';

export interface ShadowOptions {
  /** Only this policy, by the name in its events. Default: every policy on trial. */
  readonly policy?: string;
  /** Only these threads. Default: all of the store. */
  readonly threadIds?: Iterable<string> | AsyncIterable<string>;
  /** How many threads, and events of one, are read at a time. Default: 200. */
  readonly pageSize?: number;
  /** Ends the reading: what was read until then is what there is. */
  readonly signal?: AbortSignal;
  /**
   * Told of each record that cannot be read: its thread is compared up to there, without the turn that was being read.
   * Without it the first of them is thrown.
   */
  readonly onDamaged?: (error: CorruptRecordError) => void;
}

export interface ShadowReportOptions extends ShadowOptions {
  /** How many differences are listed; the rest is counted. Default: 100. */
  readonly maxDifferences?: number;
}

/** How one policy on trial did at one point. */
export interface ShadowRow {
  readonly policy: string;
  readonly point: string;
  readonly asked: number;
  readonly agreements: number;
  readonly differences: number;
  /** How often what it would have done met what was done: `'block, none': 3` is three Blocks that nobody enforced. */
  readonly pairs: { readonly [wouldAndEnforced: string]: number };
}

/** What policies on trial would have changed. JSON. */
export interface ShadowReport {
  readonly threads: number;
  /** How many records could not be read. */
  readonly damaged: number;
  readonly rows: readonly ShadowRow[];
  /** The first ones, in the order of the threads. */
  readonly differences: readonly ShadowComparison[];
  /** How many more there are. */
  readonly notListed: number;
  /** All of it for a person to read. */
  readonly text: string;
}

const COMPARISON_OPTIONS = Object.keys({
  policy: true,
  threadIds: true,
  pageSize: true,
  signal: true,
  onDamaged: true,
} satisfies Record<keyof ShadowOptions, true>);

const REPORT_OPTIONS = [...COMPARISON_OPTIONS, 'maxDifferences'];

const DEFAULT_PAGE = 200;
const DEFAULT_DIFFERENCES = 100;

/**
 * Every answer of every policy on trial (`shadow`) beside what was enforced there, from the events of a store: agreements
 * too. Reads thread by thread and keeps one turn at a time, however long the threads are. A policy that the chain never
 * reached was not asked, and is not in it.
 *
 * Reads only, and claims nothing: a turn that is running is told of as far as it is stored. Throws `ConfigError` for an
 * unusable option, and what the store throws.
 */
export async function* shadowComparisons(
  store: ThreadStore,
  options: ShadowOptions = {},
): AsyncGenerator<ShadowComparison> {
  checkKeys('shadowComparisons', options, COMPARISON_OPTIONS);
  const { onDamaged } = options;
  checkOnDamaged(onDamaged);
  const pageSize = pageSizeOf(options);
  for await (const threadId of options.threadIds ?? threadsOf(store, { pageSize, onDamaged }))
    yield* ofThread(store, threadId, { ...options, pageSize });
}

/**
 * What the policies on trial would have changed: how often each agreed with what was enforced, how often not and in
 * which way, and where. See `shadowComparisons`, which gives each of them as it is read.
 *
 * @example
 * const { text } = await compareShadows(store);
 */
export async function compareShadows(
  store: ThreadStore,
  options: ShadowReportOptions = {},
): Promise<ShadowReport> {
  checkKeys('compareShadows', options, REPORT_OPTIONS);
  const { maxDifferences = DEFAULT_DIFFERENCES, ...rest } = options;
  if (!(maxDifferences >= 0)) throw invalid('maxDifferences', 'is no number from 0');
  const rows = new Map<string, Counted>();
  const differences: ShadowComparison[] = [];
  let [threads, notListed, damaged] = [0, 0, 0];
  const { onDamaged: tell } = options;
  checkOnDamaged(tell);
  const onDamaged =
    tell &&
    ((error: CorruptRecordError): void => {
      damaged += 1;
      tell(error);
    });
  const reading = { ...rest, pageSize: pageSizeOf(options), ...(onDamaged && { onDamaged }) };
  const counted = countThreads(options.threadIds ?? threadsOf(store, reading), () => {
    threads += 1;
  });
  for await (const one of shadowComparisons(store, { ...reading, threadIds: counted })) {
    count(rows, one);
    if (one.agrees) continue;
    if (differences.length < maxDifferences) differences.push(one);
    else notListed += 1;
  }
  const report = { threads, damaged, rows: [...rows.values()], differences, notListed };
  return Object.freeze({ ...report, text: textOf(report) });
}

interface Reading {
  readonly pageSize: number;
  readonly onDamaged?: ShadowOptions['onDamaged'];
}

async function* threadsOf(
  store: ThreadStore,
  { pageSize: limit, onDamaged }: Reading,
): AsyncGenerator<string> {
  let after: string | undefined;
  for (;;) {
    const page = await store.listThreads({
      limit,
      ...(after !== undefined && { after }),
      ...(onDamaged !== undefined && { onDamaged }),
    });
    for (const { threadId } of page) yield threadId;
    after = page.at(-1)?.threadId;
    if (page.length < limit) return;
  }
}

async function* countThreads(
  threads: Iterable<string> | AsyncIterable<string>,
  next: () => void,
): AsyncGenerator<string> {
  for await (const threadId of threads) {
    next();
    yield threadId;
  }
}

async function* ofThread(
  store: ThreadStore,
  threadId: string,
  { policy, signal, pageSize, onDamaged }: ShadowOptions & Reading,
): AsyncGenerator<ShadowComparison> {
  let moments = new ShadowMoments();
  let turnId: string | undefined;
  const matching = function* (): Generator<ShadowComparison> {
    for (const one of moments.compare())
      if (policy === undefined || one.policy === policy) yield one;
  };
  let limit = pageSize;
  for (let after = 0; signal?.aborted !== true; ) {
    const page = await readEvents(store, threadId, { after, limit, onDamaged });
    if (page === undefined && limit === 1) return;
    if (page === undefined) {
      // What comes before it in the page is whole.
      limit = 1;
      continue;
    }
    for (const event of page) {
      if (event.turnId !== turnId) {
        yield* matching();
        moments = new ShadowMoments();
        turnId = event.turnId;
      }
      // What rose from a subagent is told of by its own thread.
      if (event.threadId === threadId) moments.hear(event);
    }
    after = page.at(-1)?.seq ?? after;
    if (page.length < limit) break;
  }
  yield* matching();
}

/** Nothing where one of them is damaged and somebody is to know: told once it is read by itself. */
async function readEvents(
  store: ThreadStore,
  threadId: string,
  page: {
    readonly after: number;
    readonly limit: number;
    readonly onDamaged: ShadowOptions['onDamaged'];
  },
): Promise<readonly AgentEvent[] | undefined> {
  const { after, limit, onDamaged } = page;
  try {
    return await store.readEvents(threadId, { after, limit });
  } catch (error) {
    return leaveOut(error, onDamaged && (limit === 1 ? onDamaged : () => undefined));
  }
}

type Counted = {
  -readonly [Key in keyof ShadowRow]: ShadowRow[Key];
} & { pairs: { [wouldAndEnforced: string]: number } };

function count(rows: Map<string, Counted>, one: ShadowComparison): void {
  const { policy, point, would, enforced, agrees } = one;
  const key = JSON.stringify([policy, point]);
  const fresh = { policy, point, asked: 0, agreements: 0, differences: 0, pairs: {} };
  const row: Counted = rows.get(key) ?? fresh;
  rows.set(key, row);
  row.asked += 1;
  if (agrees) row.agreements += 1;
  else row.differences += 1;
  const pair = `${would}, ${enforced}`;
  row.pairs[pair] = (row.pairs[pair] ?? 0) + 1;
}

function textOf(report: Omit<ShadowReport, 'text'>): string {
  const { threads, damaged, rows, differences, notListed } = report;
  const lines = [
    `${rows.length === 0 ? 'no policy on trial' : 'policies on trial'} in ${threads} threads`,
  ];
  for (const { policy, point, asked, agreements, differences: other, pairs } of rows) {
    lines.push(`${policy} at ${point}: asked ${asked}, agreed ${agreements}, differed ${other}`);
    for (const [pair, times] of Object.entries(pairs)) {
      const [would, enforced] = pair.split(', ');
      lines.push(`  would ${would}, was ${enforced}: ${times}`);
    }
  }
  for (const one of differences) lines.push(differenceText(one));
  if (notListed > 0) lines.push(`and ${notListed} more differences`);
  if (damaged > 0) lines.push(`left out, as they could not be read: ${damaged} records`);
  return lines.join('\n');
}

function differenceText(one: ShadowComparison): string {
  const { threadId, turnId, step, callId, toolName, policy, point } = one;
  const where = [`thread ${threadId}`, `turn ${turnId}`, `step ${step}`];
  if (callId !== undefined)
    where.push(`call ${callId}${toolName === undefined ? '' : ` of ${toolName}`}`);
  const reason = one.wouldReason === undefined ? '' : ` (${one.wouldReason})`;
  const by = one.enforcedBy === undefined ? '' : ` by ${one.enforcedBy}`;
  return `${where.join(', ')}: ${policy} at ${point} would ${one.would}${reason}, was ${one.enforced}${by}`;
}

function checkOnDamaged(given: unknown): void {
  if (given !== undefined && typeof given !== 'function')
    throw invalid('onDamaged', 'is no function');
}

function pageSizeOf({ pageSize = DEFAULT_PAGE }: ShadowOptions): number {
  if (Number.isSafeInteger(pageSize) && pageSize > 0) return pageSize;
  throw invalid('pageSize', 'is no whole number from 1');
}

function invalid(option: string, what: string): ConfigError {
  return new ConfigError('invalid-option', {
    where: `compareShadows: \`${option}\``,
    what,
    fix: 'Correct it, or leave it out',
  });
}
