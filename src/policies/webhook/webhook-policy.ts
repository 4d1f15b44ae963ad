import { createHmac, randomUUID } from 'node:crypto';
import { ConfigError } from '../../errors/config-error.ts';
import type { AgentHooks, HookOptions, HookPoint } from '../../hooks/agent-hooks.ts';
import type { HookContext } from '../../hooks/context.ts';
import { POINTS } from '../../hooks/points.ts';
import { Deadline } from '../../internal/safe-http/deadline.ts';
import { loadUndici } from '../../internal/safe-http/load-undici.ts';
import { parseUrl } from '../../internal/safe-http/parse-url.ts';
import { systemResolver } from '../../internal/safe-http/resolve-host.ts';
import { safeRequest, type Wire } from '../../internal/safe-http/safe-request.ts';

/** The points whose decisions a service may take: those that answer with one. */
export type WebhookPoint = Exclude<
  HookPoint,
  'systemPrompt' | 'wrapLlmCall' | 'wrapToolUse' | 'onContextCompact' | 'onEvent'
>;

export interface WebhookPolicyOptions {
  /** In decisions, events and errors; unique within an agent. */
  readonly name: string;
  /** `https://`, without placeholders. Decisions are asked for by POST. */
  readonly url: string;
  readonly points: readonly WebhookPoint[];
  /** Signs each question: `X-Signature-256` is the HMAC-SHA256 of exactly the bytes that are sent, as hex. */
  readonly hmacSecret: string;
  /** Milliseconds for name, connection, redirects and answer. 1 to 60000, default 4000. */
  readonly timeoutMs?: number;
  /** Allows `http://` and addresses of private networks. Default: false. */
  readonly allowPrivateNetwork?: boolean;
  /** Goes through the proxy that the variables of the process name, which then looks names up. Default: false. */
  readonly trustProxy?: boolean;
  /** Recorded with approvals; after a change an open approval is asked again. */
  readonly version?: string;
  readonly order?: 'first' | 'last';
}

const MAX_BYTES = 1024 * 1024;
const KEYS = [
  'name',
  'url',
  'points',
  'hmacSecret',
  'timeoutMs',
  'allowPrivateNetwork',
  'trustProxy',
  'version',
  'order',
];

/**
 * A policy that a team's own service decides. The service reads `{ point, policy, payload, result?, context, timestamp }`
 * and answers with the decision as JSON, such as `{ "type": "block", "reason": "..." }`, or `null` for no opinion. The
 * service sees what any policy sees at that point, locked values included. Every failure is one of the policy, which is
 * closed at each of its points: another status, no answer, an empty or unreadable one. Needs the package `undici`.
 * Throws `ConfigError`.
 */
export function webhookPolicy(options: WebhookPolicyOptions): AgentHooks {
  try {
    return buildWebhookPolicy(options, { undici: loadUndici(), resolve: systemResolver });
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const what =
      'the optional package `undici` in version 7 or newer is not installed or does not load here';
    const text = { where: 'webhookPolicy()', what, fix: 'Run `npm install undici`' };
    throw new ConfigError('missing-package', text, { cause });
  }
}

/** The same over another wire. */
export function buildWebhookPolicy(options: WebhookPolicyOptions, wire: Wire): AgentHooks {
  const url = checkOptions(options);
  const { name, points, version, order, timeoutMs = 4000 } = options;
  // The point's own limit comes after that of the request, which says what was slow.
  const own: HookOptions = { failure: 'closed', timeoutMs: timeoutMs + 500 };
  const asked = { options: { ...options, timeoutMs }, url, wire };
  return Object.freeze({
    name,
    ...(version !== undefined && { version }),
    ...(order !== undefined && { order }),
    options: Object.fromEntries(points.map((point) => [point, own])),
    ...Object.fromEntries(points.map((point) => [point, questionAt(point, asked)])),
  });
}

interface Asked {
  readonly options: WebhookPolicyOptions & { readonly timeoutMs: number };
  readonly url: URL;
  readonly wire: Wire;
}

/** A hook has as many parameters as its point gives, and the context is the last of them. */
function questionAt(point: WebhookPoint, asked: Asked): (...given: never[]) => Promise<unknown> {
  if (point === 'postToolUse')
    return (payload: unknown, result: unknown, ctx: HookContext) =>
      ask(point, { payload, result, ctx }, asked);
  return (payload: unknown, ctx: HookContext) => ask(point, { payload, ctx }, asked);
}

