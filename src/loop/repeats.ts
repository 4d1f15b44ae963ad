import { ModelError } from '../errors/model-error.ts';
import type { BatchCall, OpenTurn, Refusal } from './state.ts';

/*
 * A model that repeats what cannot work would otherwise be paid for, or have a person asked, until the limit
 * of steps.
 */

/** How many answers in a row may hold nothing but calls that cannot be made. */
const MAX_UNUSABLE = 8;

const DENIED_BEFORE: Refusal = Object.freeze({
  outcome: 'denied',
  by: 'agent',
  reason: 'the same call was refused earlier in this turn',
});

/** The answer to a call that a person has refused in this turn; nobody is asked about it again. */
export function deniedBefore(call: BatchCall, turn: OpenTurn): Refusal | undefined {
  const { inputDigest } = call;
  if (inputDigest === undefined || turn.denied === undefined) return undefined;
  return turn.denied.includes(inputDigest) ? DENIED_BEFORE : undefined;
}

/** Remembers, for the rest of the turn, which of these calls a person has refused. */
export function noteDenied(turn: OpenTurn, answered: readonly BatchCall[]): OpenTurn {
  const digests = answered.flatMap(({ approval }) =>
    approval?.status === 'denied' ? [approval.inputDigest] : [],
  );
  return digests.length === 0 ? turn : { ...turn, denied: [...(turn.denied ?? []), ...digests] };
}

/** Counts answers whose every call has unreadable arguments, arguments that do not fit, or no tool. */
export function countUnusable(turn: OpenTurn, calls: readonly BatchCall[]): OpenTurn {
  const before = turn.unusable ?? 0;
  const unusable = calls.every(isUnusable) ? before + 1 : 0;
  return unusable === before ? turn : { ...turn, unusable };
}

/** The error that ends a turn after too many such answers in a row. */
export function unusableError(turn: OpenTurn): ModelError | undefined {
  if (turn.unusable === undefined || turn.unusable < MAX_UNUSABLE) return undefined;
  return new ModelError('unusable-calls', {
    where: `turn '${turn.turnId}', step ${turn.step}`,
    what: `the model gave ${turn.unusable} answers in a row whose calls no tool can take`,
    fix: 'See the results in the history for what was wrong; a simpler input schema or another model may help',
  });
}

function isUnusable({ refusal }: BatchCall): boolean {
  return refusal?.outcome === 'invalid' || refusal?.outcome === 'unknown-tool';
}
