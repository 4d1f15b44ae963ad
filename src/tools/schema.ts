import * as z from 'zod';
import { isThenable } from '../internal/is-thenable.ts';

/**
 * A schema a tool can be declared with: zod 4, or any library that follows Standard Schema and can give a
 * JSON Schema of its input side.
 */
export interface ToolSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?:
      | {
          readonly input: (options: {
            readonly target: 'draft-2020-12' | 'draft-07';
          }) => Record<string, unknown>;
        }
      | undefined;
  };
}

export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** One fault. `code` and `errors` are what zod adds to the standard's two. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  readonly code?: string;
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

/** What a model writes for this schema: defaults are optional, transforms are not applied yet. */
export type SchemaInput<Schema extends ToolSchema> = NonNullable<
  Schema['~standard']['types']
>['input'];

/** What the schema makes of it. */
export type SchemaOutput<Schema extends ToolSchema> = NonNullable<
  Schema['~standard']['types']
>['output'];

/** True for a schema of zod 4, of this copy of the package or another. */
export function isZod(schema: object): schema is z.core.$ZodType {
  return '_zod' in schema;
}

/**
 * Parses a value, at once where the schema answers at once. Zod's own `validate` would first run an
 * asynchronous refinement in vain and leave its promise to reject unheard, so zod is asked one level below.
 */
export function parseWith<Output>(
  schema: ToolSchema<unknown, Output>,
  value: unknown,
): SchemaResult<Output> | Promise<SchemaResult<Output>> {
  if (!isZod(schema)) {
    const given = schema['~standard'].validate(value);
    return isThenable(given) ? Promise.resolve(given) : given;
  }
  const ran = schema._zod.run({ value, issues: [] }, ZOD_CONTEXT);
  return isThenable(ran) ? ran.then(zodResult<Output>) : zodResult<Output>(ran);
}

const ZOD_CONTEXT: z.core.ParseContextInternal = { async: true };
const ZOD_BACKWARD: z.core.ParseContextInternal = { async: true, direction: 'backward' };

/** Turns what a schema of zod made of a value back into what it is made from. */
export function encodeWith(
  schema: ToolSchema,
  value: unknown,
): SchemaResult<unknown> | Promise<SchemaResult<unknown>> {
  if (!isZod(schema)) return { value };
  const ran = schema._zod.run({ value, issues: [] }, ZOD_BACKWARD);
  return isThenable(ran) ? ran.then(zodResult) : zodResult(ran);
}

function zodResult<Output>(ran: z.core.ParsePayload): SchemaResult<Output> {
  // The payload is untyped; without issues its value is the schema's output.
  if (ran.issues.length === 0) return { value: ran.value as Output };
  const issues = ran.issues.map((issue) => z.util.finalizeIssue(issue, ZOD_CONTEXT, z.config()));
  // A finalised issue has every field of ours; zod types some of them per code.
  return { issues: issues as readonly SchemaIssue[] };
}
