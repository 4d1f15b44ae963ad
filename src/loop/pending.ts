import type { Writable } from '../internal/writable.ts';
import type { Effect } from './effect.ts';
import type { Phase, Speech } from './state.ts';

/** The effect a phase waits for; none while it waits for a person or the caller (L2). */
export function pending(phase: Phase): Effect | undefined {
  switch (phase.name) {
    case 'idle':
    case 'finished':
    case 'awaiting-approval':
    case 'awaiting-child':
    case 'awaiting-tools':
    case 'waiting':
    case 'committing':
      return undefined;
    case 'opening':
      return { type: 'judge-opening', turn: phase.turn, message: phase.message };
    case 'requesting':
      return judgeRequest(phase);
    case 'compacting':
      return compacting(phase);
    case 'calling':
      return callModel(phase);
    case 'answering':
      return {
        type: 'judge-response',
        turn: phase.turn,
        attempt: phase.attempt,
        response: phase.response,
      };
    case 'preflighting':
      return {
        type: 'judge-batch',
        turn: phase.turn,
        attempt: phase.attempt,
        response: phase.response,
      };
    case 'preparing': {
      const { turn, batch, attempt } = phase;
      return phase.prepared === true
        ? { type: 'rejudge-batch', turn, batch, attempt }
        : { type: 'prepare-batch', turn, batch };
    }
    case 'rejudging':
      return { type: 'rejudge-batch', turn: phase.turn, batch: phase.batch };
    case 'speaking':
      return { type: 'judge-outgoing', turn: phase.turn, ...speechText(phase.speech) };
    case 'running':
      return runTools(phase);
    case 'failing':
      return { type: 'judge-error', turn: phase.turn, failure: phase.failure };
  }
}

type In<Name extends Phase['name']> = Extract<Phase, { readonly name: Name }>;
type Of<Type extends Effect['type']> = Extract<Effect, { readonly type: Type }>;

function judgeRequest(phase: In<'requesting'>): Effect {
  const { turn, attempt, armed, candidate, note } = phase;
  const effect: Writable<Of<'judge-request'>> = {
    type: 'judge-request',
    turn,
    attempt: attempt + (armed ? 0 : 1),
  };
  if (candidate !== undefined) effect.candidate = candidate;
  if (note !== undefined) effect.note = note;
  if (phase.overflowed !== undefined) effect.overflowed = phase.overflowed;
  if (phase.compacted !== undefined) effect.compacted = phase.compacted;
  return effect;
}

function compacting({ turn, attempt, cause, stage, main }: In<'compacting'>): Effect {
  switch (stage.name) {
    case 'asking': {
      const hasCandidate = main.candidate !== undefined;
      return { type: 'compact', turn, attempt: attempt + 1, cause, hasCandidate };
    }
    case 'calling': {
      const { request } = stage;
      const modified = request !== undefined && { request };
      return { type: 'call-summary', turn, attempt, ...modified };
    }
    case 'judging': {
      const { cut, response } = stage;
      return { type: 'judge-summary', turn, attempt, cut, response };
    }
  }
}

function runTools(phase: In<'running'>): Effect {
  const { turn, batch, recovering, next, finished, children, submitted } = phase;
  const effect: Writable<Of<'run-tools'>> = {
    type: 'run-tools',
    turn,
    calls: batch.calls,
    recovering,
    ending: next !== undefined,
  };
  if (finished !== undefined) effect.finished = finished;
  if (children !== undefined) effect.children = children;
  if (submitted !== undefined) effect.submitted = submitted;
  return effect;
}

function callModel({ turn, attempt, request }: In<'calling'>): Effect {
  const effect: Writable<Of<'call-model'>> = { type: 'call-model', turn, attempt };
  if (request !== undefined) effect.request = request;
  return effect;
}

function speechText(speech: Speech): { text: string; isFinal: boolean; fromCall?: true } {
  if (speech.kind === 'beside') return { text: speech.batch.text, isFinal: false };
  const { text, fromCall } = speech.response;
  return fromCall === true ? { text, isFinal: true, fromCall } : { text, isFinal: true };
}
