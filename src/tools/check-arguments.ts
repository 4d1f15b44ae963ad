import type * as z from 'zod';
import { ArgumentsMissing } from '../errors/tool-error.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { InputProblem } from './input-port.ts';
import { isZod, type ToolSchema } from './schema.ts';

/** Which arguments there are, as the JSON Schema of a tool says it. Made once. */
export interface ArgumentNames {
  readonly toolName: string;
  /** Absent for an open schema, which takes what it does not name. */
  readonly known?: ReadonlySet<string>;
  readonly required: readonly string[];
  /** Those whose text may be empty. */
  readonly blank: ReadonlySet<string>;
}

const MAX_NAMED = 10;
const MAX_NAME_CHARS = 64;

/** Reads the names out of the JSON Schema of the arguments. */
export function argumentNames(
  toolName: string,
  {
    schema,
    json,
    blank,
    locked = [],
  }: {
    readonly schema: ToolSchema;
    readonly json: JsonObject;
    readonly blank: readonly string[];
    /** Those that the model does not give. */
    readonly locked?: readonly string[];
  },
): ArgumentNames {
  const { required } = json;
  // What comes before the object may take other names than it, and make up for what is not there.
  if (!takesItsNames(schema)) return { toolName, required: [], blank: new Set() };
  const properties = propertyNames(json);
  return {
    toolName,
    ...(isClosed(json) && properties !== undefined && { known: new Set(properties) }),
    required: Array.isArray(required)
      ? required.map(String).filter((name) => !locked.includes(name))
      : [],
    blank: new Set(blank),
  };
}

function takesItsNames(schema: ToolSchema): boolean {
  if (!isZod(schema)) return true;
  const { def } = (schema as z.core.$ZodTypes)._zod; // Every schema of zod is one of these.
  if (def.type === 'transform') return false;
  return def.type !== 'pipe' || takesItsNames(def.in as unknown as ToolSchema); // and each follows the standard
}

/** The properties a JSON Schema of an object names; `undefined` where it does not say. */
export function propertyNames({ properties }: JsonObject): readonly string[] | undefined {
  return typeof properties === 'object' && properties !== null
    ? Object.keys(properties)
    : undefined;
}

function isClosed({ additionalProperties }: JsonObject): boolean {
  return additionalProperties === undefined || additionalProperties === false;
}

/**
 * What is wrong with the arguments by their names alone, before a value is looked at. Libraries of schemas drop what
 * they do not know without a word, and of a blank text they say that its form is wrong.
 */
export function argumentProblem(names: ArgumentNames, input: JsonObject): InputProblem | undefined {
  const { toolName, known, required } = names;
  if (known !== undefined) {
    for (const key in input) if (!known.has(key)) return extraProblem(toolName, known, input);
  }
  for (const name of required) {
    if (isMissing(input, name, names)) return missingProblem(names, input);
  }
  return undefined;
}

function isMissing(input: JsonObject, name: string, { blank }: ArgumentNames): boolean {
  const value = input[name];
  if (typeof value === 'string') return isBlank(value) && !blank.has(name);
  // What every object inherits is neither of the two, so only other values have to be told from it.
  return typeof value !== 'number' && typeof value !== 'boolean' && !Object.hasOwn(input, name);
}

/** Most texts begin with a letter, which is seen faster than a copy without blanks is made. */
function isBlank(text: string): boolean {
  const first = text.charCodeAt(0);
  return !(first > 32 && first < 128) && text.trim() === '';
}

/** A model chooses these names, and what it chose is told of: a few of them, cut. */
function extraProblem(
  toolName: string,
  known: ReadonlySet<string>,
  input: JsonObject,
): InputProblem {
  const extra = Object.keys(input).filter((key) => !known.has(key));
  const named = extra.slice(0, MAX_NAMED).map((key) => key.slice(0, MAX_NAME_CHARS).toWellFormed());
  const rest = extra.length > named.length ? ` and ${extra.length - named.length} more` : '';
  const [are, them] =
    extra.length === 1 ? ['is not an argument', 'it'] : ['are not arguments', 'them'];
  const problem = `${named.join(', ')}${rest} ${are} of ${toolName}. Call ${toolName} again without ${them}.`;
  return { problem, refused: true };
}

function missingProblem(names: ArgumentNames, input: JsonObject): InputProblem {
  const { toolName } = names;
  const missing = names.required.filter((name) => isMissing(input, name, names));
  const blank = missing.filter((name) => Object.hasOwn(input, name));
  const { forModel } = new ArgumentsMissing(missing, { toolName, blank });
  return { problem: forModel, refused: true, missing };
}
