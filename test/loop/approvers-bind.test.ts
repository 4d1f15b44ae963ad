import { defineHooks, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, desk } from './desk.ts';

const euros = ({ effectiveInput }: ToolInvocation) => Number(effectiveInput['euros']);

/** Up to 100 euros a clerk may approve, above only the CFO. */
const byAmount = defineHooks({
  name: 'limit',
  preToolUse: (invocation) =>
    ToolDecision.requiresConfirmation('ok?', {
      approvers: [euros(invocation) > 100 ? 'cfo' : 'clerk'],
    }),
});

/** A clerk first, and then somebody else. */
const fourEyes = defineHooks({
  name: 'four-eyes',
  preToolUse: ({ approval }) =>
    ToolDecision.requiresConfirmation('ok?', {
      approvers: [approval?.by === 'clerk' ? 'cfo' : 'clerk'],
    }),
});

describe('a wish for an approval is met only by one of the approvers it names', () => {
  test('an edit that makes the call one of another approver waits for that approver', async () => {
    const log: string[] = [];
    const { agent } = desk({
      script: [{ toolCalls: [callPay(50)] }, 'done'],
      hooks: [byAmount],
      log,
    });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const [asked] = paused.approvals;
    const answer = { approvalId: asked?.approvalId ?? '', approved: true, by: 'clerk' };
    const result = await agent.resume({
      threadId: 't',
      answers: [{ ...answer, input: { euros: 5_000 } }],
    });
    expect(log).not.toContain('pay 5000');
    expect(result.status).toBe('awaiting-approval');
  });

  test('whoever edits has approved the edit: the policy that asked them is not asked about again', async () => {
    const log: string[] = [];
    const { agent } = desk({
      script: [{ toolCalls: [callPay(50)] }, 'done'],
      hooks: [byAmount],
      log,
    });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const [asked] = paused.approvals;
    const answer = { approvalId: asked?.approvalId ?? '', approved: true, by: 'clerk' };
    const result = await agent.resume({
      threadId: 't',
      answers: [{ ...answer, input: { euros: 90 } }],
    });
    expect(log).toContain('pay 90');
    expect(result.status).toBe('completed');
  });

  test('a policy that asks for a second person at resume gets one', async () => {
    const log: string[] = [];
    const { agent } = desk({
      script: [{ toolCalls: [callPay(50)] }, 'done'],
      hooks: [fourEyes],
      log,
    });
    const paused = await agent.run({ threadId: 't', message: 'go' });
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const [asked] = paused.approvals;
    const result = await agent.resume({
      threadId: 't',
      answers: [{ approvalId: asked?.approvalId ?? '', approved: true, by: 'clerk' }],
    });
    expect(log).not.toContain('pay 50');
    expect(result.status).toBe('awaiting-approval');
  });
});
