import {
  createAgent,
  defineHooks,
  importThread,
  memoryStore,
  redactThread,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { approvalsOf } from '../subagents/team.ts';
import { linesOf, MARK } from './full-thread.ts';
import { stores } from './stores.ts';

/** A desk that pays once two people have said yes, in a process of its own. */
function deskOn(store: ThreadStore) {
  const paid: number[] = [];
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    execute: ({ euros }) => paid.push(euros),
  });
  const two = defineHooks({
    name: 'two',
    preToolUse: () =>
      ToolDecision.requiresConfirmation('Pay?', { quorum: 2, approvers: [MARK, 'bob'] }),
  });
  const desk = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'pay', input: { euros: 5 } }] }, 'paid']),
    tools: [pay],
    hooks: [two],
    store,
  });
  return { desk, paid };
}

/** The thread `t`, on which one of two people has said yes. */
async function halfApproved(store: ThreadStore) {
  const { desk, paid } = deskOn(store);
  const [asked] = approvalsOf(await desk.run({ threadId: 't', message: 'pay' }));
  const answer = { approvalId: asked?.approvalId ?? '', approved: true };
  await desk.resume({ threadId: 't', answers: [{ ...answer, by: MARK, reason: `so ${MARK}` }] });
  expect(paid).toEqual([]);
  return { desk, paid, answer };
}

describe.each(stores())('an approval that needs two people, on %s', (_name, open) => {
  test('is imported with the yes it has, and needs only the other one there', async () => {
    const { store: from } = open();
    const { store: to } = open();
    const { answer } = await halfApproved(from);
    const lines = await linesOf(from);
    expect(await importThread(to, lines)).toEqual({ threadId: 't', threads: 1 });
    expect(await linesOf(to)).toEqual(lines);
    const there = deskOn(to);
    const again = there.desk.resume({ threadId: 't', answers: [{ ...answer, by: MARK }] });
    await expect(again).rejects.toMatchObject({ code: 'approval-answered' });
    await there.desk.resume({ threadId: 't', answers: [{ ...answer, by: 'bob' }] });
    expect(there.paid).toEqual([5]);
    await Promise.all([from.close?.(), to.close?.()]);
  });

  test('keeps nothing of who has said yes, and why, once that is redacted', async () => {
    const { store, bytes } = open();
    const { desk, paid, answer } = await halfApproved(store);
    await desk.resume({ threadId: 't', answers: [{ ...answer, by: 'bob' }] });
    expect(paid).toEqual([5]);
    expect((await linesOf(store)).join('')).toContain(`"votes":[{"by":"${MARK}"`);
    await redactThread(store, 't', (text) => text.replaceAll(MARK, '[name]'));
    expect((await linesOf(store)).join('')).not.toContain(MARK);
    expect(bytes()).not.toContain(MARK);
    await store.close?.();
  });

  test.each([
    ['a quorum of nobody', '"quorum":2', '"quorum":0'],
    ['a vote of nobody', '"votes":[{"by":', '"votes":[{"who":'],
  ])('is refused with %s', async (_what, before, after) => {
    const { store } = open();
    await halfApproved(store);
    const lines = (await linesOf(store)).map((line) =>
      line.startsWith('{"approval"') ? line.replace(before, after) : line,
    );
    await expect(importThread(memoryStore(), lines)).rejects.toMatchObject({
      code: 'invalid-import',
    });
    await store.close?.();
  });
});
