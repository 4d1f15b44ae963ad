import {
  agentTool,
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
  execute: ({ euros }) => ({ paid: euros }),
});

// The rule is the desk's. The clerk has none of its own, and cannot get around it.
class AskAboveLimit extends Policy {
  override readonly name = 'ask-above-limit';

  override preToolUse(call: ToolInvocation) {
    if (!refund.matches(call) || call.effectiveInput.euros <= 100) return undefined;
    return ToolDecision.requiresConfirmation(`Refund ${call.effectiveInput.euros} €?`);
  }
}

const clerk = createAgent({
  name: 'clerk',
  model: scriptedModel([{ toolCalls: [{ name: 'refund', input: { euros: 500 } }] }, 'Refunded.']),
  tools: [refund],
});

const desk = createAgent({
  name: 'desk',
  model: scriptedModel([
    { toolCalls: [{ name: 'ask_clerk', input: { task: 'Refund order 17' } }] },
    'Your money is on its way.',
  ]),
  tools: [agentTool(clerk, { name: 'ask_clerk', description: 'Handles refunds' })],
  hooks: [new AskAboveLimit()],
});

desk.on('turn.finished', ({ threadId, status, steps }) => console.log(threadId, status, steps));

// The clerk waits for a person, so the whole turn does: any process with the same store can answer.
const paused = await desk.run({ threadId: 'chat', message: 'I want my 500 € back' });
if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
for (const { agent, threadId, requirements } of paused.approvals)
  console.log(agent, 'on', threadId, 'asks:', requirements[0]?.prompt);

const answers = paused.approvals.map(({ approvalId }) => ({
  approvalId,
  approved: true,
  by: 'bea',
}));
const result = await desk.resume({ threadId: 'chat', answers });
if (result.status === 'completed') console.log(result.text, result.usage);
