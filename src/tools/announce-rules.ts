import type { JsonObject } from '../protocol/json.ts';
import { FACT_ROOTS, type Placeholder, placeholdersIn } from '../protocol/template.ts';
import type { AnnounceRule } from './announce-port.ts';
import { propertyNames } from './check-arguments.ts';
import { faulty, nearestOf, type RulePlace } from './result-rules.ts';
import { schemaAt } from './schema-at.ts';

/** What a tool says before it runs; nothing where every line is blank. Throws `ConfigError` for one nobody could fill. */
export function announceRule(
  options: {
    readonly name: string;
    readonly announce?: string | readonly string[];
    readonly announceWait?: boolean;
    readonly locked?: object;
  },
  inputSchema: JsonObject,
): AnnounceRule | undefined {
  const { name, announce = [], announceWait = false, locked = {} } = options;
  const given = typeof announce === 'string' ? [announce] : announce;
  const lines = given.filter((line) => line.trim() !== '');
  const place = { where: `tool '${name}'`, code: 'invalid-tool', option: 'announce' } as const;
  if (announceWait && options.announce === undefined)
    throw faulty(
      { ...place, option: 'announceWait' },
      'there is nothing to wait for',
      'Give the tool an `announce`, or leave it out',
    );
  if (lines.length === 0) return undefined;
  const named = lines.flatMap(placeholdersIn);
  refuseLocked(place, named, Object.keys(locked));
  const names = named.filter((one) => !isArgument(place, one, inputSchema));
  return Object.freeze({
    lines: Object.freeze(lines),
    waits: announceWait,
    inputSchema,
    names: Object.freeze(names),
  });
}

/** A line is heard by the user and kept in events; what is locked is told to neither. */
function refuseLocked(
  place: RulePlace,
  named: readonly Placeholder[],
  locked: readonly string[],
): void {
  const stray = named.find(({ path }) => path !== undefined && locked.includes(path[0]));
  if (stray === undefined) return;
  const what = `'{{${stray.text.slice(0, 80)}}}' names a locked argument, which nobody is told of`;
  throw faulty(place, what, 'Name the field of the state that it comes from');
}

function isArgument(
  place: RulePlace,
  { text, path }: Placeholder,
  inputSchema: JsonObject,
): boolean {
  const written = `'{{${text.slice(0, 80)}}}'`;
  if (path === undefined)
    throw faulty(place, `${written} names nothing`, 'Name a value, as in `{{day}}`');
  const [root] = path;
  const isNamed = propertyNames(inputSchema)?.includes(root) === true;
  if (FACT_ROOTS.includes(root)) {
    if (!isNamed) return false;
    const what = `${written} means a fact of the run and an argument at once`;
    throw faulty(place, what, 'Give the argument another name');
  }
  if (root === 'result' && !isNamed) {
    const what = `${written} names a result, and the line is said before there is one`;
    throw faulty(place, what, 'Name an argument, or say it in `replies`');
  }
  const found = schemaAt(inputSchema, path);
  // An open schema takes arguments that it does not name.
  if (found === undefined || 'schema' in found) return true;
  if (!isNamed) return false;
  const what = `${written} names what the argument '${root}' does not have`;
  throw faulty(place, what, nearestOf(found.stray, found.known));
}
