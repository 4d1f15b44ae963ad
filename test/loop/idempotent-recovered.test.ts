import {
  type ListenContext,
  listenTool,
  memoryStore,
  type OperationUpdate,
  type ThreadStore,
  type ToolPort,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lockDesk } from './lock-desk.ts';

/** Runs one call to where its process ends, and goes on with it in another. */
async function resumed(
  toolOf: (run: () => Promise<string>) => ToolPort<never>,
  after: (agent: ReturnType<typeof lockDesk>['agent']) => Promise<unknown>,
) {
  let now = 1_000;
  const store: ThreadStore = memoryStore({ now: () => now });
  const script = [{ toolCalls: [{ name: 'send', input: {} }] }, 'done'];
  await new Promise<void>((begun) => {
    const hang = () => {
      begun();
      return new Promise<string>(() => undefined);
    };
    const desk = lockDesk({ script, store, tools: [toolOf(hang)] });
    desk.run({}, { session: { id: 'a' } }).catch(() => undefined);
  });
  now += 3_600_000;
  let again = 0;
  const run = () => {
    again += 1;
    return Promise.resolve('sent');
  };
  const desk = lockDesk({ script: ['done'], store, tools: [toolOf(run)] });
  await after(desk.agent);
  const [result] = (await store.readMessages('t')).flatMap(toolResultsOf);
  return { again, result };
}

const UNKNOWN = {
  outcome: 'unknown',
  output: expect.stringContaining('Do not repeat it before that has been checked'),
};

describe('a call that may be repeated and whose process has ended, when it cannot be', () => {
  const sending = (run: () => Promise<string>, expiresAt?: number) =>
    listenTool({
      name: 'send',
      description: 'Sends',
      inputSchema: z.object({}),
      sideEffects: 'idempotent',
      tier: 'auto',
      async *listen(_input, ctx: ListenContext): AsyncGenerator<OperationUpdate> {
        const about = { operationId: ctx.callId, revision: 1 };
        yield { type: 'ready', ...about, ...(expiresAt !== undefined && { expiresAt }) };
      },
      execute: run,
      cancel: () => undefined,
    });

  test('the operation has expired meanwhile: nobody says that nothing was carried out', async () => {
    const expiresAt = Date.now() + 400;
    const { again, result } = await resumed(
      (run) => sending(run, expiresAt),
      async (agent) => {
        await new Promise((resolve) => setTimeout(resolve, 450));
        return agent.resume({ threadId: 't' });
      },
    );
    expect(again).toBe(0);
    expect(result).toMatchObject(UNKNOWN);
  });

  const locking = (run: () => Promise<string>, version?: string) =>
    tool({
      name: 'send',
      description: 'Sends',
      inputSchema: z.object({ id: z.string() }),
      sideEffects: 'idempotent',
      tier: 'auto',
      locked: { id: '{{session.id}}' },
      execute: run,
      ...(version !== undefined && { version }),
    });

  test('what the conversation fills into it is now something else', async () => {
    const { again, result } = await resumed(
      (run) => locking(run),
      (agent) => agent.resume({ threadId: 't', session: { id: 'b' } }),
    );
    expect(again).toBe(0);
    expect(result).toMatchObject(UNKNOWN);
  });

  test('the tool has another version', async () => {
    let version = 0;
    const { again, result } = await resumed(
      (run) => {
        version += 1;
        return locking(run, `${version}`);
      },
      (agent) => agent.resume({ threadId: 't', session: { id: 'a' } }),
    );
    expect(again).toBe(0);
    expect(result).toMatchObject(UNKNOWN);
  });

  test('where it can be, it runs again', async () => {
    const { again, result } = await resumed(
      (run) => locking(run),
      (agent) => agent.resume({ threadId: 't', session: { id: 'a' } }),
    );
    expect(again).toBe(1);
    expect(result).toMatchObject({ outcome: 'succeeded' });
  });
});
