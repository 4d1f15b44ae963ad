import { describe, expect, test } from 'vitest';
import { createAgent, memoryStore, scriptedModel, type ThreadStore } from '../../src/index.ts';
import { dyingStore } from '../loop/desk.ts';
import { hear, ofType } from './evidence.ts';
import { counted } from './play.ts';

/** A store that cannot say any more what became of a call. */
function withoutLedger(store: ThreadStore): ThreadStore {
  return new Proxy(store, {
    get(target, key) {
      if (key === 'readLedger') return () => Promise.reject(new Error('the disk is gone'));
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

describe('a part of a run that fails in a way it must not', () => {
  /** A process that ends while a call that must not run twice is under way. */
  async function cutOff() {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const pay = counted('pay');
    const agentOn = (store: ThreadStore) =>
      createAgent({
        name: 'a',
        model: scriptedModel([({ messages }) => (messages.at(-1)?.role === 'tool' ? 'ok' : CALL)]),
        store,
        tools: [pay.tool],
      });
    await agentOn(dyingStore(disk, 2))
      .run({ threadId: 't', message: 'go' })
      .catch((error: unknown) => error);
    now += 60_000;
    return { disk, pay, agentOn };
  }

  test('M-57: ends what is heard of the turn once, as failed, and leaves it to a later run', async () => {
    const { disk, pay, agentOn } = await cutOff();
    const agent = agentOn(withoutLedger(disk));
    const heard = hear(agent);
    const result = await agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
    expect(ofType(heard, 'turn.finished')).toMatchObject([{ turnId: '1', status: 'failed' }]);
    const ran = pay.inputs.length;
    expect(await agentOn(disk).resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
    expect(pay.inputs).toHaveLength(ran);
    expect(ofType(await disk.readEvents('t'), 'turn.finished')).toMatchObject([
      { status: 'completed' },
    ]);
  });

  test('M-57 twin: with a store that works the first run that picks it up completes it', async () => {
    const { disk, agentOn } = await cutOff();
    expect(await agentOn(disk).resume({ threadId: 't' })).toMatchObject({ status: 'completed' });
  });
});

const CALL = { toolCalls: [{ name: 'pay' }] };
