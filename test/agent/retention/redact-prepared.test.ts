import {
  createAgent,
  defineHooks,
  type ListenContext,
  listenTool,
  type OperationUpdate,
  redactThread,
  scriptedModel,
  ToolDecision,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { approvalsOf } from '../subagents/team.ts';
import { linesOf, MARK, NUMBER } from './full-thread.ts';
import { stores } from './stores.ts';

/** What is shown of an operation, under names that a record has for what is left. */
const SNAPSHOT = {
  name: MARK,
  source: [MARK],
  version: MARK,
  account: NUMBER,
  [`of ${MARK}`]: { model: MARK, code: MARK, digest: MARK },
};

test.each(stores())(
  'what an operation has prepared is redacted under whatever names the tool gave it, on %s',
  async (_name, open) => {
    const { store, bytes } = open();
    const transfer = listenTool({
      name: 'transfer',
      description: 'Transfers',
      inputSchema: z.object({}),
      async *listen(_input, ctx: ListenContext): AsyncGenerator<OperationUpdate> {
        const ready = { operationId: ctx.callId, revision: 1, snapshot: SNAPSHOT };
        yield { type: 'ready', ...ready, message: `for ${MARK}` };
      },
      execute: () => 'sent',
      cancel: () => undefined,
    });
    const ask = defineHooks({
      name: 'ask',
      preToolUse: () => ToolDecision.requiresConfirmation('Send?'),
    });
    const desk = createAgent({
      name: 'desk',
      model: scriptedModel([{ toolCalls: [{ name: 'transfer', input: {} }] }, 'done']),
      tools: [transfer],
      hooks: [ask],
      store,
    });
    const [asked] = approvalsOf(await desk.run({ threadId: 't', message: 'go' }));
    expect(asked?.prepared).toMatchObject({ snapshot: SNAPSHOT });
    const answer = { approvalId: asked?.approvalId ?? '', approved: true, by: 'ann' };
    await desk.resume({ threadId: 't', answers: [answer] });
    expect((await linesOf(store)).join('')).toContain(`"name":"${MARK}"`);
    await redactThread(store, 't', (text) =>
      text.replaceAll(MARK, '[name]').replaceAll(String(NUMBER), '[number]'),
    );
    for (const gone of [MARK, String(NUMBER)]) {
      expect((await linesOf(store)).join('')).not.toContain(gone);
      expect(bytes()).not.toContain(gone);
    }
    expect((await store.findApproval(answer.approvalId))?.prepared).toMatchObject({
      revision: 1,
      snapshot: { name: '[name]', account: '[number]' },
    });
    await store.close?.();
  },
);
