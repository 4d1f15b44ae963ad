import { ToolError } from '../../errors/tool-error.ts';
import type { Slots } from '../../internal/slots.ts';
import { toJson } from '../../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import { jsonSchema } from '../json-schema.ts';
import type { ToolContext } from '../port.ts';
import { type Tool, tool } from '../tool.ts';
import type { ToolOutput } from '../tool-output.ts';
import { callMcpTool, listMcpTools, type McpClient, type McpTool } from './client.ts';
import { fingerprintOf } from './fingerprint.ts';
import { readMcpResult } from './read-result.ts';
import { type McpSafety, safetyOf } from './safety-of.ts';
import { wireName } from './tool-name.ts';

/** How the tools of one server are run. */
export interface ServerPlan {
  readonly client: McpClient;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  readonly trustsAnnotations: boolean;
  readonly overrides: { readonly [tool: string]: Partial<McpSafety> };
  readonly check: 'always' | 'never';
  readonly slots?: Slots;
}

/** A tool that is called on the server. Throws `ConfigError` for a schema that no tool can have. */
export function serverTool(plan: ServerPlan, declared: McpTool): Tool<JsonObject> {
  const { name } = declared;
  const version = fingerprintOf(declared);
  const safety = safetyOf(plan.trustsAnnotations ? declared.annotations : undefined);
  const override = Object.hasOwn(plan.overrides, name) ? plan.overrides[name] : undefined;
  const title = declared.title ?? declared.annotations?.title;
  const built = tool({
    name: wireName(plan.prefix, name),
    description: (declared.description ?? '').slice(0, MAX_DESCRIPTION).toWellFormed(),
    ...(typeof title === 'string' && title.trim() !== '' && { displayName: cutTitle(title) }),
    inputSchema: jsonSchema<JsonObject>(schemaOf(declared.inputSchema)),
    ...safety,
    ...override,
    version,
    execute: async (input, ctx: ToolContext): Promise<JsonValue | ToolOutput<JsonValue>> => {
      if (plan.check === 'always') await ensureUnchanged(plan, { name, version }, ctx.signal);
      return readMcpResult(await call(plan, { name, arguments: input }, ctx), plan.maxResultBytes);
    },
  });
  // One limit for all of them: it is the server that can bear so many.
  return plan.slots === undefined ? built : Object.freeze({ ...built, slots: plan.slots });
}

/** A description is part of every request, and the server writes it. */
const MAX_DESCRIPTION = 8192;
const MAX_TITLE = 200;

function cutTitle(title: string): string {
  return title.slice(0, MAX_TITLE).toWellFormed();
}

/** Servers name the dialect they were written for; what is in them is the same in all that they name. */
function schemaOf(schema: object): object {
  const { $schema: _dialect, ...rest } = schema as { $schema?: unknown };
  return rest;
}

/** A server can put another tool behind a name that was approved: what it says of the tool now has to be the same. */
async function ensureUnchanged(
  { client, timeoutMs }: ServerPlan,
  approved: { readonly name: string; readonly version: string },
  signal: AbortSignal,
): Promise<void> {
  let now: readonly McpTool[];
  try {
    now = await listMcpTools(client, { signal, timeout: timeoutMs });
  } catch (cause) {
    const words = 'The server could not be asked about its tools, so the tool was not called';
    throw new ToolError(words, { cause, eventText: 'the server could not list its tools' });
  }
  const found = now.filter(({ name }) => name === approved.name);
  if (found.length === 1 && found.every((one) => fingerprintOf(one) === approved.version)) return;
  const words = 'The server has changed this tool since it was given to you, so it was not called';
  throw new ToolError(words, { eventText: 'the server has changed the tool' });
}

/** What the client throws says nothing of whether the server has done it: the answer may only have been lost. */
async function call(
  { client, timeoutMs }: ServerPlan,
  request: { readonly name: string; readonly arguments: JsonObject },
  ctx: ToolContext,
): Promise<unknown> {
  try {
    return await callMcpTool(client, request, {
      signal: ctx.signal,
      timeout: timeoutMs,
      maxTotalTimeout: timeoutMs,
      onprogress: (progress) => ctx.progress(toJson(progress)),
    });
  } catch (cause) {
    throw new ToolError('There was no valid answer from the server', {
      cause,
      code: 'outcome-unknown',
      eventText: 'no valid answer from the server',
    });
  }
}
