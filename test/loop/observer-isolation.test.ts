import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { desk } from './desk.ts';

const trap = (): never => {
  throw new Error('a trap');
};

describe('an observer has no power over the run', () => {
  test('one that throws an object that cannot be looked at changes nothing', async () => {
    const { agent, store } = desk({ script: ['hello'] });
    agent.on('message.user', () => {
      throw new Proxy({}, { getPrototypeOf: trap });
    });
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result.status).toBe('completed');
    expect(await store.readMessages('t')).toHaveLength(2);
  });

  test('one that throws an error whose name cannot be read changes nothing', async () => {
    const { agent } = desk({ script: ['hello'] });
    agent.on('message.user', () => {
      throw Object.defineProperty(new Error('x'), 'name', { get: trap });
    });
    expect((await agent.run({ message: 'go' })).status).toBe('completed');
  });

  test('one that returns a thenable whose `then` throws leaves nothing unsettled', async () => {
    const { agent } = desk({ script: ['hello'] });
    // biome-ignore lint/suspicious/noThenProperty: what is tested
    agent.on('turn.started', () => ({ then: trap }));
    await agent.run({ message: 'go' });
    await expect(Promise.race([agent.settled(), sleep(500, 'hangs')])).resolves.toBeUndefined();
  });
});
