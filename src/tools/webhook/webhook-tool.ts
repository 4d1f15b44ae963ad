import { ConfigError } from '../../errors/config-error.ts';
import { Deadline } from '../../internal/safe-http/deadline.ts';
import { loadUndici } from '../../internal/safe-http/load-undici.ts';
import { systemResolver } from '../../internal/safe-http/resolve-host.ts';
import { type SafeRequest, safeRequest, type Wire } from '../../internal/safe-http/safe-request.ts';
import { toJson } from '../../internal/to-json.ts';
import type { JsonObject, JsonValue } from '../../protocol/json.ts';
import type { StateOf } from '../../protocol/state-values.ts';
import { propertyNames } from '../check-arguments.ts';
import { checkToolOptions } from '../check-options.ts';
import { Accepted } from '../done.ts';
import { inputJsonSchemas } from '../input-json-schema.ts';
import type { ToolContext } from '../port.ts';
import type { SchemaInput, ToolSchema } from '../schema.ts';
import { type Tool, type ToolOptions, type ToolReturn, tool } from '../tool.ts';
import { readAnswer, toolErrorOf } from './answer.ts';
import { authHeader, type WebhookAuth } from './auth.ts';
import { Background } from './background.ts';
import { type Refuse, refuseFor } from './invalid.ts';
import { checkWebhookOptions, WEBHOOK_KEYS, type WebhookOptions } from './options.ts';
import { checkQuery } from './query.ts';
import { buildRequest, type Webhook } from './request.ts';
import { readTemplate, stateNamesOf } from './url-template.ts';

/** How a webhook tool is declared: as any tool, with an address in the place of `execute`. */
export type WebhookToolOptions<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context = unknown,
  State = StateOf<Context>,
> = Omit<ToolOptions<Input, Output, Context, State>, 'execute' | 'timeoutMs'> &
  WebhookOptions & {
    /**
     * Where it is sent: `https://`, a fixed host, and `{{placeholders}}` in the path and in values of the query: a field of
     * the thread's state, `input.` for an argument, `session.`, `sender.` and `channel.` for the facts of the run. Each is
     * encoded; one that is not set refuses the call.
     */
    readonly url: string;
  };

/** A tool that calls a service. */
export interface WebhookTool<Input = JsonObject, Context = unknown, State = StateOf<Context>>
  extends Tool<Input, Context, State> {
  /**
   * Waits for what was sent with `waitForResponse: false`, for one thread or for all. Never throws. `agent.endThread` does
   * it for its thread.
   */
  readonly drain: (threadId?: string) => Promise<void>;
}

/**
 * Declares a tool that calls a team's own service, safe by construction: only public addresses, each looked up once and
 * connected to as it was checked; redirects on the same origin only; one limit over all of it; 64 KiB each way; one
 * idempotency key a call; never a second attempt. Needs the package `undici`. Throws `ConfigError`.
 *
 * @example
 * const addNote = webhookTool({
 *   name: 'add_note',
 *   description: 'Writes a note about the customer',
 *   url: 'https://crm.example.com/customers/{{customerId}}/notes',
 *   inputSchema: z.object({ text: z.string() }),
 *   sideEffects: 'idempotent',
 *   tier: 'auto',
 *   auth: WebhookAuth.bearer('CRM_TOKEN'),
 * });
 */
export function webhookTool<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context = unknown,
  State = StateOf<Context>,
>(
  options: WebhookToolOptions<Input, Output, Context, State>,
): WebhookTool<SchemaInput<Input>, Context, State> {
  return buildWebhookTool(options, systemWire());
}

/** The same over another wire. */
export function buildWebhookTool<
  Input extends ToolSchema,
  Output extends ToolSchema,
  Context = unknown,
  State = StateOf<Context>,
>(
  options: WebhookToolOptions<Input, Output, Context, State>,
  wire: Wire,
): WebhookTool<SchemaInput<Input>, Context, State> {
  const refuse = refuseFor(Object(options).name);
  const webhook = declare(options, refuse);
  const background = new Background(options.maxConcurrent);
  const call = (input: unknown, ctx: ToolContext<never, never>): Promise<JsonValue> =>
    callWebhook({ webhook, wire, background }, toJson(input) as JsonObject, ctx); // A tool's input is an object.
  const declared = tool<Input, Output, Context, State>({
    ...withoutWebhook(options),
    // The schema of the output checks what it really is; the context is handed on, not looked into.
    execute: (input, ctx) =>
      call(input, ctx as never) as Promise<never> as Promise<ToolReturn<Output>>,
  });
  return Object.freeze({
    ...declared,
    stateNames: { option: 'url', names: stateNamesOf(webhook.template) },
    drain: (threadId?: string) => background.drain(threadId),
  });
}

