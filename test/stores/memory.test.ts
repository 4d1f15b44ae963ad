import { describe, expect, test } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import type { ThreadChanges } from '../../src/stores/port.ts';
import { changes, event, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { threadStoreConformance } from '../../src/testing/conformance/thread-store.ts';

describe('memory store', () => {
  test.each(threadStoreConformance(({ now }) => memoryStore({ now })))('$name', ({ run }) => run());

  test('every method answers at once', () => {
    const store = memoryStore();
    const claim = store.claim('t', { holder: 'a', ttlMs: 1_000 });
    expect(claim).toMatchObject({ token: 1 });
    expect(store.commit('t', 1, 0, changes())).toBeUndefined();
    expect(store.load('t')).toMatchObject({ version: 1 });
    expect(store.readMessages('t')).toEqual([]);
  });

  test('values are kept as they are, and an event is frozen when it is read', async () => {
    const store = memoryStore();
    const first = { ...event('t', 1) };
    const message = userMessage('one');
    const some: ThreadChanges = { ...changes(), messages: [message], events: [first] };
    await store.claim('t', { holder: 'a', ttlMs: 1_000 });
    await store.commit('t', 1, 0, some);
    expect((await store.readMessages('t'))[0]).toBe(message);
    expect(Object.isFrozen(first)).toBe(false);
    expect((await store.readEvents('t'))[0]).toBe(first);
    expect(Object.isFrozen(first)).toBe(true);
  });
});
