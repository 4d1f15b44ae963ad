import { readText } from '../internal/read-text.ts';
import { POINTS } from './points.ts';

/** What is wrong with throwing a decision, in words; nothing for whatever else a hook threw. Never throws. */
export function aboutThrown(
  thrown: unknown,
): { readonly detail: string; readonly fix: string } | undefined {
  if (typeof thrown !== 'object' || thrown === null || isError(thrown)) return undefined;
  const type = readText(thrown, 'type');
  const isDecision = Object.values(POINTS).some(({ codec }) => codec?.types.includes(type ?? ''));
  if (!isDecision) return undefined;
  return {
    detail: `the hook threw a decision ('${type}'), which counts as a failure and not as its answer`,
    fix: 'Write `return` in the place of `throw`',
  };
}

function isError(value: object): boolean {
  try {
    return value instanceof Error;
  } catch {
    // What cannot be looked at is no decision.
    return true;
  }
}
