import { ConfigError } from '../errors/config-error.ts';
import { findInSchema } from './find-in-schema.ts';
import { isZod, type ToolSchema } from './schema.ts';

/** Throws `ConfigError` for a field that was declared with nothing, such as one that a missing import left out. */
export function refuseUntyped(
  toolName: string,
  member: 'inputSchema' | 'outputSchema',
  schema: ToolSchema,
): void {
  if (!isZod(schema)) return;
  const holder = findInSchema(schema, (each) => untypedIn(each._zod.def) !== undefined);
  if (holder === undefined) return;
  const field = [...holder.path, untypedIn(holder.schema._zod.def)].join('.');
  throw new ConfigError('invalid-tool', {
    where: `tool '${toolName}'`,
    what: `the field '${field}' of \`${member}\` has no type`,
    fix: 'Declare it, as in `z.string()`; what its module exports may be undefined there',
  });
}

function untypedIn(def: object): string | undefined {
  if (!('shape' in def) || typeof def.shape !== 'object' || def.shape === null) return undefined;
  const fields = Object.entries(def.shape);
  return fields.find(([, field]) => !isSchema(field))?.[0];
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isZod(value);
}
