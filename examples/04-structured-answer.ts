import {
  createAgent,
  MessageDecision,
  type OutgoingText,
  Policy,
  scriptedModel,
} from 'agent-hooks';
import * as z from 'zod';

const Ticket = z.object({
  topic: z.enum(['refund', 'delivery', 'other']),
  urgent: z.boolean(),
  customer: z.string(),
  due: z.iso.date().transform((text) => new Date(text)),
});

/** A policy sees a structured answer as it sees every text: what it puts in place is what counts. */
class HideNames extends Policy {
  override onOutgoingMessage({ text }: OutgoingText) {
    return MessageDecision.modify(text.replace('Jane Roe', 'J. R.'));
  }
}

const wrong = { topic: 'refund', urgent: 'very', customer: 'Jane Roe', due: '2026-01-31' };
const model = scriptedModel([
  { toolCalls: [{ name: 'final_answer', input: wrong }] },
  { toolCalls: [{ name: 'final_answer', input: { ...wrong, urgent: true } }] },
]);
const agent = createAgent({ name: 'desk', model, hooks: [new HideNames()] });
agent.on('llm.rejected', ({ by, point }) => console.log('rejected by', by, 'at', point));

const message = 'Jane Roe wants her money back by the end of January, and she is angry!';
const result = await agent.run({ message, output: Ticket });
if (result.status !== 'completed') throw new Error(result.status);

const { topic, urgent, customer, due } = result.output;
console.log({ topic, urgent, customer, due: due.toDateString() });
console.log(result.steps, 'calls, shown:', result.text);
