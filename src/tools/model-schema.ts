import { deepFreeze } from '../internal/deep-freeze.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import {
  ANYTHING,
  asPart,
  assembled,
  chosen,
  keptMembers,
  labelOf,
  NO_PART,
  NOTHING,
  type Part,
} from './copy-parts.ts';
import { formatWords } from './format-words.ts';
import { inlineRefs } from './inline-refs.ts';
import { withOneType } from './one-type.ts';
import { isSchemaObject, listOf, mapMembers } from './schema-keywords.ts';
import { inputPlace, refuseSchema, type SchemaPlace } from './schema-place.ts';
import { settle } from './settle-schema.ts';

export interface ModelSchemaOptions {
  /** Arguments that are not the model's to give: the copy does not mention them. */
  readonly without?: readonly string[];
}

/**
 * The plainer copy of a tool's JSON Schema that a model reads, while the full one goes on checking: no reference
 * and no list of types, formats and patterns as words, no null where leaving the value out says the same. Every
 * property stays, under its own name. Frozen; the same schema always gives the same bytes. Throws `ConfigError`
 * for a schema that refers to itself and for one that is too large once its references are written out.
 */
export function modelSchema(
  toolName: string,
  full: JsonObject,
  options: ModelSchemaOptions = {},
): JsonObject {
  const place = inputPlace(toolName);
  return plainCopy(place, inlineRefs(place, withoutArguments(full, options.without ?? [])));
}

/** The same for a schema without references. */
export function plainCopy(place: SchemaPlace, inlined: JsonValue): JsonObject {
  const copy = new PlainCopy(place).copy(inlined, false);
  // One provider wants to see that there are none.
  return deepFreeze({ ...copy, properties: copy['properties'] ?? {} });
}

/** A JSON Schema of an object without some of its properties. */
export function withoutArguments(full: JsonObject, names: readonly string[]): JsonObject {
  const { properties, required, ...rest } = full;
  if (names.length === 0 || !isSchemaObject(properties)) return full;
  const isLeft = (name: unknown): boolean => !names.some((one) => one === name);
  const left = Object.entries(properties).filter(([name]) => isLeft(name));
  const needed = listOf(required).filter(isLeft);
  return {
    ...rest,
    properties: Object.fromEntries(left),
    ...(needed.length > 0 && { required: needed }),
  };
}

/** More than any tool has; references that fan out come to millions. */
const MAX_SCHEMAS = 10_000;
const MAX_LISTED_NAMES = 64;

class PlainCopy {
  readonly #place: SchemaPlace;
  #left = MAX_SCHEMAS;

  constructor(place: SchemaPlace) {
    this.#place = place;
  }

  /** `omittable` says that the value may be left out where it stands. */
  copy(schema: JsonValue, omittable: boolean): JsonObject {
    this.#count();
    const settled = settle(schema, omittable);
    if (settled === false) return NOTHING;
    if (settled === true) return ANYTHING;
    const node = withOneType(settled);
    return assembled(node, [
      { members: keptMembers(node), words: formatWords(node) },
      this.#objectPart(node),
      this.#arrayPart(node),
      { members: {}, words: this.#negatedWords(node) },
      ...this.#choices(node, omittable).map(asPart),
    ]);
  }

  #count(): void {
    this.#left -= 1;
    if (this.#left >= 0) return;
    throw refuseSchema(this.#place, {
      what: `\`${this.#place.member}\` comes to more than ${MAX_SCHEMAS} fields and choices once its references are written out`,
      fix: 'Give the tool a smaller input, or take a part of it as a text with JSON',
    });
  }

