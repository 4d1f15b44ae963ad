import type { JsonObject } from '../protocol/json.ts';
import type { ToolPort, ToolRegistry } from '../tools/port.ts';
import type { Assign, ReplyRule, ResultRules } from '../tools/result-port.ts';
import {
  at,
  checkResultPath,
  faulty,
  nearestOf,
  type RulePlace,
  readAssign,
} from '../tools/result-rules.ts';
import { schemaAt } from '../tools/schema-at.ts';
import { misfitOf } from '../tools/schema-fits.ts';
import { checkLines, checkReply, readAgentReplies } from './reply-rules.ts';
import type { StateSchema } from './state-schema.ts';

interface Place {
  readonly tools: ToolRegistry;
  readonly state: StateSchema | undefined;
}

/**
 * What becomes of the results of each tool, by what the agent says and the tool itself; nothing where nobody says
 * anything. Throws `ConfigError` for a rule that could never hold.
 */
export function resultRulesOf(
  given: { readonly assign?: unknown; readonly replies?: unknown },
  place: Place,
): ReadonlyMap<string, ResultRules> | undefined {
  const assign = readAgentAssign(given.assign, place);
  const replies = readAgentReplies(given.replies, place);
  const rules = new Map<string, ResultRules>();
  for (const { name } of place.tools.descriptions) {
    const tool = place.tools.get(name);
    const own = tool?.onResult;
    const [rows, lines] = [assign.get(name) ?? [], replies.get(name) ?? []];
    if (tool === undefined || (own === undefined && rows.length + lines.length === 0)) continue;
    checkOwn(tool, place.state);
    rules.set(name, withOwn(own, rows, lines));
  }
  return rules.size === 0 ? undefined : rules;
}

/**
 * What the agent says goes over what a tool says for every agent: its lines are tried first, and of two rows for one
 * field the latter counts.
 */
function withOwn(
  own: ResultRules | undefined,
  rows: readonly Assign[],
  lines: readonly ReplyRule[],
): ResultRules {
  return Object.freeze({
    ...own,
    assign: [...(own?.assign ?? []), ...rows],
    replies: [...lines, ...(own?.replies ?? [])],
  });
}

/** What only an agent can say of the rules of a tool: whether its state has what they name. */
function checkOwn(tool: ToolPort<never>, state: StateSchema | undefined): void {
  const { assign = [], replies = [], goodbye } = tool.onResult ?? {};
  const place = { where: `tool '${tool.name}'`, code: 'invalid-tool' } as const;
  checkFields({ ...place, option: 'assign' }, assign, { tool, state });
  for (const [index, reply] of replies.entries())
    checkReply(at({ ...place, option: 'replies' }, index), reply, state);
  if (goodbye !== undefined) checkLines({ ...place, option: 'goodbye' }, [goodbye], state);
}

function readAgentAssign(given: unknown, place: Place): ReadonlyMap<string, readonly Assign[]> {
  const read = new Map<string, readonly Assign[]>();
  for (const [name, rows] of Object.entries(given ?? {})) {
    const option = `assign.${name.slice(0, 80)}`;
    const here: RulePlace = { where: 'createAgent', code: 'invalid-option', option };
    const tool = toolNamed(name, here, place.tools);
    const assign = readAssign(here, rows);
    for (const [index, { path }] of assign.entries())
      checkResultPath(at(here, index), path, tool.resultSchema);
    checkFields(here, assign, { tool, state: place.state });
    read.set(name, assign);
  }
  return read;
}

/** The tool of a rule. Throws for one the agent does not have, with the nearest it has. */
function toolNamed(name: string, place: RulePlace, tools: ToolRegistry): ToolPort<never> {
  const tool = tools.get(name);
  if (tool !== undefined) return tool;
  const known = tools.descriptions.map((one) => one.name);
  throw faulty(place, 'it names a tool that the agent does not have', nearestOf(name, known));
}

/** What is saved has a field that may hold it. */
function checkFields(
  place: RulePlace,
  rows: readonly Assign[],
  { tool, state }: { readonly tool: ToolPort<never>; readonly state: StateSchema | undefined },
): void {
  for (const [index, row] of rows.entries()) {
    const here = at(place, index);
    if (state === undefined) {
      const what = 'it saves in the state of the thread, and the agent has none';
      throw faulty(here, what, 'Give `createAgent` a `stateSchema`');
    }
    const { field } = row;
    if (!state.fields.includes(field)) {
      const what = `\`stateSchema\` has no field '${field.slice(0, 80)}'`;
      throw faulty(here, what, nearestOf(field, state.fields));
    }
    checkFit(here, row, { gives: tool.resultSchema?.(), takes: state.jsonSchema(field) });
  }
}

function checkFit(
  place: RulePlace,
  { field, path }: Assign,
  { gives, takes }: { readonly gives: JsonObject | undefined; readonly takes: JsonObject },
): void {
  const found = gives && schemaAt(gives, path);
  if (gives === undefined || found === undefined || !('schema' in found)) return;
  const misfit = misfitOf({ schema: found.schema, root: gives }, { schema: takes, root: takes });
  if (misfit === undefined) return;
  const part = ['result', ...path, ...misfit.path].join('.');
  const target = [field, ...misfit.path].join('.');
  throw faulty(
    place,
    `'${part}' may be ${misfit.gives}, and the state field '${target}' takes ${misfit.takes}`,
    'Let one of the two schemas be as the other',
  );
}
