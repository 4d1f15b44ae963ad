import { ToolError, ToolRefused } from '../../errors/tool-error.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { propertyNames } from '../check-arguments.ts';
import type { Refuse } from './invalid.ts';
import type { UrlTemplate } from './url-template.ts';

/** Refuses arguments that no query can carry, and names the address has already. */
export function checkQuery(schema: JsonObject, template: UrlTemplate, refuse: Refuse): void {
  for (const name of propertyNames(schema) ?? []) {
    if (template.query.has(name))
      refuse(
        `the argument '${name}' is also a name in the query of \`url\``,
        'Rename one of them, or use POST',
      );
    const property: unknown = Reflect.get(Object(schema['properties']), name);
    if (holdsObjects(property, false, schema))
      refuse(
        `the argument '${name}' is an object, which no query can carry`,
        'Use POST, or arguments that are texts, numbers, booleans and lists of them',
      );
  }
}

/** Adds the arguments behind what the address has. `null` is left out, a list repeats its name. */
export function addQuery(url: URL, input: JsonObject, template: UrlTemplate): URL {
  const added = new URL(url);
  for (const [name, value] of Object.entries(input)) {
    if (value === null || value === undefined) continue;
    if (template.query.has(name)) {
      const words = `the argument ${name} is a fixed part of the address. Call the tool again without it.`;
      throw new ToolRefused(words, {
        eventText: 'an argument is also a name in the query of the address',
      });
    }
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null) added.searchParams.append(name, queryText(name, one));
    }
  }
  return added;
}

function queryText(name: string, value: JsonValue): string {
  if (typeof value !== 'object') return String(value);
  throw new ToolError(`the argument ${name} is not a text, a number, a boolean or a list of them`, {
    eventText: 'an argument cannot be part of a query',
  });
}

/** True for a schema that says it takes an object, or a list inside of a list. */
function holdsObjects(given: unknown, inList: boolean, root: JsonObject): boolean {
  const schema: Readonly<Record<string, unknown>> = Object(given);
  const { type, properties, items, $ref } = schema;
  const types = [type].flat();
  if (types.includes('object') || properties !== undefined || (inList && types.includes('array')))
    return true;
  if (typeof $ref === 'string') {
    const name = /^#\/\$defs\/([^/]+)$/.exec($ref)?.[1];
    return (
      name !== undefined &&
      holdsObjects(withoutRef(Reflect.get(Object(root['$defs']), name)), inList, root)
    );
  }
  if (items !== undefined && holdsObjects(items, true, root)) return true;
  return ['anyOf', 'oneOf', 'allOf'].some((key) =>
    [schema[key] ?? []].flat().some((one) => holdsObjects(one, inList, root)),
  );
}

/** One step is enough to find an object, and a circle would have no end. */
function withoutRef(schema: unknown): unknown {
  return { ...Object(schema), $ref: undefined };
}
