import { deepFreeze } from '../internal/deep-freeze.ts';
import { isJson } from '../internal/is-json.ts';
import { jsonEqual } from '../internal/json-equal.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { type Placeholder, placeholdersIn } from '../protocol/template.ts';
import type { ReplyRule, Wanted } from './result-port.ts';
import { checkResultPath, faulty, membersOf, type RulePlace } from './result-rules.ts';
import { formsOf, type SchemaAt, schemaAt, typeOf, valuesOf } from './schema-at.ts';

/** Reads a line, whose author may have had no types. Throws `ConfigError` for one that could never be said. */
export function readReply(place: RulePlace, given: unknown): ReplyRule {
  const isOfTool = typeof given === 'object' && given !== null && 'tool' in given;
  if (isOfTool) {
    const what = '`tool` is set, and a line of a tool is about that tool';
    throw faulty(
      place,
      what,
      'Leave `tool` out, or pass the line to `createAgent` as one of `replies`',
    );
  }
  const { when, state, say } = membersOf(place, given, ['when', 'state', 'say']);
  return Object.freeze({
    when: readWanted(place, 'when', when),
    state: readWanted(place, 'state', state),
    say: readSay(place, say),
  });
}

function readSay(place: RulePlace, say: unknown): readonly string[] {
  const lines: readonly unknown[] = Array.isArray(say) ? say : [say];
  const isText = (line: unknown): line is string => typeof line === 'string' && line.trim() !== '';
  if (lines.length === 0 || !lines.every(isText))
    throw faulty(place, '`say` is no text', 'Pass a line, or a list of lines that take turns');
  return Object.freeze([...lines]);
}

function readWanted(place: RulePlace, option: string, given: unknown = {}): readonly Wanted[] {
  const fix = `Pass lists of values by name, such as \`{ ${option}: { status: ['held'] } }\``;
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw faulty(place, `\`${option}\` is no object`, fix);
  return Object.entries(given).map(([name, values]: [string, unknown]): Wanted => {
    if (!Array.isArray(values) || values.length === 0 || !isJson(values))
      throw faulty(place, `\`${option}.${name.slice(0, 80)}\` is no list of values`, fix);
    return deepFreeze({ path: name.split('.'), values: structuredClone(values) });
  });
}

/** Checks what a line says of the result: that there are such parts, and such values. Throws `ConfigError`. */
export function checkReplyParts(
  place: RulePlace,
  { when, say }: ReplyRule,
  resultSchema: (() => JsonObject) | undefined,
): void {
  for (const { path, values } of when) {
    const here = { ...place, option: `${place.option}.when` };
    checkResultPath(here, path, resultSchema);
    const root = resultSchema?.();
    if (root !== undefined) checkValues(here, { path, values }, { at: schemaAt(root, path), root });
  }
  for (const { path = [] } of say.flatMap(placeholdersIn))
    if (path[0] === 'result') checkResultPath(place, path.slice(1), resultSchema);
}

/** Refuses values that never occur: what is counted in the schema says which do. */
export function checkValues(
  place: RulePlace,
  { path, values }: Wanted,
  found: { readonly at: SchemaAt | undefined; readonly root: JsonObject },
): void {
  if (found.at === undefined || 'stray' in found.at) return;
  const forms = formsOf(found.at.schema, found.root);
  if (forms === undefined) return;
  const stray = values.find((value) => value !== null && !forms.some((form) => takes(form, value)));
  if (stray === undefined) return;
  const held = [...new Set(forms.map(wordsOf))].join(', ');
  const what = `'${path.join('.')}' never is ${JSON.stringify(stray)?.slice(0, 80)}`;
  throw faulty(place, what, `What it holds is ${held}`);
}

function takes(form: JsonObject, value: JsonValue): boolean {
  const values = valuesOf(form);
  if (values !== undefined) return values.some((one) => jsonEqual(one, value));
  const type = form['type'] === 'integer' ? 'number' : form['type'];
  return type === typeOf(value);
}

function wordsOf(form: JsonObject): string {
  return (
    valuesOf(form)
      ?.map((value) => JSON.stringify(value))
      .join(', ') ?? `any ${form['type']}`
  );
}

/** The placeholders of lines, but those of the result. */
export function stateNamesIn(lines: readonly string[]): readonly Placeholder[] {
  return lines.flatMap(placeholdersIn).filter(({ path }) => path?.[0] !== 'result');
}
