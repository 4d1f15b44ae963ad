import * as z from 'zod';
import { checkKeys } from '../../errors/check-keys.ts';
import { ConfigError } from '../../errors/config-error.ts';
import { ToolError } from '../../errors/tool-error.ts';
import type { JsonValue } from '../../protocol/json.ts';
import type { ToolContext } from '../port.ts';
import { type Tool, tool } from '../tool.ts';
import { listAll, type McpClient, type McpRequestOptions } from './client.ts';
import { bounded, membersOf } from './read-result.ts';
import { wireName } from './tool-name.ts';

export interface McpResourceOptions {
  /** Stands before both names. Default: nothing. */
  readonly prefix?: string;
  /** Milliseconds for one request. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Bytes of what is read, as JSON, that are kept; the rest is cut off with a note. Default: 65,536. */
  readonly maxResultBytes?: number;
}

const OPTIONS = Object.keys({
  prefix: true,
  timeoutMs: true,
  maxResultBytes: true,
} satisfies Record<keyof McpResourceOptions, true>);

/** The two tools that a model reads the resources of a server with. */
interface McpResourceTools {
  readonly list: Tool<Record<string, never>>;
  readonly read: Tool<{ readonly uri: string }>;
}

/**
 * Lets a model find and read the resources of an MCP server: `list_resources` and `read_resource`. Both only read, so
 * they run without asking; a policy sees the address in `read_resource`. The server is asked for exactly the address
 * the model wrote: what it may read is for the server and your policies to say. Bytes are not passed on, only how many
 * there are. Throws `ConfigError` for a client that cannot read resources.
 */
export function mcpResourceTools(
  client: McpClient,
  options: McpResourceOptions = {},
): McpResourceTools {
  checkKeys('mcpResourceTools()', options, OPTIONS);
  const { prefix = '', timeoutMs = 60_000, maxResultBytes = 65_536 } = options;
  const { listResources, readResource } = client;
  if (listResources === undefined || readResource === undefined)
    throw new ConfigError('invalid-option', {
      where: 'mcpResourceTools()',
      what: 'the client cannot read resources',
      fix: 'Pass a connected `Client` of the official SDK',
    });
  const optionsOf = ({ signal }: ToolContext): McpRequestOptions => ({
    signal,
    timeout: timeoutMs,
  });
  const list = tool({
    name: wireName(prefix, 'list_resources'),
    description: 'Lists what can be read with read_resource: addresses, names and descriptions.',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: async (_input, ctx: ToolContext) =>
      bounded(await listed(client, optionsOf(ctx)), maxResultBytes),
  });
  const read = tool({
    name: wireName(prefix, 'read_resource'),
    description: 'Reads one resource by its address, as list_resources gives it.',
    inputSchema: z.object({ uri: z.string().max(2048) }),
    sideEffects: 'none',
    execute: async ({ uri }, ctx: ToolContext) => {
      const answer = await asked(() => readResource.call(client, { uri }, optionsOf(ctx)));
      return bounded(contentsOf(answer), maxResultBytes);
    },
  });
  return Object.freeze({ list, read });
}

async function listed(client: McpClient, options: McpRequestOptions): Promise<JsonValue> {
  const all = await asked(() =>
    listAll(async (params, more) => {
      const page = await client.listResources?.(params, more);
      return { items: page?.resources ?? [], nextCursor: page?.nextCursor };
    }, options),
  );
  return all.map(({ uri, name, title, description, mimeType }) => ({
    uri,
    ...(name !== undefined && { name: title ?? name }),
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
  }));
}

async function asked<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask();
  } catch (cause) {
    throw new ToolError('The server did not give the resource', {
      cause,
      eventText: 'no valid answer from the server',
    });
  }
}

function contentsOf(answer: unknown): JsonValue {
  const { contents } = membersOf(answer);
  const parts = Array.isArray(contents) ? contents.map(membersOf) : [];
  const read = parts.map(({ uri = '', mimeType, text, blob }): JsonValue => {
    if (typeof text === 'string') return text;
    const bytes = typeof blob === 'string' ? Buffer.byteLength(blob, 'base64') : 0;
    return { uri, ...(mimeType !== undefined && { mimeType }), omittedBytes: bytes };
  });
  const [only = '', ...more] = read;
  return more.length === 0 ? only : read;
}
