import type { NamedFeedback } from '../decisions/fold.ts';
import type { EventBody } from '../events/event.ts';
import type { HookFailed } from '../hooks/gate.ts';
import { deepFreeze } from '../internal/deep-freeze.ts';
import { joinLists } from '../internal/join-lists.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { Writable } from '../internal/writable.ts';
import type { Approval, ApprovalRequirement } from '../protocol/approval.ts';
import type { ChatResponse, Usage } from '../protocol/chat.ts';
import { NO_USAGE } from '../protocol/usage.ts';
import type { JudgedCall, LoopEvent } from './event.ts';
import { FILLED_ANEW, isFilledAnew } from './filled-anew.ts';
import { votersOf } from './may-answer.ts';
import { countUnusable, deniedBefore, unusableError } from './repeats.ts';
import type { Rules } from './rules.ts';
import {
  assistantMessage,
  calledEvent,
  refusedEvent,
  refuseOpenCalls,
  settleBatch,
} from './settle-batch.ts';
import type {
  Batch,
  BatchCall,
  LedgerNote,
  OpenTurn,
  ParentCall,
  Phase,
  ThreadState,
} from './state.ts';
import { finalTextOf, misfitOf } from './step-answer.ts';
import { prepareAnew, refuseOutdated } from './step-prepare.ts';
import { rejectAnswer, rejectResponse, resetStreak } from './step-response.ts';
import { commitThen, enter, failed, type Transition } from './transition.ts';

type BatchJudged = Extract<LoopEvent, { readonly type: 'batch.judged' }>;

/** The name under which the tier of a tool, not a policy, asks for an approval. */
const TIER_POLICY = 'tier';

/** The whole batch has been judged; only now is chosen what becomes of it (L3). */
export function onBatchJudged(
  state: ThreadState,
  event: BatchJudged,
  rules: Rules,
): Transition | undefined {
  const { phase } = state;
  if (phase.name === 'rejudging') return onRejudged(state, event, { phase, rules });
  if (phase.name !== 'preflighting' && phase.name !== 'preparing') return undefined;
  const { turn } = phase;
  const { content, text, usage } = answerOf(phase);
  if (event.failure !== undefined) {
    const calls = event.calls.map(({ call }) => call);
    const batch: Batch = { content, text, calls, pauses: 0 };
    return stopBatch(state, turn, { batch, failure: event.failure, rules });
  }
  const feedback: NamedFeedback[] = [];
  for (const { verdict } of event.calls)
    if (verdict.type === 'retry-with-feedback') feedback.push(...verdict.feedback);
  if (feedback.length > 0) {
    return rejectResponse(state, turn, {
      feedback,
      point: 'preToolUse',
      usage,
      tick: event.tick,
      rules,
    });
  }
  const problem = misfitOf(turn, event.calls);
  if (problem !== undefined)
    return rejectAnswer(state, turn, { problem, usage, tick: event.tick, rules });
  const anew = phase.name === 'preparing' ? prepareAnew(state, phase, event.calls) : undefined;
  if (anew !== undefined) return anew;
  const accepted = resetStreak(state);
  const now = { state, turn, at: event.at };
  const judged = event.calls.map((entry) => decideCall(refuseOutdated(entry), now));
  const batch: Writable<Batch> = { content, text, calls: judged, pauses: 0 };
  if (event.shown === true || ('batch' in phase && phase.batch.shown === true)) batch.shown = true;
  const counted = countUnusable(turn, judged);
  const error = unusableError(counted);
  if (error !== undefined) {
    const ending = { batch, outcome: failed(error), rules, fallback: 'error' } as const;
    return { ...settleBatch(accepted, counted, ending), error };
  }
  if (judged.some(isOpen)) return suspend(accepted, counted, { batch, tick: event.tick });
  return speakFinal(state, counted, { batch, usage }) ?? speakOrRun(accepted, counted, batch);
}

/** What is judged: the response, or what is stored of it while its operations were prepared. */
function answerOf(
  phase: Extract<Phase, { readonly name: 'preflighting' | 'preparing' }>,
): Pick<ChatResponse, 'content' | 'text' | 'usage'> {
  if (phase.name === 'preflighting') return phase.response;
  const { batch, usage } = phase;
  return { content: batch.content, text: batch.text, usage };
}

/** A policy failed: no call of the batch runs, whatever the others said. */
function stopBatch(
  state: ThreadState,
  turn: OpenTurn,
  stop: { readonly batch: Batch; readonly failure: HookFailed; readonly rules: Rules },
): Transition {
  const { failure, rules } = stop;
  const batch = refuseOpenCalls(stop.batch, 'a policy failed');
  const outcome = failed(failure.error);
  return settleBatch(state, turn, { batch, outcome, rules, fallback: 'hook-failure' });
}

