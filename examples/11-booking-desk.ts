// A desk that books tables: what it knows of the guest is in the thread's state and locked into the calls, a rule of
// the house answers before anybody is bothered, a person confirms, and code says the result in its own words.
import {
  createAgent,
  Policy,
  type RunResult,
  scriptedModel,
  ToolDecision,
  ToolError,
  type ToolInvocation,
  tool,
} from 'agent-hooks';
import { toolFormats } from 'agent-hooks/tools';
import * as z from 'zod';

const stateSchema = z.object({
  guest: z.object({ id: z.number(), name: z.string() }).optional().describe('Who the guest is'),
  booking: z.string().optional(),
});
const guests = [{ id: 7, name: 'Ada', phone: '+34600112233' }];
const CLOSED = '2030-10-19';

const findGuest = tool({
  name: 'find_guest',
  description: 'Finds the guest by phone number',
  inputSchema: z.object({ phone: toolFormats.phone() }),
  outputSchema: z.object({ id: z.number(), name: z.string() }),
  sideEffects: 'none',
  // The id is for code. The model gets to know a name.
  hidden: ['id'],
  assign: [{ field: 'guest', path: [] }],
  execute: ({ phone }) => {
    const guest = guests.find((one) => one.phone === phone);
    if (guest === undefined) throw new ToolError('nobody has this number');
    return guest;
  },
});

const bookTable = tool({
  name: 'book_table',
  description: 'Books a table for the guest',
  inputSchema: z.object({
    day: z.iso.date(),
    party: z.int().min(1).max(12).default(2),
    guestId: z.number(),
  }),
  outputSchema: z.object({
    status: z.enum(['booked', 'closed_that_day']),
    day: z.iso.date(),
    reference: z.string().optional(),
  }),
  sideEffects: 'once',
  // The model neither sees nor chooses whose table it is.
  locked: { guestId: '{{guest.id}}' },
  hints: { 'guest.id': 'Ask for the phone number and call find_guest' },
  // Asked before the person is: nobody has to confirm what the house does not do.
  precheck: ({ day }) => (day === CLOSED ? { status: 'closed_that_day', day } : undefined),
  announce: 'One moment, {{guest.name}}, I am asking for a table on {{day}}.',
  assign: [{ field: 'booking', path: ['reference'] }],
  replies: [
    { when: { status: ['booked'] }, say: 'Booked for {{result.day}}, reference {{booking}}.' },
    { when: { status: ['closed_that_day'] }, say: 'We are closed on {{result.day}}. Another day?' },
  ],
  execute: ({ day, party, guestId }, ctx) => {
    console.log(`  (booked for guest ${guestId}, ${party} people, once: ${ctx.attempt === 1})`);
    return { status: 'booked', day, reference: `R${guestId}-${party}` };
  },
});

/** Small parties are booked at once, larger ones when the manager has said yes. */
class LargeParties extends Policy {
  override readonly name = 'large-parties';

  override preToolUse(call: ToolInvocation) {
    if (!bookTable.matches(call)) return undefined;
    const { party = 2 } = call.effectiveInput;
    return party < 6
      ? ToolDecision.allow()
      : ToolDecision.requiresConfirmation(`A table for ${party}?`, { approvers: ['manager'] });
  }
}

const book = (day: string, party?: number) => ({
  toolCalls: [{ name: 'book_table', input: { day, ...(party !== undefined && { party }) } }],
});
const agent = createAgent({
  name: 'booking-desk',
  model: scriptedModel([
    book('2030-10-18', 8),
    'May I have your phone number?',
    { toolCalls: [{ name: 'find_guest', input: { phone: '+34 600 11 22 33' } }] },
    book('2030-10-19', 8),
    book('2030-10-18', 8),
    book('2030-10-20'),
  ]),
  tools: [findGuest, bookTable],
  hooks: [new LargeParties()],
  stateSchema,
  language: 'en-US',
  onLine: ({ kind, text }) => console.log(`  [${kind}] ${text}`),
});

const threadId = 'table-for-ada';

async function say(message: string): Promise<void> {
  console.log(`guest: ${message}`);
  tell(await agent.run({ threadId, message }));
}

function tell(result: RunResult): void {
  if (result.status === 'completed') console.log(`desk: ${result.text}`);
  else console.log(`(${result.status})`);
}

await say('A table for eight on the 18th of October, please');
await say('It is +34 600 11 22 33, and rather on the 19th');
await say('Then on the 18th after all');

const [approval] = await agent.pendingApprovals({ threadId });
if (approval === undefined) throw new Error('nobody was asked');
const wishes = approval.requirements.map(({ prompt }) => prompt);
console.log('manager reads', wishes, approval.input);
const { approvalId } = approval;
tell(await agent.resume({ threadId, answers: [{ approvalId, approved: true, by: 'manager' }] }));

await say('And for two on the 20th');
