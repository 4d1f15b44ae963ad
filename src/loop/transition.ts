import { type AgentHooksError, errorInfo } from '../errors/base.ts';
import { TurnCancelledError } from '../errors/interrupted.ts';
import type { EventBody, FallbackCause } from '../events/event.ts';
import type { Writable } from '../internal/writable.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Artifact } from '../protocol/artifact.ts';
import type { Message } from '../protocol/message.ts';
import type { Effect } from './effect.ts';
import { fallbackText } from './fallback-text.ts';
import type { Outcome } from './outcome.ts';
import { pending } from './pending.ts';
import type { Rules } from './rules.ts';
import { costOfTurn } from './spend.ts';
import type { Ending, LedgerNote, OpenTurn, Phase, ThreadState } from './state.ts';

/** What one event makes of a state: the next state, and what has to be done in this order. */
export interface Transition {
  readonly state: ThreadState;
  readonly effects: readonly Effect[];
  /** The live error of a turn that `step` itself fails; the state holds what is worth storing of it. */
  readonly error?: AgentHooksError;
}

/** What a commit writes beside the checkpoint. */
export interface Writes {
  readonly messages?: readonly Message[] | undefined;
  readonly approvals?: readonly Approval[] | undefined;
  readonly ledger?: readonly LedgerNote[] | undefined;
  readonly artifacts?: readonly Artifact[] | undefined;
}

/** Enters a phase that needs no commit first. */
export function enter(
  state: ThreadState,
  phase: Phase,
  events: readonly EventBody[] = [],
): Transition {
  return enterOwn({ ...state }, phase, events);
}

/** The same with a state that was made in this transition, so that nobody else has it. */
export function enterOwn(
  state: Writable<ThreadState>,
  phase: Phase,
  events: readonly EventBody[] = [],
): Transition {
  state.phase = phase;
  const effect = pending(phase);
  const turn = phase.name === 'idle' || phase.name === 'committing' ? undefined : phase.turn;
  const told = turn !== undefined && events.length > 0 ? emit(turn, events) : undefined;
  return { state, effects: listOf(told, effect) };
}

/** A list of its very length: one that grows by `push` takes room for seventeen. */
function listOf(first: Effect | undefined, second: Effect | undefined): readonly Effect[] {
  if (first === undefined) return second === undefined ? [] : [second];
  return second === undefined ? [first] : [first, second];
}

/** What a commit writes and tells. */
interface Commit extends Writes {
  readonly turn: OpenTurn;
  readonly events: readonly EventBody[];
  readonly checkpoint?: Phase;
  /** A step that begins with this commit. */
  readonly begun?: OpenTurn | undefined;
}

/** Commits, and then enters `next`. The store gets `checkpoint`, where it differs from `next`. */
export function commitThen(state: ThreadState, next: Phase, commit: Commit): Transition {
  return commitOwn({ ...state }, next, commit);
}

/** The same with a state that was made in this transition, as for `enterOwn`. */
export function commitOwn(state: Writable<ThreadState>, next: Phase, commit: Commit): Transition {
  const { turn, begun } = commit;
  const told = emit(turn, commit.events);
  const write: Effect = {
    type: 'commit',
    checkpoint: { ...state, phase: commit.checkpoint ?? next },
    messages: commit.messages ?? [],
    approvals: commit.approvals ?? [],
    ledger: commit.ledger ?? [],
    artifacts: commit.artifacts,
  };
  state.phase = { name: 'committing', turn, next };
  const effects = begun === undefined ? [told, write] : [told, emit(begun, STEP_STARTED), write];
  return { state, effects };
}

const STEP_STARTED: readonly EventBody[] = Object.freeze([
  Object.freeze({ type: 'step.started' } as const),
]);

/**
 * Ends the turn: its last events, its outcome, one commit (L6). An error that the policies were not asked about they
 * are told of first, as long as that can be waited for, so that what they record is part of the commit.
 */
