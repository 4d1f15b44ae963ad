import { describe, expect, test } from 'vitest';
import { defineHooks, scriptedModel, ToolDecision } from '../../src/index.ts';
import { agentFor, counted, expectStatus, play, stores } from './play.ts';
import { expectSound, resultsIn } from './traces.ts';

const script = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done', 'and more'];
const asks = (name: string, approver: string) =>
  defineHooks({
    name,
    preToolUse: () => ToolDecision.requiresConfirmation(`${name}?`, { approvers: [approver] }),
  });

/** A clerk may approve everything but `all`, which only the boss may. */
const byInput = defineHooks({
  name: 'limit',
  preToolUse: ({ effectiveInput }) =>
    ToolDecision.requiresConfirmation('May it?', {
      approvers: [effectiveInput['id'] === 'all' ? 'boss' : 'clerk'],
    }),
});

describe.each(stores())('%s store', (_name, open) => {
  test('P11: a yes answers only the policies that name its giver, and the others ask on', async () => {
    const charge = counted('charge');
    const hooks = [asks('first', 'clerk'), asks('second', 'boss')];
    const scene = { store: open(), model: scriptedModel(script), tools: [charge.tool], hooks };
    const paused = await play('run', scene);
    const answer = (result: typeof paused.result, by: string) =>
      expectStatus(result, 'awaiting-approval').approvals.map(({ approvalId }) => ({
        approvalId,
        approved: true,
        by,
      }));
    const half = await agentFor('run', scene).resume({
      threadId: 't',
      answers: answer(paused.result, 'clerk'),
    });
    const left = expectStatus(half, 'awaiting-approval').approvals;
    expect(left.map(({ requirements }) => requirements.map(({ policy }) => policy))).toEqual([
      ['second'],
    ]);
    expect(charge.inputs).toEqual([]);
    const whole = await agentFor('run', scene).resume({
      threadId: 't',
      answers: answer(half, 'boss'),
    });
    expectStatus(whole, 'completed');
    expect(charge.inputs).toHaveLength(1);
    await expectSound(paused);
  });

  test('P11: an edit that makes the call one for somebody else waits for them', async () => {
    const charge = counted('charge');
    const scene = {
      store: open(),
      model: scriptedModel(script),
      tools: [charge.tool],
      hooks: [byInput],
    };
    const paused = await play('run', scene);
    const [asked] = expectStatus(paused.result, 'awaiting-approval').approvals;
    const answers = [
      { approvalId: asked?.approvalId ?? '', approved: true, by: 'clerk', input: { id: 'all' } },
    ];
    const edited = await agentFor('run', scene).resume({ threadId: 't', answers });
    expectStatus(edited, 'awaiting-approval');
    expect(charge.inputs).toEqual([]);
  });

  test('P11: a call that the store now holds under another tool is refused as altered', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const refund = counted('refund', { tier: 'confirm' });
    const store = open();
    const scene = { store, model: scriptedModel(script), tools: [charge.tool, refund.tool] };
    const { agent, result } = await play('run', scene);
    const [asked] = expectStatus(result, 'awaiting-approval').approvals;
    const stored = await store.load('t');
    const state = JSON.parse(
      JSON.stringify(stored?.state).replaceAll('"toolName":"charge"', '"toolName":"refund"'),
    );
    const { token } = await store.claim('t', { holder: 'intruder', ttlMs: 1_000 });
    const nothing = {
      messages: [],
      events: [],
      ledger: [],
      approvals: [],
      memory: {},
      artifacts: [],
    };
    await store.commit('t', token, stored?.version ?? 0, { state, ...nothing });
    await store.release('t', token);
    const answers = [{ approvalId: asked?.approvalId ?? '', approved: true, by: 'boss' }];
    await expect(agent.resume({ threadId: 't', answers })).rejects.toMatchObject({
      code: 'approval-altered',
    });
    expect([charge.inputs, refund.inputs]).toEqual([[], []]);
  });

  test('P03: a policy that fails at resume stops the whole batch, also the calls it said nothing about', async () => {
    for (const fails of [true, false]) {
      const charge = counted('charge');
      const guard = defineHooks({
        name: 'guard',
        preToolUse({ approval, batch }) {
          if (approval === undefined) return ToolDecision.requiresConfirmation('May it?');
          if (fails && batch.index === 1) throw new Error('broken');
          return undefined;
        },
      });
      const model = scriptedModel([
        { toolCalls: [{ name: 'charge' }, { name: 'charge' }] },
        'done',
      ]);
      const scene = { store: open(), model, tools: [charge.tool], hooks: [guard] };
      const paused = await play('run', scene);
      const answers = expectStatus(paused.result, 'awaiting-approval').approvals.map(
        ({ approvalId }) => ({ approvalId, approved: true, by: 'boss' }),
      );
      const result = await agentFor('run', scene).resume({ threadId: 't', answers });
      expectStatus(result, fails ? 'failed' : 'completed');
      expect(charge.inputs).toHaveLength(fails ? 0 : 2);
      const outcomes = Object.values(resultsIn(await scene.store.readMessages('t')));
      const expected = fails ? 'not-executed' : 'succeeded';
      expect(outcomes.map(({ outcome }) => outcome)).toEqual([expected, expected]);
      await expectSound(paused);
    }
  });

  test('B38: a cancel closes the approval: nobody lists it, and an answer to it is refused', async () => {
    const charge = counted('charge', { tier: 'confirm' });
    const store = open();
    const scene = { store, model: scriptedModel(script), tools: [charge.tool] };
    const { agent, result } = await play('run', scene);
    const [asked] = expectStatus(result, 'awaiting-approval').approvals;
    expectStatus(await agent.cancel('t'), 'cancelled');
    expect(await agent.pendingApprovals()).toEqual([]);
    const answers = [{ approvalId: asked?.approvalId ?? '', approved: true, by: 'boss' }];
    await expect(agent.resume({ threadId: 't', answers })).rejects.toMatchObject({
      code: 'approval-answered',
    });
    expect(charge.inputs).toEqual([]);
    expect(resultsIn(await store.readMessages('t'))['1.1.0']?.outcome).toBe('cancelled');
  });

  test('B40: a text that supersedes is no approval in any way to send it', async () => {
    for (const way of ['stream', 'runStep'] as const) {
      const charge = counted('charge', { tier: 'confirm' });
      const store = open();
      const scene = { store, model: scriptedModel(script), tools: [charge.tool] };
      const { agent } = await play('run', scene);
      const input = { threadId: 't', message: 'yes', supersede: true };
      const result =
        way === 'stream' ? await agent.stream(input).result : await agent.runStep(input);
      expectStatus(result, 'completed');
      expect(charge.inputs).toEqual([]);
      expect(resultsIn(await store.readMessages('t'))['1.1.0']?.outcome).toBe('denied');
      expect(await agent.pendingApprovals()).toEqual([]);
    }
  });
});
