import pLimit from 'p-limit';
import { SUSPENDED } from '../hooks/wrapped-results.ts';
import { after, all } from '../internal/later.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import type { Writable } from '../internal/writable.ts';
import type { ToolResult } from '../protocol/tool.ts';
import type { LedgerEntry } from '../stores/port.ts';
import { afterCall } from './after-call.ts';
import type { AfterCall } from './after-call-state.ts';
import { CANCELLED, NOT_STARTED } from './call-outcomes.ts';
import { carryOut, type Runners } from './carry-out.ts';
import { Children } from './children.ts';
import type { Effect } from './effect.ts';
import type { LoopEvent } from './event.ts';
import { afterGivingUp, type Executed, giveUpRest } from './execute-operation.ts';
import { HostCalls } from './host-calls.ts';
import { invocationOf } from './invocation.ts';
import { knownOutcome } from './known-outcome.ts';
import { wholeCall } from './locks.ts';
import { momentOf } from './moment-of.ts';
import { intentOf, OutcomeSaver } from './outcome-saver.ts';
import { isPrechecked, plainResult, precheckedResult } from './precheck-call.ts';
import { presentResult } from './present-result.ts';
import { runWrapped } from './run-wrapped.ts';
import { sayLines } from './say-lines.ts';
import type { Session } from './session.ts';
import type { BatchCall, FinishedCall, LedgerNote, OpenTurn } from './state.ts';

type RunTools = Extract<Effect, { readonly type: 'run-tools' }>;
type ToolsFinished = Extract<LoopEvent, { readonly type: 'tools.finished' }>;

interface BatchRun extends Runners {
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
  const saver = new OutcomeSaver(session);
  const executed = calls.some(({ isListen }) => isListen === true) ? new Set<string>() : undefined;
  const run: BatchRun = {
    session,
    turn,
    calls,
    ledger: NO_ENTRIES,
    recovering,
    saver,
    executed,
    children: undefined,
    hosted: undefined,
  };
  const ran = runEvery(effect, run);
  const running = executed === undefined ? ran : endingRest(effect, session, { ran, executed });
  return session.ports.results === undefined ? running : sayingLines(effect, session, running);
}

function endingRest(
  effect: RunTools,
  session: Session,
  run: { readonly ran: MaybePromise<ToolsFinished>; readonly executed: Executed },
): MaybePromise<ToolsFinished> {
  return afterGivingUp(run.ran, () => giveUpRest(effect, run.executed, session));
}

function sayingLines(
  effect: RunTools,
  session: Session,
  running: MaybePromise<ToolsFinished>,
): MaybePromise<LoopEvent> {
  return after(running, (event) => sayLines(effect, event, session));
}

function runEvery(effect: RunTools, run: BatchRun): MaybePromise<ToolsFinished> {
  const { calls, recovering } = run;
  const [only] = calls;
  if (calls.some(mayWait)) return runWaiting(effect, run);
  if (recovering || calls.length !== 1 || only === undefined || only.refusal !== undefined)
    return runBatch(run);
  return after(runCall(only, 0, run), (result) => finished([result], run));
}

function runBatch(run: BatchRun): MaybePromise<ToolsFinished> {
  const { session, calls, recovering } = run;
  if (!recovering) return after(runAll(run), (results) => finished(results, run));
  return readLedger(session, calls)
    .then((ledger) => runAll({ ...run, ledger }))
    .then((results) => finished(results, run));
}

function finished(results: readonly FinishedCall[], { session, turn }: BatchRun): ToolsFinished {
  const { cancelled } = session.options.cancel;
  const { tick } = session;
  const event: Writable<ToolsFinished> = { type: 'tools.finished', results, cancelled, tick };
  if (session.announced !== undefined) event.announced = session.announced.calls;
  session.announced = undefined;
  const written = session.values?.takeBatch();
  if (written === undefined) return event;
  event.values = written.values;
  recordChanges(session, turn, written.fields);
  return event;
}

