import { METHODS } from 'node:http';
import { checkKnown, TOOL_OPTIONS } from '../check-options.ts';
import { isWebhookAuth, type WebhookAuth } from './auth.ts';
import type { Refuse } from './invalid.ts';

/** How a webhook is called. */
export interface WebhookOptions {
  /** One that HTTP knows, in any case. Default `POST`. `GET` puts the arguments into the query; every other one sends them as JSON. */
  readonly method?: string;
  /** Sent with each call. Secrets belong in `auth`, which reads them at each call. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Signs the body: `X-Signature-256` is the HMAC-SHA256 of exactly the bytes that are sent, as hex. Not with `GET`. */
  readonly hmacSecret?: string;
  /** Seconds for all of it: token, name, connection, redirects and answer. 1 to 60, default 10. */
  readonly timeout?: number;
  /** Allows `http://` and addresses of private networks, as for a service beside this one. Default: false. */
  readonly allowPrivateNetwork?: boolean;
  /**
   * Goes through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. The proxy then looks names up, and keeping
   * private addresses out is its business. Default: false, and the variables are not read.
   */
  readonly trustProxy?: boolean;
  /** Who calls. Default: nobody says so. */
  readonly auth?: WebhookAuth;
  /** `raw` sends the arguments, `envelope` puts them beside the name of the tool and what the run knows. Default: `raw`. */
  readonly body?: 'raw' | 'envelope';
  /** The name in the envelope. Default: that of the tool. */
  readonly toolName?: string;
  /** With `false` the call is `accepted` at once and the answer, whatever it is, reaches no model. Needs `outputSchema: Accepted`. Default: true. */
  readonly waitForResponse?: boolean;
}

/** The options with their defaults in place. */
export interface CheckedOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly hmacSecret?: string;
  readonly timeoutMs: number;
  readonly allowPrivateNetwork: boolean;
  readonly trustProxy: boolean;
  readonly auth?: WebhookAuth;
  readonly body: 'raw' | 'envelope';
  readonly toolName: string;
  readonly waitForResponse: boolean;
}

const WEBHOOK_OPTIONS = {
  method: [(value: unknown) => typeof value === 'string', 'a text such as `PUT`'],
  headers: [isTexts, 'an object of texts'],
  hmacSecret: [
    (value: unknown) => typeof value === 'string' && value !== '',
    'a text that is not empty',
  ],
  timeout: [
    (value: unknown) => typeof value === 'number' && value >= 1 && value <= 60,
    'a number of seconds from 1 to 60',
  ],
  allowPrivateNetwork: [isBoolean, 'true or false'],
  trustProxy: [isBoolean, 'true or false'],
  auth: [isWebhookAuth, 'what `WebhookAuth.bearer(...)` or `WebhookAuth.apiKey(...)` gives'],
  body: [(value: unknown) => value === 'raw' || value === 'envelope', "'raw' or 'envelope'"],
  toolName: [
    (value: unknown) => typeof value === 'string' && value.trim() !== '',
    'a text that is not blank',
  ],
  waitForResponse: [isBoolean, 'true or false'],
} as const satisfies Record<
  keyof WebhookOptions,
  readonly [accepts: (value: unknown) => boolean, what: string]
>;

/** What a webhook does in the place of `execute`, under its own limit. */
const NOT_HERE: readonly string[] = ['execute', 'timeoutMs'];

export const WEBHOOK_KEYS: readonly string[] = ['url', ...Object.keys(WEBHOOK_OPTIONS)];

/** Reads what is about the webhook out of all options. */
export function checkWebhookOptions(
  options: WebhookOptions & { readonly name: string },
  refuse: Refuse,
): CheckedOptions {
  const { method = 'POST', headers = {}, body = 'raw', timeout = 10, hmacSecret, auth } = options;
  const known = TOOL_OPTIONS.filter((option) => !NOT_HERE.includes(option));
  checkKnown(`webhook '${String(options.name).slice(0, 80)}'`, Object.keys(options), [
    ...known,
    ...WEBHOOK_KEYS,
  ]);
  for (const [option, [accepts, what]] of Object.entries(WEBHOOK_OPTIONS)) {
    const value: unknown = Reflect.get(options, option);
    if (value !== undefined && !accepts(value))
      refuse(`\`${option}\` is not ${what}`, `Set \`${option}\` to ${what}`);
  }
  const verb = checkMethod(method, refuse);
  if (verb === 'GET' && hmacSecret !== undefined)
    refuse(
      '`hmacSecret` has nothing to sign, as GET sends no body',
      'Use another method, or leave it out',
    );
  if (verb === 'GET' && body === 'envelope')
    refuse(
      "`body: 'envelope'` has no place, as GET sends no body",
      'Use another method, or leave it out',
    );
  checkHeaders(headers, auth, refuse);
  return {
    method: verb,
    headers: Object.freeze({ ...headers }),
    timeoutMs: timeout * 1000,
    allowPrivateNetwork: options.allowPrivateNetwork ?? false,
    trustProxy: options.trustProxy ?? false,
    body,
    toolName: options.toolName ?? options.name,
    waitForResponse: options.waitForResponse ?? true,
    ...(hmacSecret !== undefined && { hmacSecret }),
    ...(auth !== undefined && { auth }),
  };
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
const METHODS_WITHOUT_ANSWER: readonly string[] = ['CONNECT', 'TRACE', 'HEAD'];

function checkMethod(method: string, refuse: Refuse): string {
  const verb = method.toUpperCase();
  if (!METHODS.includes(verb))
    refuse('`method` is none that HTTP servers know', 'Use POST, PUT, PATCH, DELETE or GET');
  if (METHODS_WITHOUT_ANSWER.includes(verb))
    refuse(
      `\`method\` is ${verb}, which gives no answer to read`,
      'Use POST, PUT, PATCH, DELETE or GET',
    );
  return verb;
}

/** What the engine says itself, or what decides how far the request reaches. */
const RESERVED: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'idempotency-key',
  'x-signature-256',
]);

function checkHeaders(
  headers: Readonly<Record<string, string>>,
  auth: WebhookAuth | undefined,
  refuse: Refuse,
): void {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (!TOKEN.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      refuse(
        `the header '${TOKEN.test(name) ? name : '?'}' has a character that headers cannot have`,
        'Use plain ASCII without line ends',
      );
    if (RESERVED.has(key)) refuse(`the header '${name}' is set by the engine`, 'Leave it out');
    if (key === auth?.header.toLowerCase())
      refuse(`the header '${name}' is the one that \`auth\` sets`, 'Leave out one of them');
    if (seen.has(key)) refuse(`the header '${name}' is there twice`, 'Leave out one of them');
    seen.add(key);
  }
  if (auth !== undefined && RESERVED.has(auth.header.toLowerCase()))
    refuse('`auth` uses a header that the engine sets', 'Name another one');
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isTexts(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}
