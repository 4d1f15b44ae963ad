import {
  type AgentHooks,
  compose,
  createAgent,
  defineHooks,
  forTools,
  memoryStore,
  parallel,
  scriptedModel,
  shadow,
  ToolDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { counted, illegal } from '../../acceptance/play.ts';

const says = (name: string, decision: ToolDecision) =>
  defineHooks({ name, preToolUse: () => decision });
const shared = compose('shared', says('grants', ToolDecision.allow()));

const deskFor = (hooks: (thread: { readonly threadId: string }) => readonly AgentHooks[]) => {
  const store = memoryStore();
  const charge = counted('charge', { tier: 'confirm' });
  const model = scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']);
  const agent = createAgent({ name: 'desk', model, tools: [charge.tool], hooks, store });
  return { agent, store, charge, model };
};

describe('policies of a thread', () => {
  test('a thread has its own groups, over what all share', async () => {
    const own = ({ threadId }: { readonly threadId: string }) => [
      shared,
      threadId === 'strict'
        ? parallel('own', forTools(['charge'], says('stops', ToolDecision.block('no'))))
        : shadow(says('stops', ToolDecision.block('no'))),
    ];
    const ranOn = async (threadId: string) => {
      const { agent, charge } = deskFor(own);
      expect((await agent.run({ threadId, message: 'charge' })).status).toBe('completed');
      return charge.inputs.length;
    };
    expect(await ranOn('strict')).toBe(0);
    expect(await ranOn('loose')).toBe(1);
  });

  const failing: readonly (readonly [what: string, hooks: () => readonly AgentHooks[]])[] = [
    [
      'throws',
      () => {
        throw new TypeError('no such tenant');
      },
    ],
    [
      'combines what is no policy',
      () => [compose(shared, illegal({ preToolUes: () => undefined }))],
    ],
    ['combines nothing', () => [parallel()]],
  ];

  test.each(failing)(
    'a function that %s ends the run before anything is stored',
    async (_what, hooks) => {
      const ways = [
        ({ agent }: ReturnType<typeof deskFor>) => agent.run({ threadId: 't', message: 'charge' }),
        ({ agent }: ReturnType<typeof deskFor>) =>
          agent.runStep({ threadId: 't', message: 'charge' }),
        ({ agent }: ReturnType<typeof deskFor>) =>
          agent.stream({ threadId: 't', message: 'charge' }).result,
      ];
      for (const way of ways) {
        const desk = deskFor(hooks);
        expect(await way(desk)).toMatchObject({ status: 'failed', error: { code: 'hook-failed' } });
        expect(await desk.store.load('t')).toBeUndefined();
        expect(desk.model.requests).toEqual([]);
        expect(desk.charge.inputs).toEqual([]);
      }
    },
  );

  test('a list that no agent would take is refused before anything is stored', async () => {
    const { agent, store, model } = deskFor(() => [shared, shared]);
    await expect(agent.run({ threadId: 't', message: 'charge' })).rejects.toMatchObject({
      code: 'duplicate-policy',
    });
    expect(await store.load('t')).toBeUndefined();
    expect(model.requests).toEqual([]);
  });
});
