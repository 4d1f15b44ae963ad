import { isThenable } from '../../internal/is-thenable.ts';
import type { Message } from '../../protocol/message.ts';
import { settingOf } from '../ask-options.ts';
import { contextIn } from '../context-payload.ts';
import { promptInfo } from '../text-payloads.ts';
import type { Asked, Subject } from './subject.ts';

/** One call of the method itself, with values that can be changed, as no engine ever hands them out. */
export interface DirectCall {
  /** What it returned or resolved to; absent where it threw or was not waited for any longer. */
  readonly value?: unknown;
  readonly state: 'answered' | 'threw' | 'waiting';
  /** Milliseconds until then. */
  readonly tookMs: number;
  /** Milliseconds it kept the thread to itself before it returned. */
  readonly syncMs: number;
  /** The place of the first thing it changed. */
  readonly changed?: string;
  /** The kind of a decision it made on the way. */
  readonly made?: string;
}

/** Waits for an answer that is not there at once, unless `waitMs` is 0. */
export async function callDirectly(
  { point, entry, setting }: Subject,
  { args, messages }: Asked,
  waitMs: number,
): Promise<DirectCall> {
  // An error is no tree of JSON, and is frozen whoever holds it.
  const given = args.map((arg) => (isTree(arg) ? structuredClone(arg) : arg));
  const run = settingOf({
    ...setting.asking,
    messages,
    ...(point === 'onContextCompact' && { purpose: 'compaction' as const }),
  });
  const read = structuredClone(run.ports.messages()) as readonly Message[]; // A copy of messages.
  const before = JSON.stringify([given.filter(isTree), read]);
  const context = contextIn({ ...run, ports: { ...run.ports, messages: () => read } }, false);
  const last = point === 'systemPrompt' ? promptInfo() : context;
  const watch = watchDecisions();
  const started = performance.now();
  let value: unknown;
  let state: DirectCall['state'] = 'answered';
  let syncMs = 0;
  try {
    value = call(entry.call, given.map(asNext), last);
    syncMs = performance.now() - started;
    const settled = isThenable(value)
      ? value
      : point === 'wrapLlmCall'
        ? drained(value)
        : undefined;
    if (settled !== undefined) [state, value] = await within(settled, waitMs);
  } catch {
    state = 'threw';
  } finally {
    watch.stop();
  }
  const tookMs = performance.now() - started;
  const changed = before === JSON.stringify([given.filter(isTree), read]) ? undefined : 'its input';
  const made = watch.made();
  return {
    ...(state === 'answered' && { value }),
    state,
    tookMs,
    syncMs: Math.max(syncMs, state === 'threw' ? tookMs : 0),
    ...(changed !== undefined && { changed }),
    ...(made !== undefined && { made }),
  };
}

function call(method: Subject['entry']['call'], given: readonly unknown[], last: unknown): unknown {
  const [first, second] = given;
  return given.length > 1 ? method(first, second, last) : method(first, last);
}

function isTree(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

/** What is below a policy answers later, whatever stands in for it here. */
function asNext(value: unknown): unknown {
  if (typeof value !== 'function') return value;
  return (payload: unknown): unknown => {
    const given: unknown = value(payload);
    return Array.isArray(given) ? stream(given) : Promise.resolve(given);
  };
}

async function* stream(parts: readonly unknown[]): AsyncGenerator<unknown> {
  yield* parts;
}

async function drained(value: unknown): Promise<unknown> {
  const parts: unknown[] = [];
  for await (const part of value as AsyncIterable<unknown>) parts.push(part);
  return parts;
}

async function within(
  settled: PromiseLike<unknown>,
  waitMs: number,
): Promise<[DirectCall['state'], unknown]> {
  if (waitMs === 0) {
    Promise.resolve(settled).catch(() => undefined);
    return ['waiting', undefined];
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<[DirectCall['state'], unknown]>((resolve) => {
    timer = setTimeout(() => resolve(['waiting', undefined]), waitMs);
  });
  const answered = Promise.resolve(settled).then(
    (value): [DirectCall['state'], unknown] => ['answered', value],
    (): [DirectCall['state'], unknown] => ['threw', undefined],
  );
  try {
    return await Promise.race([answered, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** The decisions that say something; the others are constants, and to forget one is to have no opinion. */
const TELLING: ReadonlySet<unknown> = new Set([
  'block',
  'modify',
  'requires-confirmation',
  'retry-with-feedback',
  'release',
  'fallback',
]);

/**
 * Notices decisions as they are made, in whatever copy of the package: every companion freezes what it gives, and
 * nothing else would tell of one that is then dropped. For the time of one call, and passes everything through.
 */
function watchDecisions(): { readonly made: () => string | undefined; readonly stop: () => void } {
  const { freeze } = Object;
  let made: string | undefined;
  const noticing = <T>(value: T): Readonly<T> => {
    const type: unknown =
      typeof value === 'object' && value !== null ? Reflect.get(value, 'type') : '';
    if (TELLING.has(type)) made ??= String(type);
    return freeze(value);
  };
  Reflect.set(Object, 'freeze', noticing);
  return {
    made: () => made,
    stop: () => {
      Reflect.set(Object, 'freeze', freeze);
    },
  };
}
