import { createHmac } from 'node:crypto';
import { ToolError } from '../../errors/tool-error.ts';
import type { SafeRequest } from '../../internal/safe-http/safe-request.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { ToolContext } from '../port.ts';
import type { CheckedOptions } from './options.ts';
import { addQuery } from './query.ts';
import { fillUrl, type UrlTemplate } from './url-template.ts';

/** 64 KiB, of what is sent and of what is read. */
const MAX_BYTES: number = 64 * 1024;

/** All that is known of a webhook once it is declared. */
export interface Webhook {
  readonly options: CheckedOptions;
  readonly template: UrlTemplate;
  /** What it does, in the author's words. */
  readonly description: string;
}

/** The request of one call, complete but for the credentials. Throws a `ToolError` for one that cannot be sent. */
export function buildRequest(
  { options, template, description }: Webhook,
  input: JsonObject,
  ctx: ToolContext<never, never>,
): SafeRequest {
  const { method, allowPrivateNetwork, trustProxy, headers, hmacSecret } = options;
  const filled = fillUrl(template, input, ctx);
  const isGet = method === 'GET';
  const url = isGet ? addQuery(filled, input, template) : filled;
  const shape = options.body === 'raw' ? input : envelope({ options, description }, input, ctx);
  // The bytes are made once: what is signed, measured and sent is the same.
  const body = isGet ? undefined : Buffer.from(JSON.stringify(shape).toWellFormed());
  if (Math.max(url.href.length, body?.length ?? 0) > MAX_BYTES) {
    const words = 'the arguments are too large: a webhook takes at most 64 KiB';
    throw new ToolError(words, { eventText: words });
  }
  return {
    url,
    method,
    allowPrivateNetwork,
    trustProxy,
    maxAnswerBytes: MAX_BYTES,
    headers: {
      'user-agent': 'agent-hooks',
      accept: 'application/json',
      ...headers,
      'idempotency-key': ctx.idempotencyKey,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(body !== undefined &&
        hmacSecret !== undefined && { 'X-Signature-256': signature(hmacSecret, body) }),
    },
    ...(body !== undefined && { body }),
  };
}

function signature(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function envelope(
  { options, description }: Pick<Webhook, 'options' | 'description'>,
  input: JsonObject,
  ctx: ToolContext<never, never>,
): JsonObject {
  const { threadId, session, sender, channel } = ctx;
  return {
    tool_name: options.toolName,
    description,
    arguments: input,
    timestamp: new Date().toISOString(),
    context: { session_id: threadId, ...Object(withoutEmpty({ session, sender, channel })) },
  };
}

/** Without members that say nothing: what is absent, `null`, an empty text, and objects and lists without anything. */
function withoutEmpty(value: JsonValue): JsonValue | undefined {
  if (value === null || value === '') return undefined;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  const kept = Object.entries(value).flatMap(([key, one]) => {
    const said = one === undefined ? undefined : withoutEmpty(one);
    return said === undefined ? [] : [[key, said] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