/** What the fold and the tier make of one call: it runs, is refused, or has an open approval. */
function decideCall(
  entry: JudgedCall,
  now: { readonly state: ThreadState; readonly turn: OpenTurn; readonly at: number },
): BatchCall {
  const { call, verdict } = entry;
  if (call.refusal !== undefined) return call;
  // Nothing runs, so there is nothing that anybody could approve.
  if (call.prechecked !== undefined) return call;
  switch (verdict.type) {
    case 'run':
    case 'retry-with-feedback':
      return call;
    case 'block':
      return {
        ...call,
        refusal: { outcome: 'blocked', by: verdict.policy, reason: verdict.reason },
      };
    case 'confirm':
    case 'no-opinion': {
      const requirements = requirementsOf(entry);
      if (requirements.length === 0) return call;
      const refusal = deniedBefore(call, now.turn);
      if (refusal !== undefined) return { ...call, refusal };
      return { ...call, approval: openApproval(entry, requirements, now) };
    }
  }
}

function requirementsOf(entry: JudgedCall): readonly ApprovalRequirement[] {
  const { call, verdict } = entry;
  if (verdict.type === 'confirm') {
    return verdict.requirements.map(({ policy, version, decision }) => ({
      policy,
      ...(version !== undefined && { version }),
      prompt: decision.prompt,
      ...(decision.approvers !== undefined && { approvers: decision.approvers }),
      ...(decision.quorum !== undefined && { quorum: decision.quorum }),
    }));
  }
  if (verdict.type !== 'no-opinion' || call.tier === 'auto') return [];
  const hint = entry.tierHint === undefined ? '' : ` (${entry.tierHint})`;
  return [{ policy: TIER_POLICY, prompt: `Run '${call.displayName}'?${hint}` }];
}

function openApproval(
  entry: JudgedCall,
  requirements: readonly ApprovalRequirement[],
  now: { readonly state: ThreadState; readonly turn: OpenTurn; readonly at: number },
): Approval {
  const { call, verdict } = entry;
  const expiries =
    verdict.type === 'confirm'
      ? verdict.requirements.map(({ decision }) => decision.expiresInMs)
      : [];
  const earliest = Math.min(...expiries.map((ms) => ms ?? Number.POSITIVE_INFINITY));
  return deepFreeze({
    approvalId: entry.approvalId ?? '',
    threadId: now.state.threadId,
    ...(now.state.parent !== undefined && risenFrom(now.state, now.state.parent)),
    turnId: now.turn.turnId,
    callId: call.callId,
    toolName: call.toolName,
    displayName: call.displayName,
    input: call.effectiveInput,
    inputDigest: call.inputDigest ?? '',
    ...(call.operation?.prepared !== undefined && { prepared: call.operation.prepared }),
    requirements,
    requestedAt: now.at,
    ...(Number.isFinite(earliest) && { expiresAt: now.at + earliest }),
    status: 'open',
    ...votesSoFar(call, requirements, now.at),
  });
}

/** Who edited a call and said yes to it is one of those who are needed. */
function votesSoFar(
  { granted = [] }: BatchCall,
  requirements: readonly ApprovalRequirement[],
  at: number,
): Pick<Approval, 'votes'> {
  const voters = requirements.flatMap((wanted) => [...votersOf(granted, wanted)]);
  return voters.length === 0 ? {} : { votes: [...new Set(voters)].map((by) => ({ by, at })) };
}

/** Who lists it at the top has to know whose it is, and where to answer. */
function risenFrom(
  { agent }: ThreadState,
  { topThreadId, agentPath }: ParentCall,
): Pick<Approval, 'agent' | 'agentPath' | 'topThreadId'> {
  return { agent, agentPath, topThreadId };
}

/** Approved calls run only as what was approved; anything but a clear yes is blocked, or asked again (bounded). */
function onRejudged(
  state: ThreadState,
  event: BatchJudged,
  stored: {
    readonly phase: Extract<Phase, { readonly name: 'rejudging' }>;
    readonly rules: Rules;
  },
): Transition {
  const { phase, rules } = stored;
  const { turn, batch } = phase;
  if (event.failure !== undefined) {
    return stopBatch(state, turn, { batch, failure: event.failure, rules });
  }
  const anew = prepareAnew(state, phase, event.calls);
  if (anew !== undefined) return anew;
  const mayPause = batch.pauses < rules.maxPauses;
  const before = new Map(batch.calls.map((call) => [call.callId, call]));
  const calls = event.calls.map((entry) =>
    rejudgeCall(refuseOutdated(entry), before.get(entry.call.callId), {
      state,
      turn,
      at: event.at,
      mayPause,
    }),
  );
  const next: Batch = { ...batch, calls };
  return calls.some(isOpen)
    ? suspend(state, turn, { batch: next, tick: event.tick })
    : (speakFinal(state, turn, { batch: next, usage: NO_USAGE }) ?? speakOrRun(state, turn, next));
}

