import pLimit from 'p-limit';
import { isThenable } from '../internal/is-thenable.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { LedgerEntry } from '../stores/port.ts';
import type { Effect } from './effect.ts';
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
  readonly size: number;
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
  readonly recovering: boolean;
  readonly saver: OutcomeSaver;
}

/**
 * Runs the calls that were not refused. Those that may run beside others do, a bounded number at a time;
 * the rest run one after the other, in their order. After a crash, what is known of a call decides: a
 * recorded outcome is used, a harmless call is repeated, and one that must not run twice is not.
 */
export async function runTools(effect: RunTools, session: Session): Promise<LoopEvent> {
  const { turn, recovering } = effect;
  const run: BatchRun = {
    session,
    turn,
    size: effect.calls.length,
    ledger: recovering ? await readLedger(session, effect.calls) : NO_ENTRIES,
    recovering,
    saver: new OutcomeSaver(session),
  };
  const results = await runAll(effect.calls, run);
  return {
    type: 'tools.finished',
    results,
    cancelled: session.options.cancel.cancelled,
    at: session.ports.clock.now(),
  };
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

async function runAll(
  calls: readonly BatchCall[],
  run: BatchRun,
): Promise<readonly FinishedCall[]> {
  const [only] = calls;
  if (calls.length === 1 && only !== undefined) {
    return only.refusal === undefined ? [await finishCall(only, 0, run)] : [];
  }
  const runnable = [...calls.entries()].filter(([, call]) => call.refusal === undefined);
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
  const { session, turn, size } = run;
  const { clock } = session.ports;
  const started = clock.monotonic();
  const known = knownOutcome(call, run);
  if (known !== undefined)
    return { callId: call.callId, result: known, durationMs: 0, started: false };
  if (session.options.cancel.cancelled)
    return { callId: call.callId, result: CANCELLED, durationMs: 0, started: false };
  if (run.saver.failed)
    return { callId: call.callId, result: NOT_STARTED, durationMs: 0, started: false };
  const executing = executeCall(call, session, { turn, attempt: run.recovering ? 2 : 1 });
  const raw = isThenable(executing) ? await executing : executing;
  const gate = session.gateFor(turn.turnId);
  const ran = raw.outcome === 'succeeded' || raw.outcome === 'failed';
  const result =
    ran && gate.has('postToolUse')
      ? await gate.toolResult(invocationOf(call, { index, size }), raw, momentOf(turn, 1))
      : raw;
  // Beside others, an outcome must not wait for the slowest of them to be safe.
  if (call.sideEffects === 'once' && size > 1 && result.outcome !== 'unknown') {
    const inputDigest = call.inputDigest ?? '';
    await run.saver.save({ callId: call.callId, inputDigest, result });
  }
  return {
    callId: call.callId,
    result,
    durationMs: Math.round(clock.monotonic() - started),
    started: true,
  };
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

/** What a recorded outcome, or an intent without one, says about a call that an earlier process may have run. */
function knownOutcome(call: BatchCall, run: BatchRun): ToolResult | undefined {
  if (!run.recovering || call.sideEffects !== 'once') return undefined;
  const entry = run.ledger.get(call.callId);
  if (entry?.inputDigest === call.inputDigest && entry?.result !== undefined) return entry.result;
  return UNKNOWN;
}

const UNKNOWN: ToolResult = Object.freeze({
  outcome: 'unknown',
  isError: true,
  output:
    'Outcome unknown: the call may have been carried out. Do not repeat it before that has been checked',
});
