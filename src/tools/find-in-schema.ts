import type * as z from 'zod';

/** A schema inside another, and the field it stands in. */
export interface FoundSchema {
  readonly schema: z.core.$ZodTypes;
  /** Names of fields, and `*` for the members of a list; empty for the whole. */
  readonly path: readonly string[];
}

/** The first schema for which `matches` is true, the given one included, in the order of declaration. */
export function findInSchema(
  schema: z.core.$ZodType,
  matches: (schema: z.core.$ZodTypes) => boolean,
): FoundSchema | undefined {
  return search(schema, [], { matches, seen: new Set() });
}

function search(
  given: z.core.$ZodType,
  path: readonly string[],
  find: {
    readonly matches: (schema: z.core.$ZodTypes) => boolean;
    readonly seen: Set<z.core.$ZodType>;
  },
): FoundSchema | undefined {
  if (find.seen.has(given)) return undefined;
  find.seen.add(given);
  const schema = given as z.core.$ZodTypes; // Every schema of zod is one of these; the base class only hides which.
  if (find.matches(schema)) return { schema, path };
  for (const [name, child] of childrenOf(schema)) {
    const found = search(child, name === undefined ? path : [...path, name], find);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** One that cannot be had is refused where the JSON Schema is made, with its cause. */
function lazyChild(def: z.core.$ZodLazyDef): readonly Child[] {
  try {
    return [[undefined, def.getter()]];
  } catch {
    return [];
  }
}

type Child = readonly [name: string | undefined, schema: z.core.$ZodType];

/** What a schema is made of. A lazy one is asked for what it stands for. */
function childrenOf({ _zod: { def } }: z.core.$ZodTypes): readonly Child[] {
  switch (def.type) {
    case 'object': {
      const fields = Object.entries(def.shape).map(([name, field]): Child => [name, field]);
      return def.catchall === undefined ? fields : [...fields, ['*', def.catchall]];
    }
    case 'array':
      return [['*', def.element]];
    case 'tuple':
      return [...def.items, ...(def.rest === null ? [] : [def.rest])].map((item) => ['*', item]);
    case 'record':
    case 'map':
      return [
        ['*', def.keyType],
        ['*', def.valueType],
      ];
    case 'set':
      return [['*', def.valueType]];
    case 'union':
      return def.options.map((option) => [undefined, option]);
    case 'intersection':
      return [
        [undefined, def.left],
        [undefined, def.right],
      ];
    case 'pipe':
      return [
        [undefined, def.in],
        [undefined, def.out],
      ];
    case 'lazy':
      return lazyChild(def);
    default:
      return 'innerType' in def ? [[undefined, def.innerType]] : [];
  }
}
