import { isThenable } from '../internal/is-thenable.ts';
import type { MaybePromise } from '../internal/maybe-promise.ts';
import { unreachable } from '../internal/unreachable.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { fillPlaceholders, valueAt } from '../protocol/template.ts';
import { type UnsetValue, unsetRefusal } from '../protocol/unset-refusal.ts';
import type { InputProblem } from './input-problem.ts';
import {
  FACT_ROOTS,
  type LockFacts,
  type LockPath,
  type LockSource,
  type ToolLocks,
} from './lock-port.ts';
import type { ToolPort } from './port.ts';
import { transcriptOf } from './transcript.ts';

type Checked = { readonly input: JsonObject } | InputProblem;

/** An input with the locked arguments in the place of whatever stood there, as far as they have values. */
interface FilledInput {
  readonly input: JsonObject;
  readonly unset: readonly UnsetValue[];
  /** Values that cannot stand within a text. */
  readonly unfit: readonly string[];
}

/**
 * Fills the locks and checks the whole, so that what comes back is what the tool takes. What the model gives is looked
 * at first: a call that it has to make anew anyway is not refused over a value that nobody has.
 */
export function checkLocked(
  tool: Pick<ToolPort<never>, 'check'> & { readonly locks: ToolLocks },
  given: JsonValue,
  facts: LockFacts,
): MaybePromise<Checked> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return tool.check(given);
  const filled = fillLocks(tool.locks, given as JsonObject, facts); // an object, by the line before
  const refusal = refusalOf(filled);
  if (refusal === undefined) return tool.check(filled.input);
  const part = tool.locks.checkPart(withoutLocked(tool.locks, given as JsonObject));
  const answer = (checked: Checked): Checked => ('problem' in checked ? checked : refusal);
  return isThenable(part) ? part.then(answer) : answer(part);
}

function refusalOf({ unset, unfit }: FilledInput): InputProblem | undefined {
  if (unset.length > 0) return { problem: unsetRefusal(unset), refused: true };
  if (unfit.length === 0) return undefined;
  return { problem: `what this conversation has as ${unfit.join(', ')} cannot be part of a text` };
}

export function fillLocks(locks: ToolLocks, given: JsonObject, facts: LockFacts): FilledInput {
  const input: Record<string, JsonValue | undefined> = { ...withoutLocked(locks, given) };
  const unset = new Map<string, UnsetValue>();
  const unfit = new Set<string>();
  const read = (path: LockPath): JsonValue | undefined => {
    const value = lookUp(path, facts);
    if (value !== undefined && value !== null && value !== '') return value;
    const one = unsetValue(path, locks, facts);
    unset.set(one.name, one);
    return undefined;
  };
  const inText = (path: LockPath): string => {
    const value = read(path);
    if (typeof value === 'object') unfit.add(path.join('.'));
    return String(value ?? '');
  };
  for (const { name, source } of locks.locks) {
    const value = filledBy(source, { read, inText, facts });
    if (value !== undefined) input[name] = value;
  }
  // As plain and as frozen as what it was made from, where that is the engine's own.
  const whole = (Object.isFrozen(given) ? Object.freeze(input) : input) as JsonObject;
  return { input: whole, unset: [...unset.values()], unfit: [...unfit] };
}

/** The input as it may be stored and told of; the very same where nothing of it is locked. */
export function withoutLocked(locks: Pick<ToolLocks, 'names'>, input: JsonObject): JsonObject {
  if (!locks.names.some((name) => Object.hasOwn(input, name))) return input;
  const kept = Object.entries(input).filter(([name]) => !locks.names.includes(name));
  return Object.freeze(Object.fromEntries(kept));
}

function filledBy(
  source: LockSource,
  from: {
    readonly read: (path: LockPath) => JsonValue | undefined;
    readonly inText: (path: LockPath) => string;
    readonly facts: LockFacts;
  },
): JsonValue | undefined {
  switch (source.type) {
    case 'value':
      return source.value;
    case 'path':
      return from.read(source.path);
    case 'text':
      return fillPlaceholders(source.text, source.paths.map(from.inText));
    case 'transcript':
      return transcriptOf(from.facts.conversation(), source);
    default:
      return unreachable(source, 'lock');
  }
}

function lookUp(path: LockPath, { facts, state }: LockFacts): JsonValue | undefined {
  const [root, ...keys] = path;
  return FACT_ROOTS.includes(root)
    ? valueAt({ root: facts(root) }, ['root', ...keys])
    : state(path);
}

function unsetValue(path: LockPath, { hints }: ToolLocks, { describe }: LockFacts): UnsetValue {
  const name = path.join('.');
  const hint = hints.get(name);
  const isFact = FACT_ROOTS.includes(path[0]);
  const description = isFact ? undefined : describe?.(path);
  return {
    name,
    ...(description !== undefined && { description }),
    ...(hint !== undefined && { hint }),
    ...(isFact && { isFact }),
  };
}
