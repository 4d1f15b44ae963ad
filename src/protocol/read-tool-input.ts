import type { JsonObject } from './json.ts';
import { type JsonProblem, readJsonObject } from './read-json-object.ts';

/**
 * Reads the arguments a model wrote. Blank text is `{}`. Text that is no JSON object is malformed: it is
 * answered as an error, and never repaired, because a repaired call is one nobody asked for.
 */
export function readToolInput(
  inputText: string,
): { readonly input: JsonObject } | { readonly malformed: string } {
  if (inputText.trim() === '') return { input: EMPTY };
  const read = readJsonObject(inputText);
  return 'object' in read ? { input: read.object } : { malformed: malformed(read.problem) };
}

function malformed(problem: JsonProblem): string {
  switch (problem.kind) {
    case 'incomplete':
      return 'the arguments are not complete JSON';
    case 'no-object':
      return 'the arguments are not a JSON object';
    case 'too-deep':
      return 'the arguments are nested too deeply';
    case 'unsafe-key':
      return `the arguments hold the key '${problem.key}', which no tool accepts`;
  }
}

const EMPTY: JsonObject = Object.freeze({});
