import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isAllowedAddress } from './allowed-address.ts';
import { SafeHttpError } from './safe-http-error.ts';

export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name. */
export type Resolver = (hostname: string) => Promise<readonly HostAddress[]>;

export const systemResolver: Resolver = (hostname) => lookup(hostname, { all: true });

/**
 * The addresses of a host, each of them allowed. One that is not refuses all: whoever controls a name could have the
 * others there only to be found first.
 */
export async function resolveHost(
  url: URL,
  resolve: Resolver,
  allowPrivate: boolean,
): Promise<readonly HostAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  // An address is connected to without any lookup, so nobody would check it later.
  const addresses = family === 0 ? await lookUp(host, resolve) : [{ address: host, family }];
  if (addresses.every(({ address }) => isAllowedAddress(address, allowPrivate))) return addresses;
  throw new SafeHttpError(
    'refused',
    allowPrivate ? 'it leads to an address of no usable kind' : 'it leads into a private network',
  );
}

/** True for an address that names its host by number. */
export function isAddress(url: URL): boolean {
  return isIP(hostOf(url)) !== 0;
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

async function lookUp(host: string, resolve: Resolver): Promise<readonly HostAddress[]> {
  let found: readonly HostAddress[];
  try {
    found = await resolve(host);
  } catch (cause) {
    throw new SafeHttpError('failed', 'its name has no address', { cause });
  }
  const addresses = found.map(({ address }) => ({ address, family: isIP(address) }));
  if (addresses.length === 0) throw new SafeHttpError('failed', 'its name has no address');
  return addresses;
}
