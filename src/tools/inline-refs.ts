import type { ConfigError } from '../errors/config-error.ts';
import { MAX_JSON_DEPTH } from '../internal/json-limits.ts';
import type { JsonObject, JsonValue } from '../protocol/json.ts';
import { mergeSchemas } from './merge-schemas.ts';
import { isSchemaObject, mapSubschemas } from './schema-keywords.ts';
import { refuseSchema, type SchemaPlace } from './schema-place.ts';

/**
 * A copy with each `$ref` replaced by what it points at. What several places point at is one object in all of
 * them. Throws `ConfigError` for a reference that leads back to itself: no copy of that would ever end.
 */
export function inlineRefs(place: SchemaPlace, full: JsonObject): JsonValue {
  return new Inliner(place, full).copy(full, { at: '', fields: [], depth: 0 });
}

/** The name a reference has under the `$defs` of the root; `undefined` for any other reference. */
export function definitionOf(ref: JsonValue | undefined): string | undefined {
  const name = typeof ref === 'string' ? /^#\/\$defs\/([^/]+)$/.exec(ref)?.[1] : undefined;
  return name === undefined ? undefined : unescapePointer(name);
}

function unescapePointer(name: string): string | undefined {
  try {
    return decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // A stray `%` is no reference to anything.
    return undefined;
  }
}

interface Place {
  readonly at: string;
  /** Of the place, the names that a reader of the tool knows. */
  readonly fields: readonly string[];
  readonly depth: number;
}

const MANY: readonly string[] = [
  'items',
  'prefixItems',
  'additionalProperties',
  'patternProperties',
];

function within({ at, fields, depth }: Place, below: string, keyword: string): Place {
  const name = below.slice(at === '' ? keyword.length + 1 : at.length + keyword.length + 2);
  const more = keyword === 'properties' ? [name] : MANY.includes(keyword) ? ['*'] : [];
  return { at: below, fields: [...fields, ...more], depth: depth + 1 };
}

class Inliner {
  readonly #place: SchemaPlace;
  readonly #definitions: JsonObject;
  readonly #inlined = new Map<string, JsonValue>();
  /** The definitions that are being inlined, outermost first. */
  readonly #open: string[] = [];

  constructor(place: SchemaPlace, full: JsonObject) {
    this.#place = place;
    this.#definitions = isSchemaObject(full['$defs']) ? full['$defs'] : {};
  }

  copy(schema: JsonValue, place: Place): JsonValue {
    if (!isSchemaObject(schema)) return schema;
    if (place.depth > MAX_JSON_DEPTH) throw this.#refuse(place, 'is nested too deeply', FLATTER);
    const { $ref, $defs: _, ...own } = schema;
    const copied = mapSubschemas(own, place.at, (below, at, keyword) =>
      this.copy(below, within(place, at, keyword)),
    );
    return $ref === undefined ? copied : mergeSchemas(copied, this.#target($ref, place));
  }

  #target(ref: JsonValue, place: Place): JsonValue {
    const name = definitionOf(ref);
    if (ref === '#') throw this.#refuse(place, 'leads back to the whole schema', FINITE);
    if (name === undefined || !Object.hasOwn(this.#definitions, name)) {
      const text = typeof ref === 'string' ? `'${ref.slice(0, 200)}'` : 'no text';
      throw this.#refuse(place, `has the \`$ref\` ${text}, which leads nowhere`, LOCAL);
    }
    if (this.#open.includes(name)) {
      // Zod numbers what has no name of its own, and such a name tells nobody anything.
      const target = /^__schema\d+$/.test(name) ? 'itself' : `'${name}'`;
      throw this.#refuse(place, `leads back to ${target}`, FINITE);
    }
    const known = this.#inlined.get(name);
    if (known !== undefined) return known;
    this.#open.push(name);
    const inlined = this.copy(this.#definitions[name] ?? true, {
      ...place,
      depth: place.depth + 1,
    });
    this.#open.pop();
    this.#inlined.set(name, inlined);
    return inlined;
  }

  #refuse({ fields }: Place, what: string, fix: string): ConfigError {
    const field = fields.length === 0 ? this.#place.member : fields.join('.');
    const why = 'and a model needs its schema in one finite piece';
    return refuseSchema(this.#place, { what: `the field '${field}' ${what}, ${why}`, fix });
  }
}

const FINITE =
  'Write out as many levels as the tool needs, or take `z.unknown()`, or a text with JSON that `execute` reads';
const FLATTER = 'Give the tool fewer levels, or take a part of the input as a text with JSON';
const LOCAL = 'Point to a member of the `$defs` at the root, as in `#/$defs/Address`';
