import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  type AgentHooks,
  type ConfirmationOptions,
  defineHooks,
  type RunResult,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { agentFor, counted, expectStatus, play, type Scene, stores } from '../acceptance/play.ts';

const asks = (
  name: string,
  options: ConfirmationOptions = { quorum: 2 },
  more: Partial<AgentHooks> = {},
) =>
  defineHooks({
    name,
    preToolUse: () => ToolDecision.requiresConfirmation(`${name}?`, options),
    ...more,
  });

describe.each(stores())('quorum, %s store', (_name, open) => {
  /** A turn that waits, and answers that always come from another process. */
  async function pausedBy(...hooks: AgentHooks[]) {
    const charge = counted('charge');
    const script = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done', 'and more'];
    const scene: Scene = {
      store: open(),
      model: scriptedModel(script),
      tools: [charge.tool],
      hooks,
    };
    const { result } = await play('run', scene);
    const told: AgentEvent[] = [];
    const pending = async (changed: Scene = scene) => {
      const [one] = await agentFor('run', changed).pendingApprovals();
      return one;
    };
    const answer = async (
      by: string,
      more: { approved?: boolean; input?: { id: string }; scene?: Scene; reason?: string } = {},
    ): Promise<RunResult> => {
      const { scene: given = scene, ...rest } = more;
      const approvalId = (await pending(given))?.approvalId ?? '';
      const agent = agentFor('run', given);
      agent.on('approval.answered', (event) => told.push(event));
      return agent.resume({
        threadId: 't',
        answers: [{ approvalId, approved: true, by, ...rest }],
      });
    };
    expectStatus(result, 'awaiting-approval');
    return { charge, scene, pending, answer, told };
  }

  test('a yes that is not enough leaves the approval open under its id, and says who gave it', async () => {
    const { charge, pending, answer, told } = await pausedBy(asks('two'));
    const before = await pending();
    const half = await answer('ann', { reason: 'looks right' });
    expectStatus(half, 'awaiting-approval');
    expect(charge.inputs).toEqual([]);
    const after = await pending();
    expect(after?.approvalId).toBe(before?.approvalId);
    expect(after).toMatchObject({
      status: 'open',
      requirements: [{ policy: 'two', quorum: 2 }],
      votes: [{ by: 'ann', reason: 'looks right' }],
    });
    expectStatus(await answer('bob'), 'completed');
    expect(charge.inputs).toEqual([{ id: 'a' }]);
    expect(await pending()).toBeUndefined();
    expect(told).toMatchObject([{ by: 'ann', approved: true, needed: 1 }, { by: 'bob' }]);
    expect(told[1]).not.toHaveProperty('needed');
  });

  test('one person is one person, however often they say yes', async () => {
    const { charge, answer } = await pausedBy(asks('two'));
    await answer('ann');
    await expect(answer('ann')).rejects.toMatchObject({ code: 'approval-answered' });
    expect(charge.inputs).toEqual([]);
  });

  test('one no is enough, also of somebody who has said yes', async () => {
    const { charge, answer } = await pausedBy(asks('three', { quorum: 3 }));
    await answer('ann');
    await answer('bob');
    expectStatus(await answer('ann', { approved: false, reason: 'I looked again' }), 'completed');
    expect(charge.inputs).toEqual([]);
  });

  test('who is not named has no vote', async () => {
    const named = { quorum: 2, approvers: ['ann', 'bob'] };
    const { charge, answer } = await pausedBy(asks('two', named));
    await answer('ann');
    await expect(answer('eve')).rejects.toMatchObject({ code: 'approval-not-an-approver' });
    expect(charge.inputs).toEqual([]);
    await answer('bob');
    expect(charge.inputs).toHaveLength(1);
  });

  test('a yes to another input is none to an edited one, and its editor is one of those needed', async () => {
    const { charge, answer, pending } = await pausedBy(asks('two'));
    await answer('ann');
    expectStatus(await answer('bob', { input: { id: 'b' } }), 'awaiting-approval');
    expect(await pending()).toMatchObject({ input: { id: 'b' }, votes: [{ by: 'bob' }] });
    await expect(answer('bob')).rejects.toMatchObject({ code: 'approval-answered' });
    expect(charge.inputs).toEqual([]);
    expectStatus(await answer('ann'), 'completed');
    expect(charge.inputs).toEqual([{ id: 'b' }]);
  });

  test('each policy counts those whom it asked', async () => {
    const boss = asks('boss', { approvers: ['bea'] });
    const finance = asks('finance', { quorum: 2, approvers: ['fin', 'flo', 'bea'] });
    const { charge, answer, pending } = await pausedBy(boss, finance);
    await answer('fin');
    expect(await pending()).toMatchObject({ votes: [{ by: 'fin' }] });
    expectStatus(await answer('bea'), 'completed');
    expect(charge.inputs).toHaveLength(1);
  });

  test('a yes to an earlier version of the policy counts for nothing', async () => {
    const { charge, scene, answer } = await pausedBy(asks('two', { quorum: 2 }, { version: '1' }));
    await answer('ann');
    const changed = { ...scene, hooks: [asks('two', { quorum: 2 }, { version: '2' })] };
    expectStatus(await answer('bob', { scene: changed }), 'awaiting-approval');
    expect(charge.inputs).toEqual([]);
    expectStatus(await answer('ann', { scene: changed }), 'awaiting-approval');
    expectStatus(await answer('bob', { scene: changed }), 'completed');
    expect(charge.inputs).toHaveLength(1);
  });
});

test.each<[why: string, options: ConfirmationOptions]>([
  ['nobody is enough', { quorum: 0 }],
  ['half a person', { quorum: 1.5 }],
  ['a crowd', { quorum: 21 }],
  ['more than it names', { quorum: 3, approvers: ['ann', 'bob', 'ann'] }],
])(
  'a quorum that cannot be is a failure of its policy, and nothing runs: %s',
  async (_why, options) => {
    const charge = counted('charge');
    const script = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done'];
    const hooks = [asks('odd', options)];
    const { result } = await play('run', {
      model: scriptedModel(script),
      tools: [charge.tool],
      hooks,
    });
    expectStatus(result, 'failed');
    expect(charge.inputs).toEqual([]);
  },
);