/** Whatever became of the calls: what they wrote, they wrote while they ran. */
function recordChanges(session: Session, turn: OpenTurn, fields: readonly string[]): void {
  if (fields.length > 0) session.record({ type: 'state.changed', fields }, turn.turnId, turn.step);
}

function mayWait({ isChild, isHost }: BatchCall): boolean {
  return isChild === true || isHost === true;
}

/** A batch that delegates, or leaves calls to the host: those may wait, and then they have no result yet. */
async function runWaiting(effect: RunTools, plain: BatchRun): Promise<ToolsFinished> {
  const { session, calls, recovering, turn, saver } = plain;
  const { finished: earlier = [], children: counted = [] } = effect;
  const children = new Children(session, { turn, counted, saver, recovering });
  const isOpen = ({ callId, refusal }: BatchCall): boolean =>
    refusal === undefined && earlier.every((one) => one.callId !== callId);
  const ledger = recovering ? await readLedger(session, calls.filter(isOpen)) : NO_ENTRIES;
  await children.countStored(calls.filter((call) => call.isChild === true && isOpen(call)));
  const hosted = calls.some(({ isHost }) => isHost === true)
    ? new HostCalls(session, effect.submitted)
    : undefined;
  const run = { ...plain, ledger, children, hosted };
  const ran = await runAll(run, isOpen, effect.ending);
  const results: FinishedCall[] = [];
  const waiting = new Set<string>();
  let waits = false;
  for (const one of ran) {
    const call = calls.find(({ callId }) => callId === one.callId);
    const isCut =
      one.result === SUSPENDED && call?.isChild === true && session.options.cancel.cancelled;
    const end =
      isCut && call !== undefined
        ? await endChild(call, calls.indexOf(call), run)
        : ((await hosted?.endOfChanged(one, call)) ?? one);
    if (end.result !== SUSPENDED) results.push(end);
    else if (call?.isHost === true) waiting.add(end.callId);
    else waits = true;
  }
  const settled = new Set(results.map(({ callId }) => callId));
  await children.settle(
    calls.filter((call) => call.isChild === true && isOpen(call) && settled.has(call.callId)),
  );
  const event = finished(results, run);
  const handed = waits ? [] : (hosted?.handed(calls, waiting) ?? []);
  return {
    ...event,
    children: children.spent,
    ...(waits && { waits }),
    ...(handed.length > 0 && { handed }),
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

function runAll(
  run: BatchRun,
  isOpen: (call: BatchCall) => boolean = isAllowed,
  ending = false,
): MaybePromise<readonly FinishedCall[]> {
  const { tools, maxParallelTools } = run.session.ports;
  // Subagents share one budget, which each has to find as the one before it has left it.
  const isParallel = ({ isChild, toolName }: BatchCall): boolean =>
    isChild !== true && tools.get(toolName)?.parallel === true;
  const runnable = run.calls.every(isOpen) ? run.calls : run.calls.filter(isOpen);
  if (runnable.length <= maxParallelTools && runnable.every(isParallel))
    return all(startAll(run, runnable, runCall));
  const parallel = pLimit(maxParallelTools);
  const serial = pLimit(1);
  return Promise.all(
    startAll(run, runnable, (call, index) => {
      const limit = isParallel(call) ? parallel : serial;
      return limit(() =>
        call.isChild === true && (ending || run.session.options.cancel.cancelled)
          ? endChild(call, index, run)
          : runCall(call, index, run),
      );
    }),
  );
}

function isAllowed({ refusal }: BatchCall): boolean {
  return refusal === undefined;
}

/** Starts what may run, in the order of the calls. */
function startAll(
  run: BatchRun,
  runnable: readonly BatchCall[],
  start: typeof runCall,
): MaybePromise<FinishedCall>[] {
  const { calls } = run;
  return runnable.map((call, place) =>
    start(call, runnable === calls ? place : calls.indexOf(call), run),
  );
}

/** The end of a subagent that nobody waits for any more. What it had answered before that counts, as far as policies let it. */
async function endChild(call: BatchCall, index: number, run: BatchRun): Promise<FinishedCall> {
  const since = run.session.now();
  const raw = (await run.children?.end(call)) ?? CANCELLED;
  const isAnswer = raw.outcome === 'succeeded' || raw.outcome === 'failed';
  const result = isAnswer ? await lookAt(unwrapped(raw, run), { call, index, run }) : raw;
  const durationMs = Math.round(run.session.now() - since);
  const { callId } = call;
  const ended: Writable<FinishedCall> = { callId, result, durationMs, started: false };
  presentResult(ended, call, run.session);
  return ended;
}

/** Runs one call, if it may still start. Waits only for what takes its time. */
function runCall(call: BatchCall, index: number, run: BatchRun): MaybePromise<FinishedCall> {
  if (!mustBeSaved(call, run)) return startCall(call, index, run);
  return run.saver.save([intentOf(call)]).then(() => startCall(call, index, run));
}

function startCall(call: BatchCall, index: number, run: BatchRun): MaybePromise<FinishedCall> {
  const { session, turn, calls } = run;
  const { callId } = call;
  const since = session.start();
  const given = run.hosted?.given(callId);
  // An earlier process may have carried its operation out.
  if (attemptOf(call, run) > 1) run.executed?.add(callId);
  const known =
    given === undefined ? (knownOutcome(call, run) ?? reasonNotToStart(run)) : undefined;
  if (known !== undefined) return withoutRun(known, { call, index, run });
  const end = (
    result: ToolResult,
    facts: AfterCall | undefined,
    answered?: ToolResult,
  ): MaybePromise<FinishedCall> => {
    // Whatever policies made of it, the ledger keeps what the host did, and that a tool did not run.
    const recorded = given ?? answered ?? precheckedResult(result, call, session);
    const spoken = session.announced?.tookMs(callId) ?? 0;
    const waited = session.callFacts?.waitedMs.get(callId) ?? 0;
    const durationMs = Math.round(session.now() - since - spoken - waited);
    const ended: Writable<FinishedCall> = { callId, result, durationMs, started: true };
    if (recorded !== undefined) ended.recorded = recorded;
    if (facts !== undefined) ended.after = facts;
    tellApart(ended, call, session);
    if (calls.length === 1 || call.sideEffects !== 'once' || result === SUSPENDED) return ended;
    if (session.values !== undefined) recordChanges(session, turn, session.values.keep(callId));
    return saveProgress(call, recorded ?? result, run).then(() => ended);
  };
  const look = (raw: ToolResult): MaybePromise<FinishedCall> => {
    const notRun = isPrechecked(call, session);
    const facts = session.ports.results && afterCall({ call, result: raw, session, notRun });
    const judging = lookAt(raw, { call, index, run });
    return after(judging, (result) => end(result, facts));
  };
  const place = { turn, attempt: attemptOf(call, run), saver: run.saver };
  if (session.gateFor(turn.turnId).has('wrapToolUse')) {
    const about = { index, size: calls.length };
    const execute = (changed: BatchCall): MaybePromise<ToolResult> => carryOut(changed, run, place);
    return runWrapped(call, session, { ...place, batch: about, execute }).then(async (wrapped) => {
      const { result, recorded } = wrapped;
      const notRun = recorded !== undefined || isPrechecked(call, session);
      const facts = session.ports.results && afterCall({ call, result, session, notRun });
      const judging = wrapped.unanswered
        ? result
        : lookAt(result, { call: wrapped.call, index, run });
      return end(await judging, facts, recorded);
    });
  }
  return after(carryOut(call, run, place), look);
}

/** What is known of a call needs no run. Its policies have seen it, unless it came when nobody waited for it any more. */
function withoutRun(known: ToolResult, about: CallPlace): MaybePromise<FinishedCall> {
  const { call, run } = about;
  const { callId } = call;
  const { session } = run;
  const isUnseen = run.ledger.get(callId)?.late === true;
  const notRun = known.prechecked === true;
  const told = notRun ? plainResult(known) : known;
  const given = isUnseen ? unwrapped(told, run) : told;
  const facts =
    session.ports.results &&
    afterCall({ call, result: given, session, isSaved: !isUnseen, notRun });
  const settle = (result: ToolResult): FinishedCall => {
    const ended: Writable<FinishedCall> = { callId, result, durationMs: 0, started: false };
    if (notRun) ended.recorded = known;
    if (facts !== undefined) ended.after = facts;
    tellApart(ended, call, session);
    return ended;
  };
  const judging = isUnseen ? lookAt(given, about) : told;
  return after(judging, settle);
}

/** What is known of a call beside its result: why it failed, and what the model is to read of it. */
function tellApart(ended: Writable<FinishedCall>, call: BatchCall, session: Session): void {
  if (ended.result.outcome !== 'succeeded') {
    const reason = session.failureOf(call.callId)?.eventText;
    if (reason !== undefined) ended.reason = reason;
  }
  presentResult(ended, call, session);
}

/** No policy can be put around a call that is over: what those would have let go of it, nobody knows. */
function unwrapped(known: ToolResult, { session, turn }: BatchRun): ToolResult {
  if (!session.gateFor(turn.turnId).has('wrapToolUse')) return known;
  return Object.freeze({ outcome: known.outcome, isError: true, output: UNWRAPPED });
}

const UNWRAPPED =
  'The call did run, but its result came too late for the policies around it, and was withheld. Do not repeat the call before that has been checked';

interface CallPlace {
  readonly call: BatchCall;
  readonly index: number;
  readonly run: BatchRun;
}

/** The policies look at the result of a call that ran, whatever became of the turn meanwhile. */
function lookAt(raw: ToolResult, { call, index, run }: CallPlace): MaybePromise<ToolResult> {
  const { session, turn, calls } = run;
  const gate = session.gateFor(turn.turnId);
  if ((raw.outcome !== 'succeeded' && raw.outcome !== 'failed') || !gate.has('postToolUse'))
    return raw;
  const invocation = invocationOf(wholeCall(call, session), { index, size: calls.length });
  return gate.toolResult(invocation, raw, momentOf(turn, 1));
}

/** A call that must not run twice needs its intent stored before it starts, whichever process starts it (L8). */
function mustBeSaved(call: BatchCall, { session, recovering, ledger }: BatchRun): boolean {
  if (!recovering || call.sideEffects !== 'once' || session.options.cancel.cancelled) return false;
  if (call.prechecked !== undefined || call.defersIntent === true) return false;
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
  const notes: LedgerNote[] = [];
  if (result.outcome !== 'unknown' && result.outcome !== 'running')
    notes.push({ ...intentOf(call), result });
  const next = call.parallel ? undefined : nextInTurn(call, run.calls);
  if (next !== undefined && next.defersIntent !== true && !run.recovering)
    notes.push(intentOf(next));
  if (notes.length > 0) await run.saver.save(notes);
}

/** The next call that must not run twice and runs only after this one. */
function nextInTurn(call: BatchCall, calls: readonly BatchCall[]): BatchCall | undefined {
  return calls
    .slice(calls.indexOf(call) + 1)
    .find(
      (later) =>
        later.refusal === undefined &&
        later.prechecked === undefined &&
        later.sideEffects === 'once' &&
        !later.parallel,
    );
}

/** A second attempt only where an earlier process may have made the first. */
function attemptOf({ sideEffects, callId }: BatchCall, { recovering, ledger }: BatchRun): number {
  return recovering && (sideEffects !== 'once' || ledger.has(callId)) ? 2 : 1;
}
