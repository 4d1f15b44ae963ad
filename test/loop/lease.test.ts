import { setTimeout as sleep } from 'node:timers/promises';
import { memoryStore, ThreadConflictError, type ThreadStore } from 'agent-hooks';
import { expect, test } from 'vitest';
import { desk } from './desk.ts';

function renewingWith(error: Error): ThreadStore {
  return new Proxy(memoryStore(), {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      return key === 'renew' ? () => Promise.reject(error) : member.bind(target);
    },
  });
}

const slowly = [
  async () => {
    await sleep(150);
    return 'hello';
  },
];

test('a store that fails while it renews a claim does not end the run', async () => {
  const store = renewingWith(new Error('the network is down'));
  const { agent } = desk({ script: slowly, store, more: { leaseMs: 100 } });
  expect(await agent.run({ message: 'go' })).toMatchObject({ status: 'completed', text: 'hello' });
});

test('a claim that somebody else has taken ends the run', async () => {
  const store = renewingWith(new ThreadConflictError('t'));
  const { agent } = desk({ script: slowly, store, more: { leaseMs: 100 } });
  expect(await agent.run({ message: 'go' })).toMatchObject({ status: 'cancelled' });
});
