import type { JsonObject } from '../protocol/json.ts';
import { FACT_ROOTS, type Lock, type LockPath, type ToolLocks } from '../tools/lock-port.ts';
import { pathsOf } from '../tools/locked.ts';
import type { ToolRegistry } from '../tools/port.ts';
import { faulty, nearestOf, type RulePlace } from '../tools/result-rules.ts';
import { formsOf, schemaAt } from '../tools/schema-at.ts';
import { type Misfit, misfitOf, type Rooted } from '../tools/schema-fits.ts';
import type { StateSchema } from './state-schema.ts';

/** Checks what the locks of tools say of the state of this agent. Throws `ConfigError` for one that could never be filled. */
export function checkLocks(tools: ToolRegistry, state: StateSchema | undefined): void {
  for (const { name } of tools.descriptions) {
    const locks = tools.get(name)?.locks;
    for (const lock of locks?.locks ?? []) {
      const option = `locked.${lock.name.slice(0, 80)}`;
      const place: RulePlace = { where: `tool '${name}'`, code: 'invalid-tool', option };
      for (const path of pathsOf(lock.source)) checkPath(place, path, { lock, locks, state });
    }
  }
}

function checkPath(
  place: RulePlace,
  path: LockPath,
  about: {
    readonly lock: Lock;
    readonly locks: ToolLocks | undefined;
    readonly state: StateSchema | undefined;
  },
): void {
  const { lock, locks, state } = about;
  const [root, ...keys] = path;
  const written = path.join('.').slice(0, 80);
  if (FACT_ROOTS.includes(root)) {
    if (state?.fields.includes(root) !== true) return;
    const what = `'{{${written}}}' means a fact of the run and a field of the state at once`;
    throw faulty(place, what, 'Give the field another name');
  }
  if (state === undefined) {
    const what = `it names '${written}' of the state of the thread, and the agent has none`;
    throw faulty(place, what, 'Give `createAgent` a `stateSchema`');
  }
  if (!state.has(path)) {
    const what = `it names '${written}', which the state does not have`;
    throw faulty(place, what, nearIn(path, state));
  }
  const whole = state.jsonSchema(root);
  const found = schemaAt(whole, keys);
  if (found === undefined || !('schema' in found)) return;
  const gives = withoutNull(found.schema, whole);
  const takes = { schema: lock.takes, root: locks?.schema ?? {} };
  const misfit = gives && misfitFor(lock, gives, takes);
  if (misfit === undefined) return;
  const part = [...path, ...misfit.path].join('.');
  const target = [lock.name, ...misfit.path].join('.');
  const what = `'${part}' may be ${misfit.gives}, and the argument '${target}' takes ${misfit.takes}`;
  throw faulty(place, what, 'Let one of the two schemas be as the other');
}

/** Among the names that stand where the first wrong one does. */
function nearIn([root, ...keys]: LockPath, state: StateSchema): string {
  const found = state.fields.includes(root) ? schemaAt(state.jsonSchema(root), keys) : undefined;
  return found !== undefined && 'stray' in found
    ? nearestOf(found.stray, found.known)
    : nearestOf(root, [...state.fields, 'session', 'sender', 'channel']);
}

/** A value that is null is one that is not set, with which no call is made. */
function withoutNull(schema: JsonObject, root: JsonObject): Rooted | undefined {
  const forms = formsOf(schema, root)?.filter(({ type }) => type !== 'null');
  return forms && { schema: { anyOf: forms }, root };
}

/** Within a text, what matters is that the value has a form as text. */
function misfitFor({ source }: Lock, gives: Rooted, takes: Rooted): Misfit | undefined {
  if (source.type !== 'text') return misfitOf(gives, takes);
  const misfit = misfitOf(gives, { schema: { type: [...IN_TEXT] }, root: {} });
  return misfit && { ...misfit, path: [], takes: 'a text, in which that cannot stand' };
}

const IN_TEXT: readonly string[] = ['string', 'number', 'boolean'];
