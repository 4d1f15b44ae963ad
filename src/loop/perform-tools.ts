import pLimit from 'p-limit';
import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { ToolInvocation, ToolResult } from '../protocol/tool.ts';
import type { LedgerEntry } from '../stores/port.ts';
import type { Effect, LedgerNote } from './effect.ts';
import type { FinishedCall, LoopEvent } from './event.ts';
import { executeCall } from './execute-call.ts';
import { OutcomeSaver } from './outcome-saver.ts';
import { invocationOf } from './perform-batch.ts';
import { momentOf } from './perform-judge.ts';
import type { Session } from './session.ts';
import type { BatchCall, OpenTurn } from './state.ts';

type RunTools = Extract<Effect, { readonly type: 'run-tools' }>;

interface BatchRun {
  readonly session: Session;
  readonly turn: OpenTurn;
  readonly calls: readonly BatchCall[];
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
  readonly recovering: boolean;
  readonly saver: OutcomeSaver;
}

/**
 * Runs the calls that were not refused. Those that may run beside others do, a bounded number at a time;
 * the rest run one after the other, in their order. After a crash, what is known of a call decides: a
 * recorded outcome is used, a harmless call is repeated, and one that must not run twice is not.
 */
export function runTools(effect: RunTools, session: Session): MaybePromise<LoopEvent> {
  const { turn, calls, recovering } = effect;
  const [only] = calls;
  if (!recovering && only !== undefined && calls.length === 1 && only.refusal === undefined)
    return runOnly(only, turn, session);
  return runBatch(effect, session);
}

async function runBatch(effect: RunTools, session: Session): Promise<LoopEvent> {
  const { turn, calls, recovering } = effect;
  const ledger = recovering ? await readLedger(session, calls) : NO_ENTRIES;
  const saver = new OutcomeSaver(session);
  return finished(await runAll({ session, turn, calls, ledger, recovering, saver }), session);
}

/** One call on its own has nothing to save before its batch is done, and is waited for once. */
function runOnly(call: BatchCall, turn: OpenTurn, session: Session): MaybePromise<LoopEvent> {
  const { callId } = call;
  if (session.options.cancel.cancelled)
    return finished([{ callId, result: CANCELLED, durationMs: 0, started: false }], session);
  const since = session.now();
  const end = (result: ToolResult): LoopEvent =>
    finished([{ callId, result, durationMs: durationOf(session, since), started: true }], session);
  const look = (raw: ToolResult): MaybePromise<LoopEvent> => {
    const judging = lookAt(raw, { call, turn, session, batch: ALONE });
    return isThenable(judging) ? judging.then(end) : end(judging);
  };
  const executing = executeCall(call, session, { turn, attempt: 1 });
  return isThenable(executing) ? executing.then(look) : look(executing);
}

const ALONE = Object.freeze({ index: 0, size: 1 });

function finished(results: readonly FinishedCall[], session: Session): LoopEvent {
  const { cancelled } = session.options.cancel;
  return { type: 'tools.finished', results, cancelled, tick: session.tick };
}

function durationOf(session: Session, since: number): number {
  return Math.round(session.now() - since);
}

/** The policies look at the result of a call that ran, whatever became of the turn meanwhile. */
function lookAt(
  raw: ToolResult,
  about: {
    readonly call: BatchCall;
    readonly turn: OpenTurn;
    readonly session: Session;
    readonly batch: ToolInvocation['batch'];
  },
): MaybePromise<ToolResult> {
  const { call, turn, session, batch } = about;
  const gate = session.gateFor(turn.turnId);
  const ran = raw.outcome === 'succeeded' || raw.outcome === 'failed';
  return ran && gate.has('postToolUse')
    ? gate.toolResult(invocationOf(call, batch), raw, momentOf(turn, 1))
    : raw;
}

const NO_ENTRIES: ReadonlyMap<string, LedgerEntry> = new Map();

async function readLedger(
  session: Session,
  calls: readonly BatchCall[],
): Promise<ReadonlyMap<string, LedgerEntry>> {
  const once = calls.filter((call) => call.refusal === undefined && call.sideEffects === 'once');
  const ids = once.map((call) => call.callId);
  if (ids.length === 0) return NO_ENTRIES;
  const entries = await session.ports.store.readLedger(session.threadId, ids);
  return new Map(entries.map((entry) => [entry.callId, entry]));
}

