/** An address as it may be called, or what is wrong with it in words that do not quote it. */
export type ParsedUrl = { readonly url: URL } | { readonly problem: string };

/**
 * Reads an address of a service. Checked as it is written, too: the parser of the platform takes the path of
 * `https:///path` for a host, and loses an empty fragment, and port 0 is none to it but a number.
 */
export function parseUrl(raw: string, { allowHttp }: { readonly allowHttp: boolean }): ParsedUrl {
  // Other blanks and line ends are dropped by the parser, so that what was checked is not what is called.
  if (!/^[\x21-\x7e]+$/.test(raw))
    return { problem: 'it holds blanks or other characters that have to be encoded' };
  if (!/^https?:/i.test(raw)) return { problem: 'it does not begin with https://' };
  if (!/^https?:\/\/[^/?#\\]/i.test(raw)) return { problem: 'it names no host' };
  if (raw.includes('\\')) return { problem: 'it holds a backslash' };
  if (raw.includes('#')) return { problem: 'it has a fragment, which is never sent' };
  if (!URL.canParse(raw)) return { problem: 'it cannot be read as a URL' };
  const url = new URL(raw);
  if (/^https?:\/\/[^/?]*@/i.test(raw)) return { problem: 'it holds a user or a password' };
  if (url.protocol === 'http:' && !allowHttp)
    return { problem: 'it is not encrypted: it begins with http://' };
  if (url.port === '0') return { problem: 'its port is not one from 1 to 65535' };
  return { url };
}
