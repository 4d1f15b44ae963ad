import type { JsonObject, JsonValue } from '../../protocol/json.ts';

/**
 * As much of a client of the official SDK as is used here. A `Client` of `@modelcontextprotocol/sdk` (1.x) fits, and
 * one of `@modelcontextprotocol/client` (2.x). Nothing of either package is loaded: the app connects and closes it.
 */
export interface McpClient {
  listTools(params?: { cursor?: string }, options?: object): Promise<McpPage<'tools', McpTool>>;
  // Between the two, the SDK moved its options from the third place to the second; `never` fits both.
  callTool(
    params: { name: string; arguments?: JsonObject },
    ...more: readonly never[]
  ): Promise<unknown>;
  listResources?(
    params?: { cursor?: string },
    options?: object,
  ): Promise<McpPage<'resources', McpResource>>;
  readResource?(params: { uri: string }, options?: object): Promise<unknown>;
  getPrompt?(
    params: { name: string; arguments?: Record<string, string> },
    options?: object,
  ): Promise<unknown>;
}

type McpPage<Name extends string, Item> = {
  readonly [name in Name]: readonly Item[];
} & { readonly nextCursor?: string | undefined };

/** A tool as its server describes it. All of it is the server's word. */
export interface McpTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: McpAnnotations | undefined;
  readonly execution?: { readonly taskSupport?: string | undefined } | undefined;
}

export interface McpAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
}

export interface McpResource {
  readonly uri: string;
  readonly name?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly mimeType?: string | undefined;
}

/** What every request is made with. */
export interface McpRequestOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly maxTotalTimeout?: number;
  readonly resetTimeoutOnProgress?: boolean;
  readonly onprogress?: (progress: JsonValue) => void;
}

/** Calls a tool under either generation of the SDK. */
export function callMcpTool(
  client: McpClient,
  call: { readonly name: string; readonly arguments: JsonObject },
  options: McpRequestOptions,
): Promise<unknown> {
  // The second generation is told by a method that the first never had.
  const more: readonly unknown[] = 'getProtocolEra' in client ? [options] : [undefined, options];
  return client.callTool(call, ...(more as readonly never[])); // What each of them takes there.
}

/** A server that never stops handing out cursors is cut off here. */
const MAX_PAGES = 100;

/** Every page, as the server has it now: nothing of it comes from a cache of the client. */
export async function listAll<Item>(
  readPage: (
    params: { cursor?: string } | undefined,
    options: object,
  ) => Promise<{ readonly items: readonly Item[]; readonly nextCursor?: string | undefined }>,
  options: McpRequestOptions,
): Promise<readonly Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, nextCursor } = await readPage(cursor === undefined ? undefined : { cursor }, {
      ...options,
      cacheMode: 'refresh',
    });
    all.push(...items);
    if (nextCursor === undefined || nextCursor === cursor) return all;
    cursor = nextCursor;
  }
  return all;
}

export function listMcpTools(
  client: McpClient,
  options: McpRequestOptions,
): Promise<readonly McpTool[]> {
  return listAll(async (params, more) => {
    const { tools, nextCursor } = await client.listTools(params, more);
    return { items: tools, nextCursor };
  }, options);
}
