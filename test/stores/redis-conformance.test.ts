import { test } from 'vitest';
import type { ThreadStore } from '../../src/stores/port.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';
import { onService } from '../services/on-service.ts';
import { redisAdmin } from './redis-admin.ts';

await onService('redis', (url) => {
  const { newPrefix } = redisAdmin(url);
  const prefixes = new WeakMap<ThreadStore, string>();
  const openAt = (prefix: string, now: () => number): ThreadStore => {
    const store = redisStore({ url, prefix, now });
    prefixes.set(store, prefix);
    return store;
  };
  const cases = threadStoreConformance(({ now }) => openAt(newPrefix(), now), {
    reopen: (store, { now }) => openAt(prefixes.get(store) ?? '', now),
  });
  test.each(cases)('$name', ({ run }) => run());
});
