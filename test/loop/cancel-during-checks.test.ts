import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent, defineHooks, scriptedModel, ToolDecision, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { answer, answering, GOOD, go, Invoice, WAYS } from './answering.ts';
import { callPay, desk } from './desk.ts';

test('a cancel interrupts a schema that never answers', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z
      .object({ euros: z.number() })
      .refine(() => new Promise<boolean>(() => undefined)),
    tier: 'auto',
    execute: () => 'paid',
  });
  const model = scriptedModel([{ toolCalls: [callPay(5)] }, 'done']);
  const agent = createAgent({ name: 'a', model, tools: [pay] });
  void agent.run({ threadId: 't', message: 'go' });
  await sleep(20);
  const ended = await Promise.race([agent.cancel('t'), sleep(500, undefined)]);
  expect(ended).toMatchObject({ status: 'cancelled' });
});

test.each([
  ['the answer of a policy', ToolDecision.allow()],
  ['a rewrite', ToolDecision.modify({ euros: 6 })],
])('C4: a cancel between %s that came later and its use counts', async (_what, decision) => {
  const controller = new AbortController();
  const asked: string[] = [];
  const { agent, log } = desk({
    script: [{ toolCalls: [callPay(5)] }, 'done'],
    hooks: [
      defineHooks({
        name: 'late',
        preToolUse() {
          const answered = sleep(1, decision);
          // Runs when the answer is there, right before the loop is given it: after that it goes on at once.
          void answered.then(() => controller.abort());
          return answered;
        },
      }),
      defineHooks({
        name: 'last',
        order: 'last',
        onOutgoingMessage: () => void asked.push('last'),
      }),
    ],
  });
  const result = await agent.run({ threadId: 't', message: 'go', signal: controller.signal });
  expect(result.status).toBe('cancelled');
  expect({ log, asked }).toEqual({ log: ['model'], asked: [] });
});

describe.each(WAYS)('a cancel while an answer is held against its schema (%s)', (way) => {
  test.each([true, false])(
    'leaves none, and no rejection, whether it fits or not: %s',
    async (fits) => {
      const controller = new AbortController();
      const stops = () => {
        controller.abort();
        return fits;
      };
      const { agent, store } = answering({ way, script: [answer(way, GOOD), answer(way, GOOD)] });
      const { signal } = controller;
      const result = await agent.run({ ...go, output: Invoice.refine(stops), signal });
      expect(result.status).toBe('cancelled');
      expect((await store.readMessages('t')).map(({ role }) => role)).toEqual(['user']);
      expect((await store.load('t'))?.state['streak']).toMatchObject({ count: 0 });
      expect(await agent.run(go)).toMatchObject({ status: 'completed', output: GOOD });
    },
  );
});
