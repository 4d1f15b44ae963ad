import { ConfigError } from '../../errors/config-error.ts';
import { ToolRefused } from '../../errors/tool-error.ts';
import type { Deadline } from '../../internal/safe-http/deadline.ts';
import { SafeHttpError } from '../../internal/safe-http/safe-http-error.ts';

/** Gives the token of one call. What it throws is told to nobody but this process. */
export type TokenSource = () => string | Promise<string>;

/** How a webhook says who calls. Made by `WebhookAuth.bearer` and `WebhookAuth.apiKey`; never holds a token itself. */
export interface WebhookAuth {
  readonly type: 'bearer' | 'api-key';
  /** The header that carries the token. */
  readonly header: string;
  /** The variable of the process it is read from, at each call. */
  readonly variable?: string;
  readonly token?: TokenSource;
}

/** Where the token comes from: the name of a variable, such as `CRM_TOKEN`, or a function, asked at each call. */
export type TokenOrigin = string | { readonly token: TokenSource };

/** Ways to authenticate. Both throw `ConfigError` for an origin that is no name in UPPER_SNAKE and no function. */
export const WebhookAuth: {
  /** `Authorization: Bearer <token>`. */
  readonly bearer: (origin: TokenOrigin) => WebhookAuth;
  /** The token as it is, in `X-API-Key` unless `header` names another. */
  readonly apiKey: (origin: TokenOrigin, options?: { readonly header?: string }) => WebhookAuth;
} = Object.freeze({
  bearer: (origin: TokenOrigin, ...rest: readonly unknown[]) => {
    if (rest.some((value) => value !== undefined))
      throw invalid(
        'bearer',
        'a bearer token has one header only',
        'Use `WebhookAuth.apiKey` for another header',
      );
    return readOrigin('bearer', origin, 'Authorization');
  },
  apiKey: (origin: TokenOrigin, options: { readonly header?: string } = {}) => {
    const { header = 'X-API-Key', ...others } = Object(options);
    if (
      typeof header !== 'string' ||
      !/^[\w!#$%&'*+.^`|~-]+$/.test(header) ||
      Object.keys(others).length > 0
    )
      throw invalid(
        'apiKey',
        'its options are not `{ header }` with the name of a header',
        'Name the header, or leave it out',
      );
    return readOrigin('api-key', origin, header);
  },
});

const VARIABLE = /^[A-Z][A-Z0-9_]*$/;

function readOrigin(type: WebhookAuth['type'], origin: unknown, header: string): WebhookAuth {
  const where = type === 'bearer' ? 'bearer' : 'apiKey';
  if (typeof origin === 'string') {
    if (VARIABLE.test(origin)) return Object.freeze({ type, header, variable: origin });
    // It could be a token that somebody put here by mistake, so it is not quoted.
    throw invalid(
      where,
      'the text is no name of a variable',
      'Use a name such as CRM_TOKEN; the token itself belongs in that variable',
    );
  }
  const { token, ...others } = Object(origin);
  if (typeof token !== 'function' || Object.keys(others).length > 0)
    throw invalid(
      where,
      'it needs the name of a variable or `{ token }`, and exactly one of them',
      "Write `'CRM_TOKEN'`, or `{ token: () => ... }`",
    );
  return Object.freeze({ type, header, token });
}

function invalid(where: string, what: string, fix: string): ConfigError {
  return new ConfigError('invalid-tool', { where: `WebhookAuth.${where}`, what, fix });
}

/** True for what the functions above made, or a copy of it. */
export function isWebhookAuth(value: unknown): value is WebhookAuth {
  const { type, header, variable, token } = Object(value);
  const hasOne = (typeof variable === 'string') !== (typeof token === 'function');
  return (type === 'bearer' || type === 'api-key') && typeof header === 'string' && hasOne;
}

/** The header of one call. Throws a refusal in fixed words: why is told to events and not to a model. */
export async function authHeader(
  auth: WebhookAuth,
  deadline: Deadline,
): Promise<[name: string, value: string]> {
  const token = await readToken(auth, deadline);
  if (!/^[\x20-\x7e]+$/.test(token) || token.trim() === '')
    throw cannot(`${originOf(auth)} gives no usable token`);
  return [auth.header, auth.type === 'bearer' ? `Bearer ${token}` : token];
}

async function readToken({ variable, token }: WebhookAuth, deadline: Deadline): Promise<string> {
  if (token === undefined) {
    const value = process.env[variable ?? ''];
    if (value === undefined || value === '') throw cannot(`the variable ${variable} is not set`);
    return value;
  }
  try {
    const given: unknown = await deadline.race(Promise.resolve().then(token));
    return typeof given === 'string' ? given : '';
  } catch (cause) {
    if (cause instanceof SafeHttpError && cause === deadline.error) throw cause;
    throw cannot('the function for its token threw', cause);
  }
}

function originOf({ variable }: WebhookAuth): string {
  return variable === undefined ? 'the function for its token' : `the variable ${variable}`;
}

function cannot(why: string, cause?: unknown): ToolRefused {
  return new ToolRefused(
    'the webhook could not authenticate. The user cannot change that. Do not claim success.',
    { eventText: `could not authenticate: ${why}`, ...(cause !== undefined && { cause }) },
  );
}
