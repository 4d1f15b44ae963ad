import { type AgentHooksError, errorInfo } from '../errors/base.ts';
import type { EventBody, FallbackCause } from '../events/event.ts';
import type { Approval } from '../protocol/approval.ts';
import type { Message } from '../protocol/message.ts';
import type { Effect, LedgerNote } from './effect.ts';
import { pending } from './pending.ts';
import type { Rules } from './rules.ts';
import { costOfTurn } from './spend.ts';
import type { OpenTurn, Outcome, Phase, ThreadState } from './state.ts';

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
}

/** Enters a phase that needs no commit first. */
export function enter(
  state: ThreadState,
  phase: Phase,
  events: readonly EventBody[] = [],
): Transition {
  const effect = pending(phase);
  const turn = phase.name === 'idle' || phase.name === 'committing' ? undefined : phase.turn;
  const effects: Effect[] = turn !== undefined && events.length > 0 ? [emit(turn, events)] : [];
  if (effect !== undefined) effects.push(effect);
  return { state: { ...state, phase }, effects };
}

/** Commits, and then enters `next`. The store gets `checkpoint`, where it differs from `next`. */
export function commitThen(
  state: ThreadState,
  next: Phase,
  commit: Writes & {
    readonly turn: OpenTurn;
    readonly events: readonly EventBody[];
    readonly checkpoint?: Phase;
    /** A step that begins with this commit. */
    readonly begun?: OpenTurn | undefined;
  },
): Transition {
  const { turn, begun } = commit;
  const effects: Effect[] = [emit(turn, commit.events)];
  if (begun !== undefined) effects.push(emit(begun, [{ type: 'step.started' }]));
  effects.push({
    type: 'commit',
    checkpoint: { ...state, phase: commit.checkpoint ?? next },
    messages: commit.messages ?? [],
    approvals: commit.approvals ?? [],
    ledger: commit.ledger ?? [],
  });
  return { state: { ...state, phase: { name: 'committing', turn, next } }, effects };
}

/** Ends the turn: its last events, its outcome, one commit (L6). */
export function finish(
  state: ThreadState,
  turn: OpenTurn,
  ending: Writes & {
    readonly outcome: Outcome;
    readonly events?: readonly EventBody[];
    readonly fallback?: FallbackCause;
    readonly rules: Rules;
    readonly rejected?: boolean;
  },
): Transition {
  const outcome = withFallback(ending.outcome, ending.fallback, ending.rules);
  const events: EventBody[] = [...(ending.events ?? [])];
  if (ending.fallback !== undefined && 'text' in outcome && outcome.text !== '') {
    events.push({
      type: 'message.outgoing',
      text: outcome.text,
      isFinal: true,
      fallback: ending.fallback,
    });
  }
  events.push(...closingEvents(turn, outcome, ending.rejected === true));
  return commitThen(state, { name: 'finished', turn, outcome }, { ...ending, turn, events });
}

/** The events every ended turn closes with: its step, if one was open, and itself. */
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
  return events;
}

export function failed(error: AgentHooksError): Outcome {
  return { status: 'failed', error: errorInfo(error), text: '' };
}

function withFallback(outcome: Outcome, cause: FallbackCause | undefined, rules: Rules): Outcome {
  return cause === undefined || !('text' in outcome)
    ? outcome
    : { ...outcome, text: rules.fallbacks[cause] };
}

export function emit(turn: OpenTurn, events: readonly EventBody[]): Effect {
  return { type: 'emit', turnId: turn.turnId, step: turn.step, events };
}
