import {
  createAgent,
  type ListenContext,
  listenTool,
  memoryStore,
  type OperationUpdate,
  scriptedModel,
  type ThreadChanges,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { expectStatus } from '../acceptance/play.ts';
import { watched } from './desk.ts';

test('L12: an operation is cancelled before the store knows another one in its place', async () => {
  const log: string[] = [];
  const send = listenTool({
    name: 'send',
    description: 'Sends',
    inputSchema: z.object({}),
    async *listen(_input, ctx: ListenContext): AsyncGenerator<OperationUpdate> {
      const operationId = ctx.prepared === undefined ? 'first' : 'second';
      yield { type: 'progress', operationId, revision: 1 };
      yield { type: 'ready', operationId, revision: 1 };
    },
    execute: () => 'sent',
    cancel: ({ operationId, reason }) => void log.push(`cancel ${operationId} (${reason})`),
  });
  const onCommit = ({ state }: ThreadChanges) => {
    const text = JSON.stringify(state?.['phase']);
    for (const id of ['first', 'second'])
      if (text.includes(`"operation":{"operationId":"${id}"`)) log.push(`stored ${id}`);
  };
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'send', input: {} }] }, 'done']),
    tools: [send],
    store: watched(memoryStore(), onCommit),
  });
  const asked = expectStatus(
    await agent.run({ threadId: 't', message: 'go' }),
    'awaiting-approval',
  );
  const answers = asked.approvals.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: 'ann',
  }));
  await agent.resume({ threadId: 't', answers });
  // A process that ends between the two would leave nobody who knows the first.
  expect(log.indexOf('cancel first (replaced)')).toBeGreaterThan(log.lastIndexOf('stored first'));
  expect(log.indexOf('stored second')).toBeGreaterThan(log.indexOf('cancel first (replaced)'));
  expect(log.filter((line) => line.startsWith('cancel'))).toEqual(['cancel first (replaced)']);
});
