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
  execute: ({ euros }) => ({ paid: euros }),
});

class RefundLimit extends Policy {
  override preToolUse(invocation: ToolInvocation) {
    if (!refund.matches(invocation) || invocation.effectiveInput.euros <= 100) return undefined;
    return ToolDecision.block('refunds above 100 € need a person');
  }
}

const model = scriptedModel([
  { toolCalls: [{ name: 'refund', input: { euros: 500 } }] },
  'A colleague will call you.',
]);
const agent = createAgent({ name: 'desk', model, tools: [refund], hooks: [new RefundLimit()] });
agent.on('tool.refused', (event) => console.log(event));
console.log(await agent.run({ message: 'I want my 500 € back' }));
