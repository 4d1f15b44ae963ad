import { createHmac } from 'node:crypto';

/** HMAC-SHA256 of a text under a key, as base64url. */
export function hmac(key: string, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}
