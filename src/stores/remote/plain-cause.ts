import { describeThrown } from '../../internal/describe-thrown.ts';

/**
 * An error of a driver as it may be logged. Drivers hang the command with its arguments, the row or the connection
 * on their errors, and Node the address: none of that is kept.
 */
export function plainCause(error: unknown): Error {
  const { name, text } = describeThrown(error);
  const code = codeOf(error);
  // Several addresses that were tried in vain come as one error without a text.
  const plain = new Error(networkText(error) ?? (text === '' ? code : withoutHost(text, code)));
  plain.name = name;
  return code === undefined ? plain : Object.assign(plain, { code });
}

/** What Node says of the network without the address: it stands behind the call and its code. */
function networkText(error: unknown): string | undefined {
  const call: unknown = error instanceof Error ? Reflect.get(error, 'syscall') : undefined;
  return typeof call === 'string' ? `${call} ${codeOf(error)}` : undefined;
}

/** The certificate of another server than was asked for: Node says for which ones it is, and who was asked for. */
function withoutHost(text: string, code: string | undefined): string {
  return code === 'ERR_TLS_CERT_ALTNAME_INVALID' ? text.replace(/: .*/s, '') : text;
}

/** The code of an error of a driver or of Node's network, such as `ECONNRESET`. */
export function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** True where a connection could not be made or was cut, as Node tells it. */
export function isBrokenConnection(error: unknown): boolean {
  return BROKEN.has(codeOf(error) ?? '');
}

const BROKEN: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
