import * as z from 'zod';
import { ConfigError } from '../errors/config-error.ts';
import { isThenable } from '../internal/is-thenable.ts';
import { findInSchema } from './find-in-schema.ts';
import { refuseUntyped } from './refuse-untyped.ts';
import { isZod, parseWith, type ToolSchema } from './schema.ts';

/** How the results of one tool are checked. Made once. */
export interface OutputPlan {
  readonly schema: ToolSchema;
  /** What messages call the schema. */
  readonly name: string;
  /** True where only the schema itself can turn what it made of a result back into JSON. */
  readonly encodes: boolean;
  /** True where returning nothing means that it is done. */
  readonly isDone: boolean;
}

/** Throws `ConfigError` for a schema whose results could never be written as JSON. */
export function planOutput(toolName: string, schema: ToolSchema): OutputPlan {
  if (!isZod(schema)) return { schema, name: ITS_OUTPUT, encodes: false, isDone: false };
  refuseUntyped(toolName, 'outputSchema', schema as ToolSchema & z.core.$ZodType);
  refuseOneWay(toolName, schema);
  outputJsonSchema(toolName, schema);
  return {
    schema,
    name: nameOf(schema),
    encodes: findInSchema(schema, isCodec) !== undefined,
    isDone: meansDone(schema),
  };
}

/**
 * The JSON Schema of a result as it is written down. A field that JSON has no type for is a `ConfigError`; so is a
 * schema of another library that cannot say what its results look like.
 */
export function outputJsonSchema(toolName: string, schema: ToolSchema): Record<string, unknown> {
  if (isZod(schema)) {
    return z.toJSONSchema(schema, {
      io: 'input',
      unrepresentable: ({ zodSchema }) => {
        const { path } = findInSchema(schema, (each) => each === zodSchema) ?? { path: [] };
        const { type } = zodSchema._zod.def;
        throw invalid(toolName, `${fieldOf(path)} is a ${type}, which JSON has no type for`, CODEC);
      },
    });
  }
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' });
  throw invalid(
    toolName,
    `\`outputSchema\` is a schema of '${vendor}' that cannot give a JSON Schema`,
    'Use zod 4, or a version of that library that supports Standard JSON Schema',
  );
}

const ITS_OUTPUT = 'its output schema';
const CODEC =
  'Use a codec, such as `toolFormats.date()` of agent-hooks/tools or `z.codec(...)`, and `Done` for a tool that gives nothing back';

/** What was made of a result has to become JSON again, and no way leads back through a transform. */
function refuseOneWay(toolName: string, schema: z.core.$ZodType): void {
  const found = findInSchema(schema, ({ _zod: { def } }) => ONE_WAY.has(def.type));
  if (found === undefined) return;
  const what = `${fieldOf(found.path)} has a transform, and what it gives cannot be turned back into JSON`;
  throw invalid(toolName, what, CODEC);
}

const ONE_WAY: ReadonlySet<string> = new Set(['transform', 'success']);

function fieldOf(path: readonly string[]): string {
  return path.length === 0 ? '`outputSchema`' : `the field '${path.join('.')}' of \`outputSchema\``;
}

function invalid(toolName: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-tool', { where: `tool '${toolName}'`, what, fix });
}

function nameOf(schema: z.core.$ZodType): string {
  const { title, id } = z.globalRegistry.get(schema) ?? {};
  return title ?? id ?? ITS_OUTPUT;
}

/** Two ways lead through a codec; any other pipe leads on to what can be looked at by itself. */
function isCodec({ _zod: { def } }: z.core.$ZodTypes): boolean {
  return def.type === 'pipe' && 'reverseTransform' in def;
}

/** By what it does, as a copy of `Done` with a description, or that of another copy of the package, means the same. */
function meansDone(schema: z.core.$ZodType): boolean {
  if (schema._zod.def.type !== 'object') return false;
  const parsed = parseWith(schema as unknown as ToolSchema, {}); // Every schema of zod follows the standard.
  if (isThenable(parsed)) {
    parsed.then(undefined, () => undefined);
    return false;
  }
  return parsed.issues === undefined && JSON.stringify(parsed.value) === '{"ok":true}';
}
