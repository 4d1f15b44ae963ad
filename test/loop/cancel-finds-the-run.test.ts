import { setTimeout as sleep } from 'node:timers/promises';
import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  type ThreadStore,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import { callPay, desk } from './desk.ts';

/** A store whose claims take a while, as those behind a network do. */
function slowClaims(store: ThreadStore, ms: number): ThreadStore {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      if (key !== 'claim') return member.bind(target);
      return async (...args: Parameters<ThreadStore['claim']>) => {
        await sleep(ms);
        return target.claim(...args);
      };
    },
  });
}

test('a run that claimed the thread while the one before it ended can be cancelled', async () => {
  const model = scriptedModel([
    'one',
    async () => {
      await sleep(300);
      return 'two';
    },
  ]);
  const agent = createAgent({ name: 'a', model, store: slowClaims(memoryStore(), 30) });
  const first = agent.run({ threadId: 't', message: 'first' });
  await sleep(20);
  const second = agent.run({ threadId: 't', message: 'second' });
  await first;
  await sleep(60);
  await expect(agent.cancel('t')).resolves.toMatchObject({ status: 'cancelled' });
  await expect(second).resolves.toMatchObject({ status: 'cancelled' });
});

test('a suspended turn can be cancelled when the policies are made from the context of a run', async () => {
  const { agent } = desk({
    script: [{ toolCalls: [callPay(5)] }],
    more: {
      hooks: ({ context }) => {
        const { tenant } = context as { readonly tenant: string };
        return [
          defineHooks({
            name: tenant,
            preToolUse: () => ({ type: 'requires-confirmation', prompt: 'ok?' }),
          }),
        ];
      },
    },
  });
  const paused = await agent.run({ threadId: 't', message: 'go', context: { tenant: 'x' } });
  expect(paused.status).toBe('awaiting-approval');
  await expect(agent.cancel('t')).resolves.toMatchObject({ status: 'cancelled' });
  expect(await agent.pendingApprovals()).toEqual([]);
});

test.each([0, 10])(
  'a run that still asks for its thread can be cancelled (claims take %i ms)',
  async (ms) => {
    const inner = memoryStore();
    const store = ms === 0 ? inner : slowClaims(inner, ms);
    const agent = createAgent({ name: 'a', model: scriptedModel(['one']), store });
    const running = agent.run({ threadId: 't', message: 'first' });
    const cancelled = await agent.cancel('t');
    expect(cancelled).toMatchObject({ status: 'cancelled', turnId: '1' });
    expect(await running).toBe(cancelled);
  },
);

test('a run that is refused its thread does not hide the one that has it', async () => {
  const agent = createAgent({ name: 'a', model: scriptedModel(['one', 'two']) });
  const first = agent.run({ threadId: 't', message: 'first' });
  const second = agent.run({ threadId: 't', message: 'second' }).catch((error: Error) => error);
  expect(await agent.cancel('t')).toMatchObject({ status: 'cancelled', turnId: '1' });
  expect(await first).toMatchObject({ status: 'cancelled' });
  expect(await second).toMatchObject({ name: 'ThreadBusyError' });
});