function runAll(run: BatchRun): Promise<readonly FinishedCall[]> {
  const runnable = [...run.calls.entries()].filter(([, call]) => call.refusal === undefined);
  const { tools, maxParallelTools } = run.session.ports;
  const parallel = pLimit(maxParallelTools);
  const serial = pLimit(1);
  return Promise.all(
    runnable.map(([index, call]) => {
      const limit = tools.get(call.toolName)?.parallel === true ? parallel : serial;
      return limit(() => finishCall(call, index, run));
    }),
  );
}

async function finishCall(call: BatchCall, index: number, run: BatchRun): Promise<FinishedCall> {
  const { session, turn, calls } = run;
  const { callId } = call;
  const started = session.now();
  if (mustBeSaved(call, run)) await run.saver.save([intentOf(call)]);
  const known = knownOutcome(call, run) ?? reasonNotToStart(run);
  const batch = { index, size: calls.length };
  if (known !== undefined) {
    // What came when nobody waited for it any more was recorded as it came, and no policy has seen it yet.
    const isUnseen = run.ledger.get(callId)?.late === true;
    const result = isUnseen ? await lookAt(known, { call, turn, session, batch }) : known;
    return { callId, result, durationMs: 0, started: false };
  }
  const executing = executeCall(call, session, { turn, attempt: attemptOf(call, run) });
  const raw = isThenable(executing) ? await executing : executing;
  const judging = lookAt(raw, { call, turn, session, batch });
  const result = isThenable(judging) ? await judging : judging;
  if (calls.length > 1) await saveProgress(call, result, run);
  return { callId, result, durationMs: durationOf(session, started), started: true };
}

/** A call that must not run twice needs its intent stored before it starts, whichever process starts it (L8). */
function mustBeSaved(call: BatchCall, { session, recovering, ledger }: BatchRun): boolean {
  if (!recovering || call.sideEffects !== 'once' || session.options.cancel.cancelled) return false;
  return !ledger.has(call.callId);
}

function reasonNotToStart({ session, saver }: BatchRun): ToolResult | undefined {
  if (session.options.cancel.cancelled) return CANCELLED;
  return saver.failed ? NOT_STARTED : undefined;
}

/**
 * Beside others, an outcome must not wait for the slowest of them to be safe. The same commit holds the intent
 * of the call that has waited for this one.
 */
async function saveProgress(call: BatchCall, result: ToolResult, run: BatchRun): Promise<void> {
  if (call.sideEffects !== 'once') return;
  const notes: LedgerNote[] = [];
  if (result.outcome !== 'unknown') notes.push({ ...intentOf(call), result });
  const next = call.parallel ? undefined : nextInTurn(call, run.calls);
  if (next !== undefined && !run.recovering) notes.push(intentOf(next));
  if (notes.length > 0) await run.saver.save(notes);
}

/** The next call that must not run twice and runs only after this one. */
function nextInTurn(call: BatchCall, calls: readonly BatchCall[]): BatchCall | undefined {
  return calls
    .slice(calls.indexOf(call) + 1)
    .find(
      (later) => later.refusal === undefined && later.sideEffects === 'once' && !later.parallel,
    );
}

/** A second attempt only where an earlier process may have made the first. */
function attemptOf({ sideEffects, callId }: BatchCall, { recovering, ledger }: BatchRun): number {
  return recovering && (sideEffects !== 'once' || ledger.has(callId)) ? 2 : 1;
}

function intentOf({ callId, inputDigest = '' }: BatchCall): LedgerNote {
  return { callId, inputDigest };
}

const CANCELLED: ToolResult = Object.freeze({
  outcome: 'cancelled',
  isError: true,
  output: 'Cancelled by user',
});

const NOT_STARTED: ToolResult = Object.freeze({
  outcome: 'not-executed',
  isError: true,
  output: 'Not executed: the outcome of a call before it could not be stored',
});

/** What the ledger says of a call that an earlier process may have run; nothing of one that process never started. */
function knownOutcome(call: BatchCall, run: BatchRun): ToolResult | undefined {
  if (!run.recovering || call.sideEffects !== 'once') return undefined;
  const entry = run.ledger.get(call.callId);
  if (entry === undefined) return undefined;
  if (entry.inputDigest !== call.inputDigest) return UNKNOWN;
  return entry.result ?? UNKNOWN;
}

const UNKNOWN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the call may have been carried out. Do not repeat it before that has been checked',
});
