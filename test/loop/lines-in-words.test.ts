import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { toolFormats } from 'agent-hooks/tools';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-10-15T10:00:00Z') }),
);
afterEach(() => void vi.useRealTimers());

const status = z.enum(['future_day', 'held']);

/** What is said before and after a call, whose values mean something only by their schemas. */
async function lines(more: object) {
  const said: string[] = [];
  const book = tool({
    name: 'book',
    inputSchema: z.object({ day: toolFormats.date(), at: toolFormats.time().optional() }),
    outputSchema: z.object({
      when: toolFormats.dateTime().nullable(),
      status,
      seats: z.int(),
    }),
    sideEffects: 'none',
    announce: 'Booking {{day}} at {{at}} for {{phone}}, {{note}}.',
    replies: [
      { say: '{{result.when}}: {{result.status}}, {{result.seats}}, {{day}}, {{session.when}}.' },
    ],
    execute: () => ({ when: '2026-10-16T17:30:00Z', status: 'future_day', seats: 12 }),
  });
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([
      { toolCalls: [{ name: 'book', input: { day: '2026-10-16', at: '09:00' } }] },
    ]),
    tools: [book],
    stateSchema: z.object({
      phone: toolFormats.phone().def.in.optional(),
      note: z.string().default('2026-10-16'),
      day: z.iso.date().nullable().default('2026-10-14'),
    }),
    onLine: ({ text }) => void said.push(text),
    ...more,
  });
  const result = await agent.run({
    message: 'go',
    state: { phone: '+34600112233' },
    // Of the name of a part of the result, whose schema is not that of the fact.
    session: { when: '2026-10-16T17:30:00Z' },
  });
  if (result.status !== 'completed') throw new Error(result.status);
  return said;
}

test('U-A6, U-K16, U-K18 to U-K21: arguments, results and state are said as their schemas mean them', async () => {
  expect(await lines({ timeZone: 'Europe/Madrid' })).toEqual([
    'Booking tomorrow, October 16 at 9:00 AM for +34 600 112 233, 2026-10-16.',
    'tomorrow, October 16 at 7:30 PM: future day, 12, yesterday, October 14, 2026-10-16T17:30:00Z.',
  ]);
});

test('U-A6: in the language and the zone of the agent', async () => {
  expect(await lines({ timeZone: 'Europe/Madrid', language: 'es' })).toEqual([
    'Booking mañana, 16 de octubre at 9:00 for +34 600 112 233, 2026-10-16.',
    'mañana, 16 de octubre a las 19:30: future day, 12, ayer, 14 de octubre, 2026-10-16T17:30:00Z.',
  ]);
});

test('U-K17: without a zone in full', async () => {
  expect(await lines({})).toEqual([
    'Booking Friday, October 16, 2026 at 9:00 AM for +34 600 112 233, 2026-10-16.',
    'Friday, October 16, 2026 at 5:30 PM UTC: future day, 12, Wednesday, October 14, 2026, 2026-10-16T17:30:00Z.',
  ]);
});
