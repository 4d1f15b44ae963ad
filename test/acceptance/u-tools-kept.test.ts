import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent, defineHooks, memoryStore, scriptedModel, tool } from '../../src/index.ts';
import { counted, expectStatus, sleep } from './play.ts';
import { resultsIn } from './traces.ts';

describe('what a tool threw', () => {
  test('U-C11: is told to whoever listens in the process, and is the cause where it ends the turn', async () => {
    const heard: unknown[] = [];
    const listen = (message: unknown): void => void heard.push(message);
    const error = new Error('ECONNREFUSED 10.0.0.3');
    const failing = counted('book', { execute: () => Promise.reject(error) }).tool;
    const seen: unknown[] = [];
    const hooks = [
      defineHooks({
        name: 'ends',
        onError: (asked) => {
          seen.push(asked);
          return false;
        },
      }),
    ];
    const model = scriptedModel([{ toolCalls: [{ name: 'book' }] }]);
    const agent = createAgent({ name: 'a', model, tools: [failing], hooks });
    subscribe('agent-hooks:tool.threw', listen);
    try {
      const result = await agent.run({ threadId: 't', message: 'go' });
      expect(expectStatus(result, 'failed').error.cause).toBe(error);
    } finally {
      unsubscribe('agent-hooks:tool.threw', listen);
    }
    expect(heard).toEqual([
      { threadId: 't', turnId: '1', callId: '1.1.0', toolName: 'book', error },
    ]);
    expect(seen).toMatchObject([{ code: 'tool-failed' }]);
    expect(JSON.stringify(seen)).not.toContain('ECONNREFUSED');
    expect(seen[0]).not.toHaveProperty('cause');
  });
});

test('U-E7: after a crash, what is hidden in the outcome that the ledger kept stays hidden', async () => {
  let now = 1_000;
  const disk = memoryStore({ now: () => now });
  const ran: unknown[] = [];
  const make = () => {
    const save = tool({
      name: 'save',
      inputSchema: z.object({}),
      outputSchema: z.object({ id: z.string(), pin: z.string() }),
      hidden: ['pin'],
      tier: 'auto',
      parallel: true,
      execute: () => {
        ran.push('save');
        return { id: 'X1', pin: 'HUSH' };
      },
    });
    const slow = counted('slow', { parallel: true, execute: () => sleep(30) });
    return [save, slow.tool];
  };
  const batch = { toolCalls: [{ name: 'save' }, { name: 'slow' }] };
  let commits = 0;
  const dying = new Proxy(disk, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== 'function') return member;
      if (key !== 'commit') return member.bind(target);
      return (...args: unknown[]) => {
        commits += 1;
        // The message, the calls, and the outcome of the first are stored; the end of the batch is not.
        if (commits > 3) return Promise.reject(new Error('the process is gone'));
        return Reflect.apply(member, target, args);
      };
    },
  });
  const first = createAgent({
    name: 'clerk',
    model: scriptedModel([batch]),
    tools: make(),
    store: dying,
  });
  await first.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
  now += 120_000;
  const again = createAgent({
    name: 'clerk',
    model: scriptedModel(['done']),
    tools: make(),
    store: disk,
  });
  await again.resume({ threadId: 't' });
  expect(ran).toEqual(['save']);
  const messages = await disk.readMessages('t');
  expect(resultsIn(messages)['1.1.0']).toEqual({ outcome: 'succeeded', output: { id: 'X1' } });
  expect(JSON.stringify(messages)).not.toContain('HUSH');
});
