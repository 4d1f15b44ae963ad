import { isThenable } from '../internal/is-thenable.ts';
import { unreachable } from '../internal/unreachable.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { fillPlaceholders, valueAt } from '../protocol/template.ts';
import { type UnsetValue, unsetRefusal } from '../protocol/unset-refusal.ts';
import type { CheckedInput, InputProblem } from './input-port.ts';
import {
  FACT_ROOTS,
  type LockFacts,
  type LockPath,
  type LockSource,
  type ToolLocks,
} from './lock-port.ts';
import type { ReadLocks } from './locked.ts';
import { isObject } from './schema-at.ts';
import { transcriptOf } from './transcript.ts';

/** An input with the locked arguments in the place of whatever stood there, as far as they have values. */
interface FilledInput {
  readonly input: JsonObject;
  readonly unset: readonly UnsetValue[];
  /** Values that cannot stand within a text. */
  readonly unfit: readonly string[];
}

/** What a tool locks, with what is done about it. */
export function toolLocks(
  read: ReadLocks,
  { check, checkPart }: Record<'check' | 'checkPart', ToolLocks['checkPart']>,
): ToolLocks {
  const strip = (input: JsonObject): JsonObject => withoutLocked(read.names, input);
  return Object.freeze({
    ...read,
    checkPart,
    check: (given: JsonValue, facts: LockFacts) => {
      if (!isObject(given)) return check(given);
      const filled = fillLocks(read, given, facts);
      const refusal = refusalOf(filled);
      if (refusal === undefined) return check(filled.input);
      const part = checkPart(strip(given));
      const answer = (checked: CheckedInput): CheckedInput =>
        'problem' in checked ? checked : refusal;
      return isThenable(part) ? part.then(answer) : answer(part);
    },
    fill: (given: JsonObject, facts: LockFacts) => fillLocks(read, given, facts).input,
    strip,
  });
}

function refusalOf({ unset, unfit }: FilledInput): InputProblem | undefined {
  if (unset.length > 0) return { problem: unsetRefusal(unset), refused: true };
  if (unfit.length === 0) return undefined;
  return { problem: `what this conversation has as ${unfit.join(', ')} cannot be part of a text` };
}

function fillLocks(locks: ReadLocks, given: JsonObject, facts: LockFacts): FilledInput {
  const input: Record<string, JsonValue | undefined> = { ...withoutLocked(locks.names, given) };
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

function withoutLocked(names: readonly string[], input: JsonObject): JsonObject {
  if (!names.some((name) => Object.hasOwn(input, name))) return input;
  const kept = Object.entries(input).filter(([name]) => !names.includes(name));
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

function unsetValue(path: LockPath, { hints }: ReadLocks, { describe }: LockFacts): UnsetValue {
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
