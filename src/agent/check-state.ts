import { ConfigError } from '../errors/config-error.ts';
import { isJson } from '../internal/is-json.ts';
import { nearestName } from '../internal/nearest-name.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { placeholdersIn } from '../protocol/template.ts';
import { readStateSchema, type StateSchema } from './state-schema.ts';

/** Reads the schema of an agent and checks the texts that name its fields. Throws `ConfigError` before anything is built. */
export function stateOf(options: {
  readonly stateSchema?: unknown;
  readonly instructions?: string;
  readonly fallbacks?: { readonly [cause: string]: string | undefined };
  readonly compaction?: { readonly instructions?: string };
}): StateSchema | undefined {
  const { stateSchema, instructions = '', fallbacks = {}, compaction } = options;
  if (stateSchema === undefined) return undefined;
  const schema = readStateSchema(stateSchema);
  checkPlaceholders('createAgent: instructions', instructions, schema);
  checkPlaceholders('createAgent: compaction.instructions', compaction?.instructions ?? '', schema);
  for (const [cause, text = ''] of Object.entries(fallbacks))
    checkPlaceholders(`createAgent: fallbacks.${cause}`, text, schema);
  return schema;
}

/** A turn that goes on may have nothing to commit, and then nothing would be set. */
export function refuseState(state: unknown): void {
  if (state === undefined) return;
  const what = 'state is set where a turn begins, and there is no message';
  throw invalid('agent.runStep: state', what, 'Pass `state` together with `message`');
}

/** Refuses placeholders that nobody could fill, where a text is given and not where it is first shown. */
function checkPlaceholders(where: string, text: string, schema: StateSchema): void {
  for (const placeholder of placeholdersIn(text)) {
    const { path } = placeholder;
    if (path !== undefined && schema.has(path)) continue;
    const nearest = nearestName(path?.[0] ?? '', schema.fields);
    throw new ConfigError('invalid-option', {
      where,
      what: `the placeholder '{{${placeholder.text.slice(0, 80)}}}' names nothing of \`stateSchema\``,
      fix:
        nearest === undefined || nearest === path?.[0]
          ? `Name a field, or a key below one; the fields are: ${schema.fields.join(', ')}`
          : `Did you mean '{{${nearest}}}'?`,
    });
  }
}

/** The `state` of a run as it will be stored. Throws for what the schema refuses; members that are `undefined` are left out. */
export function readRunState(
  where: string,
  state: unknown,
  schema: StateSchema | undefined,
): JsonObject | undefined {
  if (state === undefined) return undefined;
  const place = `${where}: state`;
  if (schema === undefined) {
    throw invalid(
      place,
      'the agent has no `stateSchema`',
      'Give `createAgent` one, or leave it out',
    );
  }
  if (!isJson(state) || typeof state !== 'object' || state === null || Array.isArray(state)) {
    throw invalid(place, 'it is no object of plain JSON', 'Pass `{ field: value, ... }`');
  }
  const values: Record<string, JsonValue> = {};
  for (const [field, value] of Object.entries(state)) {
    if (value === undefined) continue;
    if (!schema.fields.includes(field)) {
      throw invalid(place, 'it has a field that `stateSchema` has not', fieldsFix(field, schema));
    }
    const checked = schema.check(field, value);
    if ('code' in checked) throw invalid(`${place}.${field}`, checked.what, checked.fix);
    values[field] = checked.value;
  }
  return Object.freeze(values);
}

/** The name may be a value, so only one of the schema's is told. */
function fieldsFix(field: string, { fields }: StateSchema): string {
  const nearest = nearestName(field, fields);
  return nearest === undefined
    ? `The fields are: ${fields.join(', ')}`
    : `Did you mean '${nearest}'?`;
}

function invalid(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-input', { where, what, fix });
}
