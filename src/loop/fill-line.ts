import type { JsonValue } from '../protocol/json.ts';
import {
  FACT_ROOTS,
  fillPlaceholders,
  type Placeholder,
  placeholdersIn,
  valueAt,
} from '../protocol/template.ts';

/** What the placeholders of a line may name. */
export interface LineValues {
  /** By the first name of a path; what is in none of them is looked up in the state. */
  readonly roots: ReadonlyMap<string, JsonValue>;
  readonly state: { readonly [field: string]: JsonValue | undefined };
  /** A value in words. */
  readonly say: (value: JsonValue, from: 'root' | 'state', path: readonly string[]) => string;
}

/** Names that are no fields of a state. */
export const LINE_ROOTS: readonly string[] = ['result', ...FACT_ROOTS];

/** The line with its values in it, once; nothing where one of them is absent, null or an empty text. */
export function fillLine(line: string, values: LineValues): string | undefined {
  const parts: string[] = [];
  for (const { path = [] } of placeholdersIn(line)) {
    const [value, from] = lookUp(path, values);
    if (isUnset(value)) return undefined;
    parts.push(values.say(value, from, path));
  }
  return fillPlaceholders(line, parts);
}

/** The placeholders of lines that nothing fills, each once. */
export function unsetIn(lines: readonly string[], values: LineValues): readonly Placeholder[] {
  const unset = new Map<string, Placeholder>();
  for (const placeholder of lines.flatMap(placeholdersIn)) {
    const [value] = lookUp(placeholder.path ?? [], values);
    if (isUnset(value)) unset.set(placeholder.text, placeholder);
  }
  return [...unset.values()];
}

function isUnset(value: JsonValue | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === '';
}

function lookUp(
  [root = '', ...keys]: readonly string[],
  { roots, state }: LineValues,
): readonly [value: JsonValue | undefined, from: 'root' | 'state'] {
  const value = roots.get(root);
  return value === undefined
    ? [valueAt(state, [root, ...keys]), 'state']
    : [valueAt(value, keys), 'root'];
}
