import { defineHooks, type JsonObject, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { latch } from '../acceptance/latch.ts';
import { lockDesk, SECRET, storedText } from './lock-desk.ts';

/** A locked call that goes on after its turn, and what policies see of it in a turn of another session. */
async function late(session: JsonObject) {
  const started = latch();
  const done = latch();
  const slow = tool({
    name: 'slow',
    description: 'Takes long',
    inputSchema: z.object({ id: z.string(), order: z.string() }),
    tier: 'auto',
    interruption: 'continue',
    locked: { id: '{{session.id}}' },
    execute: async () => {
      started.open();
      await done.whenOpen;
      return 'done';
    },
  });
  const seen: JsonObject[] = [];
  const look = defineHooks({
    name: 'look',
    postToolUse: ({ effectiveInput }) => void seen.push(effectiveInput),
  });
  const script = [{ toolCalls: [{ name: 'slow', input: { order: 'A' } }] }, 'done'];
  const desk = lockDesk({ script, tools: [slow], hooks: [look as never] });
  const running = desk.run({}, { session: { id: SECRET } });
  await started.whenOpen;
  await desk.agent.cancel('t');
  await running;
  done.open();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await storedText(desk.store)).not.toContain(SECRET);
  await desk.run({}, { session });
  return seen;
}

describe('a locked call that goes on after its turn', () => {
  test('is shown to the policies with what it ran with, where that is known', async () => {
    expect(await late({ id: SECRET })).toEqual([{ id: SECRET, order: 'A' }]);
  });

  test.each<[JsonObject]>([[{ id: 'other' }], [{}]])(
    'and never with what another session fills in: %j',
    async (session) => {
      expect(await late(session)).toEqual([{ order: 'A' }]);
    },
  );
});
