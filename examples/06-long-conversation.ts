import { createAgent, type Message, Policy, scriptedModel, textOf } from 'agent-hooks';

/** Writes the summary itself where a booking is in it, which no summary may lose. */
class KeepsBookings extends Policy {
  override onContextCompact(messages: readonly Message[]) {
    const bookings = messages
      .map(textOf)
      .join(' ')
      .match(/[A-Z]{2}\d{4}/g);
    // Nothing to say: the model writes the summary.
    if (bookings === null) return undefined;
    return `The traveller has the bookings ${[...new Set(bookings)].join(', ')}.`;
  }
}

const talk = 'and then we talked about the sea and the food. '.repeat(20);
// A provider counts what it has read and written; so does this one.
const usage = { inputTokens: 350, outputTokens: 300 };
const model = scriptedModel([
  { text: `Welcome, ${talk}`, usage },
  // The call for a summary comes before that for the second answer, through the same policies.
  'The traveller likes the sea.',
  { text: `Noted: XY1234, ${talk}`, usage },
  'Your booking is XY1234.',
]);
const agent = createAgent({
  name: 'travel',
  model,
  hooks: [new KeepsBookings()],
  compaction: { maxTokens: 600, keepTokens: 50, maxSummaryTokens: 100 },
});
agent.on('context.compacted', ({ messagesBefore, messagesAfter, by = 'the model' }) =>
  console.log(`${messagesBefore} messages became ${messagesAfter}, summary by ${by}`),
);

for (const message of [`Hello, ${talk}`, 'My booking is XY1234.', 'Which booking do I have?']) {
  const result = await agent.run({ threadId: 'trip', message });
  if (result.status !== 'completed') throw new Error(result.status);
}

// What the model read before its last answer. The store has every message still.
for (const message of model.requests.at(-1)?.messages ?? [])
  console.log(`${message.role}: ${textOf(message)}`);
