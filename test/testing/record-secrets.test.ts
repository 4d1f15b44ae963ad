import { createAgent, scriptedModel, tool } from 'agent-hooks';
import { recordCalls } from 'agent-hooks/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';

const CARD = 4_111_111_111_111_111;

const pay = tool({
  name: 'pay',
  description: 'Pays',
  tier: 'auto',
  inputSchema: z.looseObject({}),
  execute: () => ({
    pin: 1234,
    password: ['hunter2'],
    token: { value: 'abc' },
    cvc: null,
    left: 7,
  }),
});

function desk() {
  const input = { [CARD]: 'named', [`x${CARD}`]: 'too', number: CARD, cvv: 321 };
  return recordCalls(
    createAgent({
      name: 'desk',
      model: scriptedModel([{ toolCalls: [{ name: 'pay', input }] }, 'it is paid at once']),
      tools: [pay],
    }),
    { redact: [/x?\d{16}/] },
  );
}

test('a record holds no secret that is a number, a list, an object or a key', async () => {
  const agent = desk();
  await agent.run({ message: 'pay' });
  const recorded = await agent.recorded();
  const [call] = recorded.flatMap(({ steps }) => steps.flatMap(({ tools = [] }) => tools));
  const gone = '[redacted]';
  expect(call?.requested).toEqual({
    [gone]: 'named',
    [`${gone} (2)`]: 'too',
    number: gone,
    cvv: gone,
  });
  expect(call?.output).toEqual({ pin: gone, password: gone, token: gone, cvc: null, left: 7 });
  expect(JSON.stringify(recorded)).not.toMatch(/\d{16}|hunter2|1234|abc|321/);
});

test.each(['1', 't', 'at'])(
  'a thread that the app called %s changes no text, and hides no secret',
  async (threadId) => {
    const agent = desk();
    await agent.run({ threadId, message: `at ${CARD} or 1-1` });
    const [turn] = await agent.recorded();
    expect(turn?.thread).toBe('thread-1');
    const events = turn?.steps.flatMap(({ events: all = [] }) => all);
    expect(events).toContainEqual({ type: 'message.user', text: 'at [redacted] or 1-1' });
    expect(turn?.results).toMatchObject([{ status: 'completed', text: 'it is paid at once' }]);
  },
);

test('an id that the agent made is a number in every text', async () => {
  const agent = desk();
  const { threadId } = await agent.run({ message: 'pay' });
  await agent.run({ threadId, message: `on ${threadId}` });
  const recorded = JSON.stringify(await agent.recorded());
  expect(recorded).toContain('on thread-1');
  expect(recorded).not.toContain(threadId);
});
