import { defineHooks, MessageDecision } from 'agent-hooks';
import { expect, test } from 'vitest';
import { dyingStore, watched } from '../../loop/desk.ts';
import { askFirst, STORES, team } from './team.ts';

/** Refuses a word, and remembers something whenever a turn ends. */
const policy = () =>
  defineHooks({
    name: 'strict',
    onUserMessage: ({ text }) =>
      text.includes('swordfish') ? MessageDecision.block('a secret') : undefined,
    onError: (_error, { memory }) => {
      memory.set('errors', Number(memory.get('errors') ?? 0) + 1);
      return false;
    },
  });

const parts = { desk: { hooks: [policy()] }, clerk: { hooks: [askFirst] } };

test.each(STORES)(
  'a message that supersedes is stored nowhere before it is judged (%s)',
  async (_name, open) => {
    const store = open();
    await team({ ...parts, store }).desk.run({ threadId: 't', message: 'go' });
    const written: string[] = [];
    const seen = watched(store, (changes) => written.push(JSON.stringify(changes)));
    const dying = dyingStore(seen, 1);
    const { desk } = team({ ...parts, store: dying });
    await desk.run({ threadId: 't', message: 'swordfish', supersede: true });
    expect(written.length).toBeGreaterThan(0);
    expect(written.join()).not.toContain('swordfish');
  },
);