  #objectPart(node: JsonObject): Part {
    const { properties, patternProperties, additionalProperties: rest } = node;
    const listed = this.#listedNames(node);
    if (listed !== undefined) return { members: listed, words: [] };
    const required = listOf(node['required']);
    const members = {
      ...(isSchemaObject(properties) && {
        properties: mapMembers(properties, (member, name) =>
          this.copy(member, !required.includes(name)),
        ),
      }),
      ...(isSchemaObject(patternProperties) && {
        patternProperties: mapMembers(patternProperties, (member) => this.copy(member, true)),
      }),
      ...(rest !== undefined && { additionalProperties: this.#furtherMembers(rest) }),
    };
    return { members, words: this.#nameWords(node['propertyNames']) };
  }

  #furtherMembers(rest: JsonValue): JsonValue {
    if (!isSchemaObject(rest)) return rest;
    return Object.keys(rest).length === 0 ? true : this.copy(rest, true);
  }

  /** A record whose keys are listed is an object with these properties. */
  #listedNames(node: JsonObject): JsonObject | undefined {
    const { properties, patternProperties, propertyNames, additionalProperties: value } = node;
    if (properties !== undefined || patternProperties !== undefined) return undefined;
    if (!isSchemaObject(propertyNames) || !isSchemaObject(value)) return undefined;
    const names = listOf(withOneType(propertyNames)['enum']).map(String);
    if (names.length === 0 || names.length > MAX_LISTED_NAMES) return undefined;
    const required = listOf(node['required']);
    const members = names.map((name) => [name, this.copy(value, !required.includes(name))]);
    return { properties: Object.fromEntries(members), additionalProperties: false };
  }

  #nameWords(names: JsonValue | undefined): readonly string[] {
    if (names === undefined) return [];
    const { type: _, ...limits } = this.copy(names, false);
    return Object.keys(limits).length === 0
      ? []
      : [`The name of each member must fit ${JSON.stringify(limits)}.`];
  }

  /** Not every dialect knows a schema for each position, and many want one for the items of any list. */
  #arrayPart(node: JsonObject): Part {
    if (node['type'] !== 'array') return NO_PART;
    const { prefixItems, items = true, maxItems } = node;
    const positions = listOf(prefixItems).map((one) => this.copy(one, false));
    const closed = items === false ? [] : [this.copy(items, false)];
    // What may follow is mostly anything because nobody said otherwise, and then says nothing.
    const further = positions.length > 0 && closed[0] === ANYTHING ? [] : closed;
    const one = chosen([...positions, ...further]);
    const members = {
      items: one.length === 1 && one[0] !== undefined ? one[0] : { anyOf: one },
      ...(items === false && maxItems === undefined && { maxItems: positions.length }),
    };
    const order =
      positions.length === 0 ? [] : [`In this order: ${positions.map(labelOf).join(', ')}.`];
    return {
      members: one.length === 0 ? { ...members, items: ANYTHING } : members,
      words: [...order, ...this.#containedWords(node)],
    };
  }

  #containedWords({ contains, minContains = 1, maxContains }: JsonObject): readonly string[] {
    if (contains === undefined) return [];
    const most = maxContains === undefined ? '' : ` and at most ${maxContains}`;
    return [
      `Of the items at least ${minContains}${most} must fit ${JSON.stringify(this.copy(contains, false))}.`,
    ];
  }

  /** Words, because a copy that says less than the schema would here exclude more. */
  #negatedWords({ not }: JsonObject): readonly string[] {
    if (not === undefined || not === false) return [];
    return [`Must not fit ${JSON.stringify(this.copy(not, false))}.`];
  }

  /** What the value has to fit beside the rest. Which one of several it is does not matter to who writes it. */
  #choices(node: JsonObject, omittable: boolean): readonly JsonObject[] {
    const copies = (keyword: string): readonly JsonObject[] =>
      listOf(node[keyword]).map((one) => this.copy(one, omittable));
    const sets = [copies('anyOf'), copies('oneOf')].filter((set) => set.length > 0).map(chosen);
    const single = sets.map((set) =>
      set.length === 1 && set[0] !== undefined ? set[0] : { anyOf: set },
    );
    return [...single, ...copies('allOf')];
  }
}
