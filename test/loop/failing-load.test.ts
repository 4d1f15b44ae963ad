import { memoryStore, type ThreadStore } from 'agent-hooks';
import { expect, test } from 'vitest';
import { desk } from './desk.ts';

function failingAt(method: keyof ThreadStore): ThreadStore {
  return new Proxy(memoryStore(), {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      if (key === method) return () => Promise.reject(new Error('the disk is gone'));
      return member.bind(target);
    },
  });
}

test.each(['claim', 'load'] as const)(
  'a store that fails at `%s` gives a failed result, as at any other method',
  async (method) => {
    const { agent } = desk({ script: ['hello'], store: failingAt(method) });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
  },
);