export function finish(
  state: ThreadState,
  turn: OpenTurn,
  ending: Writes & {
    readonly outcome: Outcome;
    readonly events?: readonly EventBody[];
    readonly fallback?: FallbackCause;
    /** What is shown in the place of the text of `fallback`. */
    readonly text?: string;
    readonly rules: Rules;
    readonly rejected?: boolean;
    /** True when the policies know of the error. */
    readonly known?: boolean;
  },
): Transition {
  const { events = [] } = ending;
  if (ending.outcome.status === 'failed' && ending.known !== true) {
    const { error } = ending.outcome;
    const failure = { kind: 'told', error, ending: endingOf(ending) } as const;
    return enter(state, { name: 'failing', turn, failure }, events);
  }
  const outcome = withFallback(state, ending);
  const closing: EventBody[] = [...events];
  if (ending.fallback !== undefined && 'text' in outcome && outcome.text !== '') {
    closing.push({
      type: 'message.outgoing',
      text: outcome.text,
      isFinal: true,
      fallback: ending.fallback,
    });
  }
  closing.push(...closingEvents(turn, outcome, ending.rejected === true));
  const phase = { name: 'finished', turn, outcome } as const;
  const ended = commitThen(state, phase, { ...ending, turn, events: closing });
  return outcome.status === 'cancelled' ? tellCancelled(turn, ended) : ended;
}

function endingOf(
  ending: Writes & Omit<Ending, keyof Writes | 'rejected'> & { readonly rejected?: boolean },
): Ending {
  const { outcome, fallback, rejected, messages = [], approvals = [], ledger = [] } = ending;
  const { artifacts } = ending;
  return {
    outcome,
    ...(fallback !== undefined && { fallback }),
    ...(rejected === true && { rejected }),
    messages,
    approvals,
    ledger,
    ...(artifacts !== undefined && { artifacts }),
  };
}

/** Nobody is waited for any more, so it is no question of its own. */
function tellCancelled(turn: OpenTurn, ended: Transition): Transition {
  const error = new TurnCancelledError(turn.turnId);
  const telling = { type: 'tell-error', turn, error: errorInfo(error) } as const;
  return { ...ended, effects: [telling, ...ended.effects], error };
}

/** The events every ended turn closes with: its step, if one was open, itself, and its thread, where a tool has ended that. */
export function closingEvents(
  turn: OpenTurn,
  outcome: Outcome,
  rejected: boolean,
): readonly EventBody[] {
  const events: EventBody[] = [];
  if (outcome.status === 'failed') {
    events.push({ type: 'error.raised', code: outcome.error.code, name: outcome.error.name });
  }
  if (turn.step > 0 && turn.between !== true) {
    const accepted = outcome.status === 'completed';
    events.push({
      type: 'step.finished',
      outcome: rejected ? 'rejected' : accepted ? 'accepted' : 'ended',
    });
  }
  events.push({
    type: 'turn.finished',
    status: outcome.status,
    steps: turn.step,
    usage: turn.usage,
    ...costOfTurn(turn),
  });
  if (turn.endedBy !== undefined)
    events.push({ type: 'thread.ended', reason: `the tool '${turn.endedBy}' ended it` });
  return events;
}

export function failed(error: AgentHooksError): Outcome {
  return { status: 'failed', error: errorInfo(error), text: '' };
}

function withFallback(
  state: ThreadState,
  ending: {
    readonly outcome: Outcome;
    readonly fallback?: FallbackCause;
    readonly text?: string;
    readonly rules: Rules;
  },
): Outcome {
  const { outcome, fallback, rules } = ending;
  if (fallback === undefined || !('text' in outcome)) return outcome;
  return { ...outcome, text: ending.text ?? fallbackText(state, fallback, rules) };
}

export function emit(turn: OpenTurn, events: readonly EventBody[]): Effect {
  return { type: 'emit', turnId: turn.turnId, step: turn.step, events };
}
