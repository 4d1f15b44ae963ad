import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { ConfigError } from '../../errors/config-error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { SchemaFinding } from '../check-json-schema.ts';
import type { SchemaIssue } from '../schema.ts';

/**
 * The kept validator: enforcing the whole vocabulary right is a product of its own. A member counts only when it is
 * an object's own, or every input would have a `constructor`; formats are hints; and 0.3 is a multiple of 0.1.
 */
const OPTIONS = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  allErrors: true,
  ownProperties: true,
  multipleOfPrecision: 10,
} as const;

let shared: Ajv2020 | undefined;

/** Made for the first schema: importing the package should cost nothing. */
function schemaValidator(): Ajv2020 {
  shared ??= new Ajv2020(OPTIONS);
  return shared;
}

/** Keywords whose value is none that they take, as `minLength: 'two'`. */
export function valueFindings(schema: JsonObject): readonly SchemaFinding[] {
  const ajv = schemaValidator();
  if (ajv.validateSchema(schema) === true) return [];
  return (ajv.errors ?? []).map(({ instancePath, message }) => {
    const path = pathOf(instancePath);
    const keyword = path.at(-1) ?? '';
    return { keyword, at: path.slice(0, -1).join('.'), hint: `it ${message ?? 'is not valid'}` };
  });
}

/** Gives the check of a schema, which tells all that is wrong with a value, or `undefined`. */
export function compileJsonSchema(
  schema: JsonObject,
): (value: unknown) => readonly SchemaIssue[] | undefined {
  try {
    // One of its own for each: it keeps what it ever compiled, and a program may make schemas as it goes.
    const ajv = new Ajv2020({ ...OPTIONS, meta: false });
    // It would note what each part looked at, for keywords no schema here can have, and throws over some schemas then.
    ajv.opts.unevaluated = false;
    const check = ajv.compile(schema);
    return (value) => (check(value) ? undefined : (check.errors ?? []).map(issueOf));
  } catch (cause) {
    throw new ConfigError(
      'invalid-tool',
      { where: 'jsonSchema()', what: 'the schema cannot be checked against', fix: 'See `cause`' },
      { cause },
    );
  }
}

function issueOf(error: ErrorObject): SchemaIssue {
  const path = pathOf(error.instancePath);
  const { missingProperty, additionalProperty, allowedValues, allowedValue } = error.params;
  if (typeof missingProperty === 'string')
    return { path: [...path, missingProperty], message: 'is missing' };
  if (typeof additionalProperty === 'string')
    return { path: [...path, additionalProperty], message: 'is not in the schema' };
  if (allowedValues !== undefined)
    return { path, message: `must be one of ${JSON.stringify(allowedValues)}` };
  if (error.keyword === 'const')
    return { path, message: `must be ${JSON.stringify(allowedValue)}` };
  return { path, message: error.message ?? 'does not fit' };
}

/** The parts of a JSON pointer. */
function pathOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}
