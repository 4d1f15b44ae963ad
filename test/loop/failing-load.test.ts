import { type JsonObject, memoryStore, type ThreadStore } from 'agent-hooks';
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

const damages: readonly (readonly [what: string, state: JsonObject])[] = [
  ['has no phase', { phase: undefined as never }],
  ['has a phase that is nothing', { phase: null }],
  ['has a phase that is a text', { phase: 'finished' }],
  ['has a phase that nobody knows', { phase: { name: 'dreaming' } }],
];

test.each(damages)(
  'a stored state that %s is a corrupt record, with a summary and without',
  async (_what, damage) => {
    for (const summary of [undefined, { text: 'the gist', upTo: 1 }]) {
      const store = memoryStore();
      await desk({ script: ['hello'], store }).agent.run({ threadId: 't', message: 'go' });
      const load: ThreadStore['load'] = async (threadId) => {
        const thread = await store.load(threadId);
        return (
          thread && {
            ...thread,
            state: { ...thread.state, ...(summary && { summary }), ...damage },
          }
        );
      };
      const damaged = new Proxy(store, {
        get: (target, key) => {
          const member: unknown = key === 'load' ? load : Reflect.get(target, key);
          return typeof member === 'function' ? member.bind(target) : member;
        },
      });
      const running = desk({ script: ['hello'], store: damaged }).agent.run({
        threadId: 't',
        message: 'again',
      });
      await expect(running).rejects.toMatchObject({
        code: 'corrupt-record',
        message: expect.stringContaining("thread 't'"),
      });
    }
  },
);
