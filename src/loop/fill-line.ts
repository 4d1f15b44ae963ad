import type { JsonValue } from '../protocol/json.ts';
import { fillPlaceholders, placeholdersIn, valueAt } from '../protocol/template.ts';

/** What the placeholders of a line may name. */
export interface LineValues {
  /** By the first name of a path; what is in none of them is looked up in the state. */
  readonly roots: ReadonlyMap<string, JsonValue>;
  readonly state: { readonly [field: string]: JsonValue | undefined };
}

/** Names that are no fields of a state; `call` is what `session` is. */
export const LINE_ROOTS: readonly string[] = ['result', 'session', 'call', 'sender', 'channel'];

/** The line with its values in it, once; nothing where one of them is absent, null or an empty text. */
export function fillLine(line: string, values: LineValues): string | undefined {
  const parts: string[] = [];
  for (const { path } of placeholdersIn(line)) {
    const value = path && lookUp(path, values);
    if (value === undefined || value === null || value === '') return undefined;
    parts.push(typeof value === 'string' ? value : JSON.stringify(value));
  }
  return fillPlaceholders(line, parts);
}

function lookUp(
  [root = '', ...keys]: readonly string[],
  { roots, state }: LineValues,
): JsonValue | undefined {
  const value = roots.get(root);
  return value === undefined ? valueAt(state, [root, ...keys]) : valueAt(value, keys);
}
