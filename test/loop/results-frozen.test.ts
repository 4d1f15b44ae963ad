import { defineHooks, ToolDecision } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, desk } from './desk.ts';

const cfoOnly = defineHooks({
  name: 'cfo-only',
  preToolUse: () => ToolDecision.requiresConfirmation('ok?', { approvers: ['cfo'] }),
});

describe('what a caller does to a result does not reach the stored thread', () => {
  test('approvers written into a returned approval do not count', async () => {
    const log: string[] = [];
    const { agent } = desk({
      script: [{ toolCalls: [callPay(5)] }, 'done'],
      hooks: [cfoOnly],
      log,
    });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const approval = paused.approvals[0] ?? expect.unreachable();
    try {
      Object.assign(approval.requirements[0] ?? {}, { approvers: ['mallory'] });
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
    const answer = { approvalId: approval.approvalId, approved: true, by: 'mallory' };
    await expect(agent.resume({ threadId: 't', answers: [answer] })).rejects.toMatchObject({
      code: 'approval-not-an-approver',
    });
    expect(log).not.toContain('pay 5');
  });

  test('tokens taken off a returned usage still count for the limit of the thread', async () => {
    const { agent } = desk({
      script: [{ toolCalls: [callPay(5)] }, 'done'],
      hooks: [cfoOnly],
      more: { limits: { tokens: 30 } },
    });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    try {
      Object.assign(paused.usage, { inputTokens: 0, outputTokens: 0 });
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
    const approvalId = paused.approvals[0]?.approvalId ?? '';
    const answers = [{ approvalId, approved: true, by: 'cfo' }];
    const result = await agent.resume({ threadId: 't', answers });
    expect(result).toMatchObject({ status: 'limited', limit: 'tokens' });
  });
});
