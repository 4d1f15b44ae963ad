import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentTool, createAgent, scriptedModel, tool } from '../../src/index.ts';
import { answersTo } from './approve.ts';
import { types } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const charge = { name: 'charge', input: { id: 'a' } };

/** A tool that ends the conversation, and who is handed over to: each notes when it was. */
function endings() {
  const ended: string[] = [];
  const hangUp = tool({
    name: 'hang_up',
    description: 'Ends the call',
    inputSchema: z.object({}),
    tier: 'auto',
    endsConversation: true,
    execute: () => {
      ended.push('hung up');
      return 'bye';
    },
  });
  const answers = () => {
    ended.push('handed over');
    return 'I take it from here';
  };
  const clerk = createAgent({ name: 'clerk-below', model: scriptedModel([answers]) });
  const handOver = agentTool(clerk, { name: 'hand_over', description: 'Hands over' });
  return { ended, tools: [hangUp, handOver] };
}

const ENDINGS = [
  ['ends the conversation', { name: 'hang_up' }, 'hung up'],
  ['hands over', { name: 'hand_over', input: { task: 'please' } }, 'handed over'],
] as const;

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    describe.each(ENDINGS)('B42: beside a call that %s', (_how, ending, noted) => {
      test.each([
        ['approved', true, 'succeeded'],
        ['refused', false, 'denied'],
      ] as const)(
        'the gated one is asked for first; %s, both are answered',
        async (_word, yes, outcome) => {
          const gated = counted('charge', { tier: 'confirm' });
          const { ended, tools } = endings();
          const model = scriptedModel([{ text: 'Bye!', toolCalls: [ending, charge] }, 'done']);
          const scene = { store: open(), model, tools: [...tools, gated.tool] };
          const paused = await play(mode, scene);
          const { approvals } = expectStatus(paused.result, 'awaiting-approval');
          expect(approvals.map(({ toolName }) => toolName)).toEqual(['charge']);
          expect([ended, gated.inputs]).toEqual([[], []]);
          expect(types(paused.heard)).not.toContain('thread.ended');
          const answers = answersTo(paused.result, yes);
          const result = await agentFor('run', scene).resume({ threadId: 't', answers });
          expectStatus(result, 'completed');
          expect(ended).toEqual([noted]);
          expect(gated.inputs).toHaveLength(yes ? 1 : 0);
          const results = Object.values(resultsIn(await scene.store.readMessages('t')));
          expect(results.map((each) => each.outcome)).toEqual(['succeeded', outcome]);
          await expectSound(paused);
        },
      );
    });
  });
});
