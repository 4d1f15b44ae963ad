import { ToolError, ToolRefused } from '../../errors/tool-error.ts';
import { parseUrl } from '../../internal/safe-http/parse-url.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { type Placeholder, placeholdersIn, valueAt } from '../../protocol/template.ts';
import { type UnsetValue, unsetRefusal } from '../../protocol/unset-refusal.ts';
import type { ToolContext } from '../port.ts';
import type { Refuse } from './invalid.ts';

type Path = readonly [root: string, ...keys: string[]];

/** An address with places that each call fills: in the path and in values of the query, nowhere else. */
export interface UrlTemplate {
  /** The text between the placeholders: one more than there are of them. */
  readonly texts: readonly string[];
  readonly paths: readonly Path[];
  /** Names in its query. */
  readonly query: ReadonlySet<string>;
  readonly allowHttp: boolean;
}

const FACTS: ReadonlySet<string> = new Set(['session', 'call', 'sender', 'channel']);
const PLACEHOLDER = /\{\{[^{}]*\}\}/;
/** What no encoding protects: every parser resolves it before the request. */
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Reads the address as it is declared. Refuses what could lead a value anywhere but where it belongs. */
export function readTemplate(raw: string, allowHttp: boolean, refuse: Refuse): UrlTemplate {
  const texts = raw.split(PLACEHOLDER);
  const paths = placeholdersIn(raw).map(({ text, path }): Path => {
    if (path !== undefined) return path;
    return refuse(
      `\`url\` has the placeholder '${text.slice(0, 80)}', which names nothing`,
      'Write it as `{{field}}`, `{{field.key}}` or `{{session.key}}`',
    );
  });
  if (texts.join('').match(/[{}]/) !== null)
    refuse(
      '`url` has a brace that belongs to no placeholder',
      'Write placeholders as `{{field}}`, and encode other braces',
    );
  texts.slice(0, -1).forEach((_text, index) => {
    const before = texts.slice(0, index + 1).join('x');
    const queryAt = before.indexOf('?');
    const isPlaced =
      queryAt === -1
        ? /^https?:\/\/[^/?#]+\//i.test(before)
        : before
            .slice(queryAt + 1)
            .split('&')
            .at(-1)
            ?.includes('=') === true;
    if (isPlaced) return;
    refuse(
      '`url` has a placeholder in its scheme, its host or a name of its query',
      'Use placeholders in the path and in values of the query only',
    );
  });
  const parsed = parseUrl(texts.join('x'), { allowHttp });
  if ('problem' in parsed)
    refuse(
      `\`url\` cannot be used: ${parsed.problem}`,
      'Pass a whole address, such as `https://api.example.com/orders`, or http:// together with `allowPrivateNetwork`',
    );
  const query = 'url' in parsed ? new Set(parsed.url.searchParams.keys()) : new Set<string>();
  return { texts, paths, query, allowHttp };
}

/** What it names beside the arguments. */
export function stateNamesOf({ paths }: UrlTemplate): readonly Placeholder[] {
  const names = paths.filter(([root]) => root !== 'input');
  return names.map((path) => ({ text: path.join('.'), path }));
}

/** The address of one call. Throws a refusal that names every value which is not there. */
export function fillUrl(
  template: UrlTemplate,
  input: JsonObject,
  ctx: ToolContext<never, never>,
): URL {
  const unset: UnsetValue[] = [];
  const filled = template.paths.map((path) => {
    const name = path.join('.');
    const value = lookUp(path, input, ctx);
    if (value === undefined || value === null || value === '') {
      unset.push(FACTS.has(path[0]) ? { name, isFact: true } : { name });
      return '';
    }
    if (typeof value === 'object') throw unusable(name);
    return encodeURIComponent(String(value).toWellFormed());
  });
  if (unset.length > 0)
    throw new ToolRefused(unsetRefusal(unset), {
      eventText: `not set: ${unset.map(({ name }) => name).join(', ')}`,
    });
  const raw = template.texts.map((text, index) => `${text}${filled[index] ?? ''}`).join('');
  refuseDots(template, raw);
  const parsed = parseUrl(raw, { allowHttp: template.allowHttp });
  if ('problem' in parsed)
    throw new ToolError(`the address of the webhook cannot be used: ${parsed.problem}`);
  return parsed.url;
}

/** Segments the author wrote with dots mean what they say; one that a value completed must not. */
function refuseDots({ texts, paths }: UrlTemplate, raw: string): void {
  if (paths.length === 0) return;
  const own = texts.join('x').split('?', 1)[0]?.split('/') ?? [];
  const segments = raw.split('?', 1)[0]?.split('/') ?? [];
  const stray = segments.findIndex(
    (segment, index) => DOTS.test(segment) && segment !== own[index],
  );
  if (stray !== -1) throw unusable(paths.map((path) => path.join('.')).join(', '));
}

function unusable(name: string): ToolError {
  const words = `the value of ${name} cannot be part of an address`;
  return new ToolError(words, { eventText: words });
}

function lookUp(
  path: Path,
  input: JsonObject,
  ctx: ToolContext<never, never>,
): JsonValue | undefined {
  const [root, ...keys] = path;
  switch (root) {
    case 'input':
      return valueAt(input, keys);
    case 'session':
    case 'call':
      return valueAt({ root: ctx.session }, ['root', ...keys]);
    case 'sender':
    case 'channel':
      return valueAt({ root: ctx[root] }, ['root', ...keys]);
    default:
      // Which fields there are is between the schema and the tools: one that is not there throws.
      return valueAt({ root: ctx.state.get(root as never) }, ['root', ...keys]);
  }
}
