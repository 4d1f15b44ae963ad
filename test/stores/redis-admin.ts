import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';

/** The server beside the store, to look at it or to damage it. */
export function redisAdmin(url: string): {
  readonly admin: Redis;
  readonly newPrefix: () => string;
} {
  const admin = new Redis(url, { lazyConnect: true });
  admin.on('error', () => undefined);
  afterAll(() => admin.disconnect());
  return { admin, newPrefix: () => `test-${randomUUID()}` };
}
