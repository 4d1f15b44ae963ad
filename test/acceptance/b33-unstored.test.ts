import { describe, expect, test, vi } from 'vitest';
import {
  createAgent,
  defineHooks,
  MessageDecision,
  memoryStore,
  scriptedModel,
  TurnDecision,
} from '../../src/index.ts';
import { hear, types } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { MODES } from './modes.ts';
import { counted } from './play.ts';

describe.each(MODES)('what is not in the store ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };

  test('B33: a pause that could not be stored is announced to nobody', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }]);
    // The second commit is that of the pause.
    const store = failingStore(memoryStore(), (commit) => commit === 2);
    const agent = createAgent({ name: 'a', model, store, tools: [charge.tool] });
    const heard = hear(agent);
    expect(await turn(agent, input)).toMatchObject({ status: 'failed' });
    expect(types(heard)).not.toContain('approval.requested');
    expect(types(heard)).not.toContain('llm.responded');
    expect(await agent.pendingApprovals()).toEqual([]);
    expect(types(heard).slice(-2)).toEqual(['step.finished', 'turn.finished']);
  });

  test('B33 twin: one that could be is', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }]);
    const agent = createAgent({ name: 'a', model, tools: [charge.tool] });
    const heard = hear(agent);
    expect(await turn(agent, input)).toMatchObject({ status: 'awaiting-approval' });
    expect(types(heard)).toContain('approval.requested');
  });

  test('H06: a thread that was run is given back with its timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    try {
      const agent = createAgent({ name: 'a', model: scriptedModel(['hi']) });
      expect(await turn(agent, input)).toMatchObject({ status: 'completed' });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  test('B01: a message that onUserMessage blocks is in the audit only, as discarded; one of a turn that may not begin is nowhere', async () => {
    const message = 'my pin is 4711';
    const guards = [
      defineHooks({ name: 'guard', onUserMessage: () => MessageDecision.block('not that') }),
      defineHooks({ name: 'guard', onTurnStart: () => TurnDecision.block('closed') }),
    ];
    for (const guard of guards) {
      const store = memoryStore();
      const model = scriptedModel(['ok']);
      const agent = createAgent({ name: 'a', model, store, hooks: [guard] });
      expect(await turn(agent, { threadId: 't', message })).toMatchObject({ status: 'blocked' });
      const saying = (await store.readEvents('t')).filter((event) =>
        JSON.stringify(event).includes('4711'),
      );
      const discarded = [{ type: 'message.user', text: message, discarded: true }];
      expect(saying).toMatchObject(guard.onTurnStart === undefined ? discarded : []);
      expect(JSON.stringify([await store.load('t'), await store.readMessages('t')])).not.toContain(
        '4711',
      );
    }
  });
});
