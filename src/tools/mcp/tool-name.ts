import { createHash } from 'node:crypto';

const WIRE_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const HASH_LENGTH = 8;

/**
 * The name a model calls a server's tool by. One that providers take stays as it is; any other is rewritten, with a
 * hash of the whole behind it. It depends on nothing but the name, so a tool keeps it whatever else its server has,
 * and two names that differ never become one.
 */
export function wireName(prefix: string, name: string): string {
  const whole = `${prefix}${name}`;
  if (WIRE_NAME.test(whole)) return whole;
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, HASH_LENGTH);
  const readable = whole.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64 - HASH_LENGTH - 1);
  return `${readable}_${hash}`;
}
