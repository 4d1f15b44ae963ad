import { checkKeys } from '../errors/check-keys.ts';
import { ConfigError } from '../errors/config-error.ts';
import { kindOf } from '../internal/kind-of.ts';
import { Slots } from '../internal/slots.ts';
import { MAX_TIMER_MS } from '../internal/timer-limit.ts';
import type { JsonObject } from '../protocol/json.ts';
import { listMcpTools, type McpClient, type McpTool } from './mcp/client.ts';
import type { McpSafety } from './mcp/safety-of.ts';
import { type ServerPlan, serverTool } from './mcp/server-tool.ts';
import type { Tool } from './tool.ts';

export type {
  McpAnnotations,
  McpClient,
  McpResource,
  McpTool,
} from './mcp/client.ts';
export { mcpPrompt } from './mcp/prompt.ts';
export { type McpResourceOptions, mcpResourceTools } from './mcp/resource-tools.ts';
export type { McpSafety } from './mcp/safety-of.ts';

export interface McpToolsOptions {
  /** Stands before every name, as in `files__`: two servers may have a tool of the same name. Default: nothing. */
  readonly prefix?: string;
  /** The server's names of the tools to take. One it does not have is an error. Default: all of them. */
  readonly only?: readonly string[];
  /**
   * Whether what the server says of its tools decides how careful the engine is with them. `trusted`: one that says
   * it only reads runs without asking. `ignored`: every tool asks first and runs once. Default: `trusted`; choose
   * `ignored` for a server that somebody else runs.
   */
  readonly annotations?: 'trusted' | 'ignored';
  /** By the server's name of a tool: what you know better than the server. */
  readonly safety?: { readonly [tool: string]: Partial<McpSafety> };
  /** Milliseconds for one request, whatever progress it tells of, up to 2147483647. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Bytes of a result, as JSON, that are kept; the rest is cut off with a note. Default: 65,536. */
  readonly maxResultBytes?: number;
  /**
   * `always`: before each call the server is asked for its tools again, and one that it has changed is not called.
   * `never` saves that request: then only a restart notices. Default: `always`.
   */
  readonly check?: 'always' | 'never';
  /** How many calls of these tools, all of them together, run at a time; see `maxConcurrent` of `tool`. Default: no limit. */
  readonly maxConcurrent?: number;
}

export interface McpTools {
  /** For `createAgent({ tools })`. */
  readonly tools: readonly Tool<JsonObject>[];
  /** The tools of the server that no model can be given, each with the reason. The others do not suffer from them. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

/**
 * The tools of an MCP server, as tools of an agent: every policy, approval and limit applies to them. Takes a
 * connected client of the official SDK, of either generation, which stays yours to close. Names that providers do not
 * take are rewritten, and are the same in every process. A call whose answer is lost counts as one of unknown outcome
 * unless the tool may be repeated. Descriptions and results are the server's words: the model reads them.
 *
 * Throws `ConfigError` for faulty options, and what the client throws when the server cannot be asked.
 *
 * @example
 * const { tools, skipped } = await mcpTools(client, { prefix: 'files__' });
 * const agent = createAgent({ name: 'desk', model, tools, hooks: [new NoDeletions()] });
 */
export async function mcpTools(
  client: McpClient,
  options: McpToolsOptions = {},
): Promise<McpTools> {
  const plan = planOf(client, options);
  const declared = await listMcpTools(client, { timeout: plan.timeoutMs });
  const wanted = pick(declared, options);
  const tools: Tool<JsonObject>[] = [];
  const skipped: { readonly name: string; readonly reason: string }[] = [];
  for (const one of wanted) {
    const reason = reasonToSkip(one, declared);
    const built = reason ?? build(plan, one);
    if (typeof built === 'string') skipped.push(Object.freeze({ name: one.name, reason: built }));
    else tools.push(built);
  }
  return Object.freeze({ tools: Object.freeze(tools), skipped: Object.freeze(skipped) });
}

function planOf(client: McpClient, options: McpToolsOptions): ServerPlan {
  checkOptions(client, options);
  return {
    client,
    prefix: options.prefix ?? '',
    timeoutMs: options.timeoutMs ?? 60_000,
    maxResultBytes: options.maxResultBytes ?? 65_536,
    trustsAnnotations: options.annotations !== 'ignored',
    overrides: options.safety ?? {},
    check: options.check ?? 'always',
    ...(options.maxConcurrent !== undefined && { slots: new Slots(options.maxConcurrent) }),
  };
}

function pick(declared: readonly McpTool[], options: McpToolsOptions): readonly McpTool[] {
  const known = new Set(declared.map(({ name }) => name));
  for (const [option, names] of [
    ['only', options.only ?? []],
    ['safety', Object.keys(options.safety ?? {})],
  ] as const) {
    const stray = names.find((name) => !known.has(name));
    if (stray === undefined) continue;
    throw invalid(
      `\`${option}\` names '${stray}', which the server does not have`,
      `It has: ${[...known].join(', ') || '(no tool)'}`,
    );
  }
  const { only } = options;
  return only === undefined ? declared : declared.filter(({ name }) => only.includes(name));
}

function reasonToSkip(one: McpTool, declared: readonly McpTool[]): string | undefined {
  if (declared.filter(({ name }) => name === one.name).length > 1)
    return 'the server has two tools of this name';
  if (one.execution?.taskSupport === 'required')
    return 'it runs as a task of the server, which is not supported';
  return undefined;
}

function build(plan: ServerPlan, one: McpTool): Tool<JsonObject> | string {
  try {
    return serverTool(plan, one);
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
}

const OPTIONS = [
  'maxConcurrent',
  'prefix',
  'only',
  'annotations',
  'safety',
  'timeoutMs',
  'maxResultBytes',
  'check',
] satisfies readonly (keyof McpToolsOptions)[];

function checkOptions(client: unknown, options: McpToolsOptions): void {
  checkKeys(WHERE, options, OPTIONS);
  if (
    typeof client !== 'object' ||
    client === null ||
    typeof Reflect.get(client, 'listTools') !== 'function' ||
    typeof Reflect.get(client, 'callTool') !== 'function'
  )
    throw invalid(
      `it was given ${kindOf(client)} that is no client`,
      'Pass a connected `Client` of the official SDK',
    );
  const { prefix, annotations, check, timeoutMs, maxResultBytes, maxConcurrent } = options;
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{0,32}$/.test(prefix))
    throw invalid('`prefix` is none', 'Use up to 32 letters, digits, `_` and `-`');
  if (annotations !== undefined && !['trusted', 'ignored'].includes(annotations))
    throw invalid('`annotations` is none of its words', "Set it to 'trusted' or 'ignored'");
  if (check !== undefined && !['always', 'never'].includes(check))
    throw invalid('`check` is none of its words', "Set it to 'always' or 'never'");
  for (const [name, value] of Object.entries({ timeoutMs, maxResultBytes, maxConcurrent }))
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw invalid(`\`${name}\` is no positive integer`, `Set \`${name}\` to one`);
  if (timeoutMs !== undefined && timeoutMs > MAX_TIMER_MS)
    throw invalid('`timeoutMs` is too long for a timer', `Use up to ${MAX_TIMER_MS}`);
}

const WHERE = 'mcpTools()';

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: WHERE, what, fix });
}
