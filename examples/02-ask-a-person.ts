import {
  createAgent,
  Policy,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  tool,
} from 'agent-hooks';
import * as z from 'zod';

const refund = tool({
  name: 'refund',
  description: 'Pays money back to the customer',
  inputSchema: z.object({ euros: z.number().positive() }),
  tier: 'auto',
  // The same key for every attempt at this call: the bank can refuse a second payment under it.
  execute: ({ euros }, ctx) => ({ paid: euros, reference: ctx.idempotencyKey.slice(0, 8) }),
});

class AskAboveLimit extends Policy {
  override preToolUse(invocation: ToolInvocation) {
    if (!refund.matches(invocation)) return undefined;
    const { euros } = invocation.effectiveInput;
    if (euros <= 100) return ToolDecision.allow();
    return ToolDecision.requiresConfirmation(`Refund ${euros} €?`, {
      expiresInMs: 24 * 60 * 60 * 1000,
    });
  }
}

const model = scriptedModel([
  { toolCalls: [{ name: 'refund', input: { euros: 500 } }] },
  'It is on its way.',
]);
const agent = createAgent({ name: 'desk', model, tools: [refund], hooks: [new AskAboveLimit()] });

const paused = await agent.run({ threadId: 'order-17', message: 'I want my 500 € back' });
if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
for (const { toolName, input, requirements } of paused.approvals)
  console.log(toolName, input, requirements[0]?.prompt);

// Any process with the same store can do this, next week too. The person lowers the amount.
const answers = paused.approvals.map(({ approvalId }) => ({
  approvalId,
  approved: true,
  by: 'maria',
  input: { euros: 80 },
}));
const result = await agent.resume({ threadId: 'order-17', answers });
console.log(result.status, JSON.stringify(result.messages.at(-2)));
