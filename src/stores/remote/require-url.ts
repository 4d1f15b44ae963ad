import { ConfigError } from '../../errors/config-error.ts';

/** Gives the address back. What is wrong with it is said without repeating it: it holds a password. */
export function requireUrl(
  where: string,
  url: unknown,
  protocols: readonly [string, ...string[]],
): string {
  if (typeof url === 'string' && URL.canParse(url) && protocols.includes(new URL(url).protocol)) {
    return url;
  }
  throw new ConfigError('invalid-option', {
    where,
    what: `\`url\` is no address that begins with ${protocols.map((one) => `${one}//`).join(' or ')}`,
    fix: `Give one such as '${protocols[0]}//user:password@host', with special characters of the password percent-encoded`,
  });
}