async function ask(
  point: WebhookPoint,
  {
    ctx,
    ...about
  }: { readonly payload: unknown; readonly result?: unknown; readonly ctx: HookContext },
  { options, url, wire }: Asked,
): Promise<unknown> {
  const { name: policy, hmacSecret, timeoutMs } = options;
  const { allowPrivateNetwork = false, trustProxy = false } = options;
  const question = {
    point,
    policy,
    ...about,
    context: factsOf(ctx),
    timestamp: new Date().toISOString(),
  };
  const body = Buffer.from(JSON.stringify(question).toWellFormed());
  if (body.length > MAX_BYTES) throw new Error('what is to be judged is larger than 1 MiB');
  const headers = {
    'user-agent': 'agent-hooks',
    accept: 'application/json',
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
    'X-Signature-256': createHmac('sha256', hmacSecret).update(body).digest('hex'),
  };
  const request = {
    url,
    method: 'POST',
    headers,
    body,
    allowPrivateNetwork,
    trustProxy,
    maxAnswerBytes: MAX_BYTES,
  };
  const deadline = new Deadline(timeoutMs, ctx.signal);
  try {
    const { status, text, isWhole } = await safeRequest(wire, request, deadline);
    if (status !== 200) throw new Error(`the service answered HTTP ${status}`);
    if (!isWhole) throw new Error('the service answered more than 1 MiB');
    return readDecision(point, text);
  } finally {
    deadline.close();
  }
}

/** `null` is no opinion, said in so many words; nothing else but a whole decision of this point is an answer. */
function readDecision(point: WebhookPoint, text: string): unknown {
  const answer: unknown = JSON.parse(text);
  if (answer === null) return undefined;
  const read = POINTS[point].codec?.read(answer);
  if (read === undefined || 'problem' in read)
    throw new Error(
      `the service gave no decision of this point: it ${read?.problem ?? 'has none'}`,
    );
  return read.decision;
}

function factsOf(ctx: HookContext): Readonly<Record<string, unknown>> {
  const {
    threadId,
    turnId,
    step,
    attempt,
    agentPath,
    model,
    purpose,
    sender,
    channel,
    session,
    recheck,
  } = ctx;
  return {
    threadId,
    turnId,
    step,
    attempt,
    agentPath,
    model,
    purpose,
    sender,
    channel,
    session,
    recheck,
  };
}

function checkOptions(options: WebhookPolicyOptions): URL {
  if (typeof options !== 'object' || options === null)
    throw invalid('it was given no options', 'Pass one object');
  const stray = Object.keys(options).find((key) => !KEYS.includes(key));
  if (stray !== undefined)
    throw invalid(`there is no option \`${stray}\``, `The options are ${KEYS.join(', ')}`);
  const { name, url, points, hmacSecret, timeoutMs = 4000 } = options;
  const { allowPrivateNetwork = false, trustProxy = false } = options;
  if (typeof name !== 'string' || name.trim() === '')
    throw invalid('`name` is no usable text', 'Name the policy');
  if (typeof hmacSecret !== 'string' || hmacSecret === '')
    throw invalid('`hmacSecret` is no text', 'Pass what the service checks the signature with');
  for (const [option, value] of Object.entries({ allowPrivateNetwork, trustProxy }))
    if (typeof value !== 'boolean')
      throw invalid(`\`${option}\` is not true or false`, 'Set one of them, or leave it out');
  if (typeof timeoutMs !== 'number' || !(timeoutMs >= 1 && timeoutMs <= 60_000))
    throw invalid(
      '`timeoutMs` is not a number from 1 to 60000',
      'Set the milliseconds the service has',
    );
  if (!Array.isArray(points) || points.length === 0 || !points.every(decides))
    throw invalid(
      '`points` is not a list of points that answer with a decision',
      'Name some, such as `preToolUse`',
    );
  const parsed = parseUrl(String(url), { allowHttp: allowPrivateNetwork });
  if ('url' in parsed) return parsed.url;
  throw invalid(`\`url\` cannot be used: ${parsed.problem}`, 'Pass a whole https:// address');
}

function decides(point: unknown): boolean {
  return (
    typeof point === 'string' &&
    Object.hasOwn(POINTS, point) &&
    POINTS[point as HookPoint].codec !== undefined
  );
}

function invalid(what: string, fix: string): ConfigError {
  return new ConfigError('invalid-option', { where: 'webhookPolicy()', what, fix });
}
