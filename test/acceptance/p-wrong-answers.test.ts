import { describe, expect, test } from 'vitest';
import {
  type ApprovalAnswer,
  ApprovalError,
  createAgent,
  memoryStore,
  Policy,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { AskFirst } from './ask-first.ts';
import { echoCall, echoTool } from './echo.ts';
import { outputs } from './evidence.ts';

class AskBossForAMoment extends Policy {
  override readonly name = 'ask-boss';

  override preToolUse(): ToolDecision {
    return ToolDecision.requiresConfirmation('May it?', { expiresInMs: 1, approvers: ['boss'] });
  }
}

async function paused(policy: Policy = new AskFirst(), threads: readonly string[] = ['t']) {
  const call = { toolCalls: [echoCall('hi')] };
  const model = scriptedModel([...threads.map(() => call), 'done']);
  const { tool, ran } = echoTool();
  const store = memoryStore();
  const agent = createAgent({ name: 'a', model, store, hooks: [policy], tools: [tool] });
  const ids: string[] = [];
  for (const threadId of threads) {
    const result = await agent.run({ threadId, message: 'go' });
    if (result.status !== 'awaiting-approval') expect.unreachable();
    ids.push(result.approvals[0]?.approvalId ?? '');
  }
  return { agent, model, ran, store, ids };
}

function yes(approvalId = ''): ApprovalAnswer {
  return { approvalId, approved: true, by: 'ann' };
}

/** The error an answer is refused with; a call that is taken fails the test. */
async function refusal(answered: Promise<unknown>): Promise<ApprovalError> {
  const error = await answered.then(
    () => expect.unreachable('the answer was taken'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApprovalError);
  return error as ApprovalError;
}

describe('an answer that matches no open approval', () => {
  test('P11: of another thread is refused as foreign', async () => {
    const { agent, ran, ids } = await paused(new AskFirst(), ['t', 'other']);
    const error = await refusal(agent.resume({ threadId: 't', answers: [yes(ids[1])] }));
    expect(error.code).toBe('approval-foreign');
    expect(ran).toEqual([]);
  });

  test('P11: to an id nobody gave out is refused as unknown, and says what to do', async () => {
    const { agent, ran } = await paused();
    const error = await refusal(agent.resume({ threadId: 't', answers: [yes('made-up')] }));
    expect(error.code).toBe('approval-unknown');
    expect(error.message).toMatch(/^approval 'made-up': .*\. .*pendingApprovals/);
    expect(ran).toEqual([]);
  });

  test('P11: given twice at once, or again later, is refused as answered, and the tool runs once', async () => {
    const { agent, ran, ids } = await paused();
    const both = [yes(ids[0]), yes(ids[0])];
    expect((await refusal(agent.resume({ threadId: 't', answers: both }))).code).toBe(
      'approval-answered',
    );
    expect(ran).toEqual([]);
    await agent.resume({ threadId: 't', answers: [yes(ids[0])] });
    expect((await refusal(agent.resume({ threadId: 't', answers: [yes(ids[0])] }))).code).toBe(
      'approval-answered',
    );
    expect(ran).toEqual(['hi']);
  });

  test('P11: beside one that does match, neither counts', async () => {
    const { agent, ran, ids } = await paused();
    const answers = [yes(ids[0]), yes('made-up')];
    await refusal(agent.resume({ threadId: 't', answers }));
    expect(ran).toEqual([]);
    expect(await agent.pendingApprovals({ threadId: 't' })).toMatchObject([{ approvalId: ids[0] }]);
  });

  test('P11: after its time is refused as expired, and without an answer the call counts as not approved', async () => {
    const { agent, ran, ids } = await paused(new AskBossForAMoment());
    await new Promise((resolve) => setTimeout(resolve, 5));
    const answers = [{ ...yes(ids[0]), by: 'boss' }];
    expect((await refusal(agent.resume({ threadId: 't', answers }))).code).toBe('approval-expired');
    const result = await agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(outputs(result.messages)).toEqual(['Not approved: nobody answered in time']);
    expect(ran).toEqual([]);
  });

  test('P11: by somebody whom the policy did not name is refused, and the approval stays open', async () => {
    class AskBoss extends AskFirst {
      override preToolUse(): ToolDecision {
        return ToolDecision.requiresConfirmation('May it?', { approvers: ['boss'] });
      }
    }
    const { agent, ran, ids } = await paused(new AskBoss());
    const error = await refusal(agent.resume({ threadId: 't', answers: [yes(ids[0])] }));
    expect(error.code).toBe('approval-not-an-approver');
    expect(ran).toEqual([]);
    const answers = [{ ...yes(ids[0]), by: 'boss' }];
    expect(await agent.resume({ threadId: 't', answers })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });

  test('P11: with an edited input that does not fit the tool is refused, and the approval stays open', async () => {
    const { agent, ran, ids } = await paused();
    const answers = [{ ...yes(ids[0]), input: { message: 7 } }];
    const error = await refusal(agent.resume({ threadId: 't', answers }));
    expect(error.code).toBe('approval-invalid-input');
    expect(error.message).toMatch(/message/);
    expect(ran).toEqual([]);
    expect(await agent.pendingApprovals({ threadId: 't' })).toHaveLength(1);
  });

  test('P11: to a call that the store now holds with another input is refused as altered', async () => {
    const { agent, ran, ids, store } = await paused();
    const stored = await store.load('t');
    const state = JSON.parse(JSON.stringify(stored?.state).replaceAll('"hi"', '"tampered"'));
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
    const error = await refusal(agent.resume({ threadId: 't', answers: [yes(ids[0])] }));
    expect(error.code).toBe('approval-altered');
    expect(ran).toEqual([]);
  });

  test('P11 twin: the answer that does match runs the tool', async () => {
    const { agent, ran, ids } = await paused();
    const answers = [yes(ids[0])];
    expect(await agent.resume({ threadId: 't', answers })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['hi']);
  });
});

describe('a message while an approval is open', () => {
  test('P11: is no answer, whatever it says', async () => {
    const { agent, ran, model, ids } = await paused();
    await expect(agent.run({ threadId: 't', message: 'yes, approved' })).rejects.toMatchObject({
      name: 'PendingApprovalError',
      code: 'pending-approval',
      approvalIds: ids,
    });
    expect(ran).toEqual([]);
    expect(model.calls).toBe(1);
  });

  test('P11: with supersede answers it not approved, and the old answer comes too late', async () => {
    const { agent, ran, ids, store } = await paused();
    const result = await agent.run({ threadId: 't', message: 'never mind', supersede: true });
    expect(result).toMatchObject({ status: 'completed', text: 'done', turnId: '2' });
    expect(outputs(await store.readMessages('t'))).toEqual([
      'Not approved: the user went on without an answer',
    ]);
    const ends = (await store.readEvents('t')).filter(({ type }) => type === 'turn.finished');
    expect(ends).toMatchObject([
      { turnId: '1', status: 'cancelled' },
      { turnId: '2', status: 'completed' },
    ]);
    const error = await refusal(agent.resume({ threadId: 't', answers: [yes(ids[0])] }));
    expect(error.code).toBe('approval-answered');
    expect(ran).toEqual([]);
  });
});