function systemWire(): Wire {
  try {
    return { undici: loadUndici(), resolve: systemResolver };
  } catch (cause) {
    throw new ConfigError(
      'missing-package',
      {
        where: 'webhookTool()',
        what: 'the optional package `undici` in version 7 or newer is not installed or does not load here',
        fix: 'Run `npm install undici`',
      },
      { cause },
    );
  }
}

interface Declaration extends WebhookOptions {
  readonly name: string;
  readonly url: string;
  readonly description?: string;
  readonly inputSchema: ToolSchema;
  readonly outputSchema?: ToolSchema;
}

function declare(options: Declaration, refuse: Refuse): Webhook {
  if (typeof options !== 'object' || options === null)
    refuse('it was given no options', 'Pass one object');
  const checked = checkWebhookOptions(options, refuse);
  // Before any of them is read: the schema is, and so is the description.
  checkToolOptions({ ...withoutWebhook(options), execute: declare });
  if (typeof options.url !== 'string')
    refuse('`url` is no text', 'Pass the address of the service');
  const template = readTemplate(options.url, checked.allowPrivateNetwork, refuse);
  if (!checked.waitForResponse && (options.outputSchema as unknown) !== Accepted)
    refuse(
      '`waitForResponse: false` gives `Accepted` and nothing else',
      'Set `outputSchema: Accepted`',
    );
  const place = {
    code: 'invalid-tool',
    where: `webhook '${options.name}'`,
    member: 'inputSchema',
  } as const;
  const { full } = inputJsonSchemas(options.inputSchema, place);
  if (checked.method === 'GET') checkQuery(full, template, refuse);
  const names = propertyNames(full);
  const stray = template.paths.find(
    ([root, key]) => root === 'input' && names?.includes(key ?? '') === false,
  );
  if (stray !== undefined)
    refuse(
      `\`url\` has the placeholder '${stray.join('.')}', which is no argument`,
      `The arguments are: ${names?.join(', ')}`,
    );
  const own = full['description'];
  const said = [options.description, typeof own === 'string' ? own : undefined].find(
    (text) => text !== undefined && text.trim() !== '',
  );
  return { options: checked, template, description: said ?? options.name };
}

function withoutWebhook<Options extends object>(
  options: Options,
): Omit<Options, keyof WebhookOptions | 'url'> {
  const entries = Object.entries(options).filter(([key]) => !WEBHOOK_KEYS.includes(key));
  return Object.fromEntries(entries) as Omit<Options, keyof WebhookOptions | 'url'>; // all of them but these
}

interface Sender {
  readonly webhook: Webhook;
  readonly wire: Wire;
  readonly background: Background;
}

/** What cannot be sent is refused before anything is accepted: only the way out and back is left to the background. */
async function callWebhook(
  { webhook, wire, background }: Sender,
  input: JsonObject,
  ctx: ToolContext<never, never>,
): Promise<JsonValue> {
  const { timeoutMs, waitForResponse, auth } = webhook.options;
  const request = buildRequest(webhook, input, ctx);
  const deadline = new Deadline(timeoutMs, ctx.signal);
  try {
    const ready = auth === undefined ? request : await signedIn(request, auth, deadline);
    if (waitForResponse) return await answered(wire, ready, deadline);
    background.send(() => sendLater(wire, ready, timeoutMs), ctx);
    return { ok: true, accepted: true };
  } catch (error) {
    throw toolErrorOf(error);
  } finally {
    deadline.close();
  }
}

async function signedIn(
  request: SafeRequest,
  auth: WebhookAuth,
  deadline: Deadline,
): Promise<SafeRequest> {
  const [name, value] = await authHeader(auth, deadline);
  return { ...request, headers: { ...request.headers, [name]: value } };
}

/** Under a limit that begins when it does, and without the cancel of its turn: what was accepted goes on. */
async function sendLater(wire: Wire, request: SafeRequest, timeoutMs: number): Promise<void> {
  const deadline = new Deadline(timeoutMs);
  try {
    await answered(wire, request, deadline);
  } finally {
    deadline.close();
  }
}

async function answered(wire: Wire, request: SafeRequest, deadline: Deadline): Promise<JsonValue> {
  return readAnswer(await safeRequest(wire, request, deadline));
}
