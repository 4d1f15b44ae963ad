import { agentTool, createAgent, defineHooks, memoryStore, scriptedModel } from 'agent-hooks';
import { expect, test } from 'vitest';
import { calls, hangUpTool, orderTool, resultDesk, saying } from './result-desk.ts';

const below = (script: Parameters<typeof scriptedModel>[0], tools: object[] = []) =>
  agentTool(createAgent({ name: 'below', model: scriptedModel(script), tools: tools as never }), {
    name: 'research',
    description: 'Looks things up',
  });
const ask = { toolCalls: [{ name: 'research', input: { task: 'look' } }] };

test('what a subagent answers is saved and answered like any result', async () => {
  const more = {
    assign: { research: [{ field: 'name', path: [] }] },
    replies: [{ tool: 'research', say: 'It is {{name}}: {{result}}' }],
  } as object;
  const desk = resultDesk({ script: [ask], tools: [below(['Ada'])] as never, more });
  const result = await desk.run();
  expect(result).toMatchObject({ text: 'It is Ada: Ada', state: { name: 'Ada' } });
});

test('a subagent that ends its conversation ends its own, and the caller goes on', async () => {
  const tools = [below([saying('Found it.', 'hang_up')], [hangUpTool()])] as never;
  const desk = resultDesk({ script: [ask, 'It was found.'], tools });
  expect(await desk.run()).toMatchObject({ text: 'It was found.' });
  const ended = desk.heard.filter(({ type }) => type === 'thread.ended');
  expect(ended).toMatchObject([{ threadId: 't/1.1.0', agentPath: ['desk'] }]);
});

/** A call with a line, or an end, beside a subagent that waits; and what is asked about the text for the user. */
function waitingDesk(first: ReturnType<typeof orderTool> | ReturnType<typeof hangUpTool>) {
  const asked: string[] = [];
  const hear = defineHooks({
    name: 'hear',
    onOutgoingMessage: ({ text }, { agentPath }) => {
      if (agentPath.length === 0) asked.push(text);
      return undefined;
    },
  });
  const desk = resultDesk({
    script: [{ toolCalls: [{ name: first.name, input: {} }, ...ask.toolCalls] }, 'New turn.'],
    tools: [first, below([calls('find_order'), 'Ada'], [orderTool({ tier: 'confirm' })])] as never,
    more: { replies: [{ tool: 'research', say: 'It is {{result}}.' }] } as object,
    hooks: [hear],
  });
  return { ...desk, asked };
}

test('nobody is asked about a line before the whole batch is done', async () => {
  const desk = waitingDesk(hangUpTool({ goodbye: 'Bye!' }));
  const waiting = await desk.run();
  if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
  expect(desk.asked).toEqual([]);
  const answers = waiting.approvals.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: 'a',
  }));
  const result = await desk.agent.resume({ threadId: 't', answers });
  expect(result).toMatchObject({ status: 'completed', text: 'It is Ada.\nBye!' });
  expect(desk.asked).toEqual(['It is Ada.', 'Bye!']);
  expect(desk.types().at(-1)).toBe('thread.ended');
});

test('nor where a message ends the batch: its conversation has ended, and a turn begins', async () => {
  const desk = waitingDesk(hangUpTool({ goodbye: 'Bye!' }));
  await desk.run();
  const result = await desk.agent.run({ threadId: 't', message: 'Never mind', supersede: true });
  expect(result).toMatchObject({ status: 'completed', text: 'New turn.' });
  expect(desk.asked).toEqual(['New turn.']);
  const ended = desk.heard.filter(
    ({ type, threadId }) => type === 'thread.ended' && threadId === 't',
  );
  expect(ended).toHaveLength(1);
});

test('a line waits, stored, for a subagent that waits for a person', async () => {
  const store = memoryStore();
  const asks = orderTool({ tier: 'confirm' });
  const make = (script: Parameters<typeof scriptedModel>[0]) =>
    resultDesk({
      script,
      store,
      tools: [
        orderTool({ replies: [{ say: ['It is on hold.', 'It waits.'] }] }),
        below([calls('find_order'), 'Ada'], [asks]),
      ] as never,
      more: { replies: [{ tool: 'research', say: 'It is {{result}}.' }] } as object,
    });
  const both = { toolCalls: [...calls('find_order').toolCalls, ...ask.toolCalls] };
  const first = make([both]);
  const waiting = await first.run();
  if (waiting.status !== 'awaiting-approval') throw new Error(waiting.status);
  expect(first.types()).not.toContain('line.said');
  const answers = waiting.approvals.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: 'a',
  }));
  const result = await first.agent.resume({ threadId: 't', answers });
  expect(result).toMatchObject({ status: 'completed', text: 'It is on hold.\nIt is Ada.' });
  expect((await store.load('t'))?.state).toMatchObject({ lines: { 'find_order/0': 1 } });
});
