import { type ConfigCode, ConfigError } from '../errors/config-error.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { JsonObject } from '../protocol/json.ts';
import { checkKnown } from './check-options.ts';
import type { Assign } from './result-port.ts';
import { schemaAt } from './schema-at.ts';

/** Where a rule is written, for what is said of a faulty one. */
export interface RulePlace {
  readonly where: string;
  readonly option: string;
  readonly code: ConfigCode;
}

/** Reads the rows of an `assign` option, whose author may have had no types. Throws `ConfigError`. */
export function readAssign(place: RulePlace, given: unknown): readonly Assign[] {
  if (!Array.isArray(given)) throw faulty(place, 'it is no list', ASSIGN_FORM);
  return Object.freeze(given.map((row: unknown, index) => readRow(at(place, index), row)));
}

const ASSIGN_FORM = "Pass rows such as `{ field: 'order_id', path: ['id'] }`";

function readRow(place: RulePlace, row: unknown): Assign {
  const { field, path } = membersOf(place, row, ['field', 'path']);
  if (typeof field !== 'string') throw faulty(place, '`field` is no text', ASSIGN_FORM);
  if (!Array.isArray(path) || !path.every((key) => typeof key === 'string'))
    throw faulty(place, '`path` is no list of keys', `${ASSIGN_FORM}; \`[]\` is the whole result`);
  return Object.freeze({ field, path: Object.freeze([...path]) });
}

/** The members of a row that is an object, and of no others than these. */
export function membersOf(
  place: RulePlace,
  row: unknown,
  known: readonly string[],
): Readonly<Record<string, unknown>> {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw faulty(place, 'it is no object', `The members are ${known.join(', ')}`);
  checkKnown(`${place.where}: ${place.option}`, Object.keys(row), known);
  return { ...row };
}

/** Throws `ConfigError` for a part that no result has, with the nearest that one has. */
export function checkResultPath(
  place: RulePlace,
  path: readonly string[],
  resultSchema: (() => JsonObject) | undefined,
): void {
  if (path.length === 0) return;
  if (resultSchema === undefined) {
    const what = 'it names a part of a result whose schema is not known';
    throw faulty(place, what, 'Name the output of the tool: set its `outputSchema`');
  }
  const found = schemaAt(resultSchema(), path);
  if (found === undefined || 'schema' in found) return;
  const { stray, known } = found;
  const what = `it names '${path.join('.').slice(0, 80)}', and a result has no '${stray.slice(0, 80)}' there`;
  throw faulty(place, what, nearestOf(stray, known));
}

/** What to write in the place of a name that nothing has. */
export function nearestOf(stray: string, known: readonly string[]): string {
  const nearest = nearestName(stray, known);
  if (nearest !== undefined && nearest !== stray) return `Did you mean '${nearest}'?`;
  return `Name one of: ${known.join(', ') || '(there are none)'}`;
}

export function at(place: RulePlace, index: number): RulePlace {
  return { ...place, option: `${place.option}[${index}]` };
}

export function faulty({ where, option, code }: RulePlace, what: string, fix: string): ConfigError {
  return new ConfigError(code, { where: `${where}: ${option}`, what, fix });
}