function rejudgeCall(
  entry: JudgedCall,
  before: BatchCall | undefined,
  now: {
    readonly state: ThreadState;
    readonly turn: OpenTurn;
    readonly at: number;
    readonly mayPause: boolean;
  },
): BatchCall {
  const { call, verdict } = entry;
  if (call.refusal !== undefined) return call;
  const blocked = (by: string, reason: string): BatchCall => ({
    ...call,
    refusal: { outcome: 'blocked', by, reason: `at resume: ${reason}` },
  });
  const isApproved = before?.granted !== undefined;
  if (isApproved && !jsonEqual(before.effectiveInput, call.effectiveInput)) {
    return blocked('agent', 'a policy changed the input after it was approved');
  }
  if (before !== undefined && isFilledAnew(before, call)) return { ...call, refusal: FILLED_ANEW };
  if (verdict.type === 'block') return blocked(verdict.policy, verdict.reason);
  if (verdict.type === 'retry-with-feedback')
    return blocked(verdict.feedback[0]?.policy ?? 'agent', 'a policy asked for another answer');
  if (verdict.type === 'run' || call.prechecked !== undefined) return call;
  const missing = requirementsOf(entry).filter((wanted) => !isGranted(call, wanted));
  if (missing.length === 0) return call;
  if (!now.mayPause)
    return blocked(missing[0]?.policy ?? 'agent', 'it was asked for approval too often');
  return { ...call, approval: openApproval(entry, missing, now) };
}

/** The tier only wants that a person looked. */
function isGranted({ granted = [] }: BatchCall, wanted: ApprovalRequirement): boolean {
  if (wanted.policy === TIER_POLICY) return granted.length > 0;
  return votersOf(granted, wanted).size >= (wanted.quorum ?? 1);
}

function isOpen(call: BatchCall): boolean {
  return call.refusal === undefined && call.approval?.status === 'open';
}

/** Announced only when it is stored: the result names the approvals after the commit. */
function suspend(
  state: ThreadState,
  turn: OpenTurn,
  pause: { readonly batch: Batch; readonly tick: number },
): Transition {
  const batch: Batch = { ...pause.batch, pauses: pause.batch.pauses + 1 };
  const open = batch.calls.filter(isOpen);
  const approvals = open.flatMap((call) => (call.approval === undefined ? [] : [call.approval]));
  const events = approvals.map(
    ({ approvalId, callId, toolName, requirements }): EventBody => ({
      type: 'approval.requested',
      approvalId,
      callId,
      toolName,
      prompts: requirements.map(({ prompt }) => prompt),
    }),
  );
  const stopped: OpenTurn = { ...turn, activeMs: turn.activeMs + pause.tick - turn.activeSince };
  return commitThen(
    state,
    { name: 'awaiting-approval', turn: stopped, batch },
    { turn, events, approvals },
  );
}

/** A final answer that came as a call is not run: its text is what the turn ends with. */
function speakFinal(
  state: ThreadState,
  turn: OpenTurn,
  { batch, usage }: { readonly batch: Batch; readonly usage: Usage },
): Transition | undefined {
  if (turn.output === undefined) return undefined;
  const response = finalTextOf(turn, batch, usage);
  if (response === undefined) return undefined;
  return enter(state, { name: 'speaking', turn, speech: { kind: 'final', response } });
}

function speakOrRun(state: ThreadState, turn: OpenTurn, batch: Batch): Transition {
  if (batch.text !== '')
    return enter(state, { name: 'speaking', turn, speech: { kind: 'beside', batch } });
  return runBatch(state, turn, { batch });
}

/**
 * The message enters the history with the intent of each `once` call that may start at once, and only then does
 * anything run (L8). One that waits for another gets its intent when that one is done, and one that waits for a slot
 * when it has it, so that after a crash it is known not to have started. From here on the state holds the calls only: what a policy took out of the text
 * must not stay in it.
 */
export function runBatch(
  state: ThreadState,
  turn: OpenTurn,
  run: { readonly batch: Batch; readonly text?: string; readonly events?: readonly EventBody[] },
): Transition {
  const { batch } = run;
  const called = joinLists(batch.calls.map(eventsOfCall));
  const events = run.events === undefined ? called : joinLists([run.events, called]);
  return commitThen(
    state,
    { name: 'running', turn, batch: { ...batch, content: [], text: '' }, recovering: false },
    {
      turn,
      messages: [assistantMessage(batch.content, batch.calls, run.text)],
      events,
      ledger: firstIntents(batch.calls),
    },
  );
}

function eventsOfCall(call: BatchCall): readonly EventBody[] {
  const { callId, toolName, refusal, announce } = call;
  const called = calledEvent(call);
  if (refusal !== undefined) return [called, refusedEvent(call, refusal)];
  // What is said before it may still refuse it.
  return announce === undefined
    ? [called, { type: 'tool.started', callId, toolName, source: 'model' }]
    : [called];
}

function firstIntents(calls: readonly BatchCall[]): readonly LedgerNote[] {
  const notes: LedgerNote[] = [];
  let waits = false;
  for (const call of calls) {
    const { callId, inputDigest = '', parallel } = call;
    if (call.refusal !== undefined || call.prechecked !== undefined) continue;
    if (call.sideEffects !== 'once' || (waits && !parallel)) continue;
    if (call.defersIntent !== true) notes.push({ callId, inputDigest });
    if (!parallel) waits = true;
  }
  return notes;
}
