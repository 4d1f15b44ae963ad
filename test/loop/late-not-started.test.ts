import {
  createAgent,
  memoryStore,
  scriptedModel,
  type ThreadStore,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { dyingStore } from './desk.ts';

test('L8: what a process that lost its thread did not start is not recorded as the outcome of who did', async () => {
  let now = 1_000;
  const disk = memoryStore({ now: () => now });
  const ran: string[] = [];
  const [firstPays, secondPays] = [gate(), gate()];
  const clerk = (name: string, store: ThreadStore, wait: Promise<void>) => {
    const pay = tool({
      name: 'pay',
      description: 'Pays',
      inputSchema: z.object({ euros: z.number() }),
      tier: 'auto',
      execute: async ({ euros }) => {
        ran.push(`${name} pays ${euros}`);
        await wait;
        return 'paid';
      },
    });
    const batch = { toolCalls: [5, 6].map((euros) => ({ name: 'pay', input: { euros } })) };
    const model = scriptedModel(name === 'first' ? [batch] : ['done']);
    return createAgent({ name: 'clerk', model, tools: [pay], store });
  };
  const first = clerk('first', disk, firstPays.opened).run({ threadId: 't', message: 'go' });
  await expect.poll(() => ran).toEqual(['first pays 5']);
  // Taken for dead, while it only waits. The second is given one commit: the intent to pay 6.
  now += 60_000;
  const second = clerk('second', dyingStore(disk, 1), secondPays.opened).resume({ threadId: 't' });
  await expect.poll(() => ran).toEqual(['first pays 5', 'second pays 6']);
  firstPays.open();
  expect(await first).toMatchObject({ status: 'failed', error: { code: 'thread-conflict' } });
  secondPays.open();
  await second.catch((error: unknown) => error);
  now += 60_000;
  const result = await clerk('third', disk, Promise.resolve()).resume({ threadId: 't' });
  const outcomes = result.messages.flatMap(toolResultsOf).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['succeeded', 'unknown']);
  expect(ran).toEqual(['first pays 5', 'second pays 6']);
});

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}
