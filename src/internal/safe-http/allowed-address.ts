import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is given out for use on the internet. */
const GLOBAL_V6 = ipaddr.parseCIDR('2000::/3');

/** What a network of one's own may use, where that is allowed. Never those that mean many hosts, none or another one. */
const OWN_NETWORK: ReadonlySet<string> = new Set([
  'private',
  'loopback',
  'linkLocal',
  'carrierGradeNat',
  'uniqueLocal',
]);

/**
 * May this address be connected to? A public one always. One that is neither public nor of a known private kind never:
 * documentation, multicast and reserved ranges, and every form of IPv6 that leads to some IPv4 address by a detour.
 * Text that is no address is not allowed.
 */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  const read = readAddress(address);
  if (read === undefined) return false;
  const range = read.range();
  if (OWN_NETWORK.has(range)) return allowPrivate;
  return range === 'unicast' && (read.kind() === 'ipv4' || read.match(GLOBAL_V6));
}

/** An IPv4 address that is written as one of IPv6 is what it stands for: `::ffff:8.8.8.8` is as public as `8.8.8.8`. */
function readAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  // Shortened and octal forms mean different addresses to different readers, and zones name an interface of this machine.
  switch (isIP(address)) {
    case 4:
      return ipaddr.IPv4.isValidFourPartDecimal(address) ? ipaddr.IPv4.parse(address) : undefined;
    case 6:
      return address.includes('%') ? undefined : ipaddr.process(withoutDots(address));
    default:
      return undefined;
  }
}

/** The package takes `::8.8.8.8`, which leads nowhere, for `::ffff:8.8.8.8`; in hex the two are told apart. */
function withoutDots(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}
