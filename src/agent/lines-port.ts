import type { LineSource, LinesPort } from '../loop/lines-port.ts';
import { type SpokenAs, sayValue } from '../loop/say-value.ts';
import type { JsonObject } from '../protocol/json.ts';
import type { ToolRegistry } from '../tools/port.ts';
import { schemaAt } from '../tools/schema-at.ts';
import type { BuiltOptions } from './rules-of.ts';
import { spokenAs } from './spoken-as.ts';
import type { StateSchema } from './state-schema.ts';

interface Place {
  readonly tools: ToolRegistry;
  readonly state: StateSchema | undefined;
}

/** How the lines of an agent are said. */
export function linesPort(options: BuiltOptions, place: Place): LinesPort {
  const { onLine, lineWaitMs = 30_000, language = 'en', timeZone } = options;
  const kinds = new Map<string, SpokenAs | undefined>();
  const kindOf = (source: LineSource): SpokenAs | undefined => {
    const { toolName, root, path } = source;
    // Paths are the author's, so there are only so many.
    const key = JSON.stringify([toolName, root, ...path]);
    if (!kinds.has(key)) kinds.set(key, readKind(source, place));
    return kinds.get(key);
  };
  return Object.freeze({
    ...(onLine !== undefined && { onLine }),
    waitMs: lineWaitMs,
    say: (value, source) => {
      const saying = { language, ...(timeZone !== undefined && { timeZone }), now: source.now };
      return sayValue(value, typeof value === 'string' ? kindOf(source) : undefined, saying);
    },
  } satisfies LinesPort);
}

function readKind(source: LineSource, place: Place): SpokenAs | undefined {
  const [root, path] = schemaOf(source, place) ?? [];
  if (root === undefined || path === undefined) return undefined;
  const found = schemaAt(root, path);
  return found !== undefined && 'schema' in found ? spokenAs(found.schema, root) : undefined;
}

/** The schema that a value is described by, and where in it. */
function schemaOf(
  { toolName, root, path }: LineSource,
  { tools, state }: Place,
): readonly [JsonObject, readonly string[]] | undefined {
  const [first = '', ...keys] = path;
  switch (root) {
    case 'call': {
      const schema = tools.get(toolName)?.announce?.inputSchema;
      return schema && [schema, path];
    }
    case 'result': {
      const schema = tools.get(toolName)?.resultSchema?.();
      return schema && [schema, keys];
    }
    case 'state':
      return state?.fields.includes(first) === true ? [state.jsonSchema(first), keys] : undefined;
    case 'fact':
      return undefined;
  }
}
