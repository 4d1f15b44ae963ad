import { LINE_ROOTS } from '../loop/fill-line.ts';
import type { Placeholder } from '../protocol/template.ts';
import type { ToolRegistry } from '../tools/port.ts';
import { checkReplyParts, checkValues, readReply, stateNamesIn } from '../tools/reply-rules.ts';
import type { ReplyRule } from '../tools/result-port.ts';
import { at, faulty, nearestOf, type RulePlace } from '../tools/result-rules.ts';
import { schemaAt } from '../tools/schema-at.ts';
import { endsAnyway } from '../tools/tool-rules.ts';
import type { StateSchema } from './state-schema.ts';

/** The lines of an agent by the tool they name, in their order. Throws `ConfigError`. */
export function readAgentReplies(
  given: unknown,
  { tools, state }: { readonly tools: ToolRegistry; readonly state: StateSchema | undefined },
): ReadonlyMap<string, readonly ReplyRule[]> {
  const read = new Map<string, ReplyRule[]>();
  const lines: readonly unknown[] = Array.isArray(given) ? given : [];
  const option: RulePlace = { where: 'createAgent', code: 'invalid-option', option: 'replies' };
  for (const [index, line] of lines.entries()) {
    const here = at(option, index);
    const { tool: name, ...rest } = { tool: undefined, ...(isObject(line) ? line : {}) };
    const known = tools.descriptions.map((one) => one.name);
    if (typeof name !== 'string')
      throw faulty(here, 'it names no `tool`', `Say which one it is about: ${known.join(', ')}`);
    const tool = tools.get(name);
    if (tool === undefined) {
      const what = 'it names a tool that the agent does not have';
      throw faulty(here, what, nearestOf(name, known));
    }
    if (tool.onResult?.endsConversation === true) throw endsAnyway(here);
    const reply = readReply(here, rest);
    checkReplyParts(here, reply, tool.resultSchema);
    checkReply(here, reply, state);
    read.set(name, [...(read.get(name) ?? []), reply]);
  }
  return read;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Checks what a line says of the state: that it has such fields, and such values. Throws `ConfigError`. */
export function checkReply(
  place: RulePlace,
  reply: ReplyRule,
  state: StateSchema | undefined,
): void {
  for (const wanted of reply.state) {
    const here = { ...place, option: `${place.option}.state` };
    const [field = '', ...keys] = wanted.path;
    checkName(here, [field, ...keys], { state, also: ['result'] });
    const root = state?.jsonSchema(field);
    if (root !== undefined) checkValues(here, wanted, { at: schemaAt(root, keys), root });
  }
  checkLines(place, reply.say, state);
}

/** Checks the placeholders of lines, but those of the result. Throws `ConfigError` for one that nobody could fill. */
export function checkLines(
  place: RulePlace,
  lines: readonly string[],
  state: StateSchema | undefined,
): void {
  checkNames(place, stateNamesIn(lines), { state, also: ['result'] });
}

/** What there is to name, beside the facts of the run. */
interface Known {
  readonly state: StateSchema | undefined;
  readonly also: readonly string[];
}

/** The same for placeholders. */
export function checkNames(place: RulePlace, names: readonly Placeholder[], known: Known): void {
  for (const { path, text } of names) {
    const written = `{{${text.slice(0, 80)}}}`;
    if (path === undefined) {
      const what = `'${written}' names nothing`;
      throw faulty(place, what, 'Name a value, as in `{{result.id}}` or `{{name}}`');
    }
    if (LINE_ROOTS.includes(path[0])) {
      if (known.state?.fields.includes(path[0]) !== true) continue;
      const what = `'${written}' means a fact of the run and a field of the state at once`;
      throw faulty(place, what, 'Give the field another name');
    }
    checkName(place, path, known);
  }
}

function checkName(
  place: RulePlace,
  path: readonly [string, ...string[]],
  { state, also }: Known,
): void {
  if (state?.has(path) === true) return;
  const [root] = path;
  const fields = state?.fields ?? [];
  const what = `it names '${path.join('.').slice(0, 80)}', which the state does not have`;
  const known = fields.includes(root) ? fields : [...fields, ...also, ...LINE_ROOTS];
  throw faulty(place, what, nearestOf(root, known));
}
