import { setTimeout as sleep } from 'node:timers/promises';
import { createAgent, scriptedModel } from 'agent-hooks';
import { expect, test } from 'vitest';

test('every reader of one stream comes to its end', async () => {
  const model = scriptedModel(['hello'], { delayMs: 20 });
  const stream = createAgent({ name: 'a', model }).stream({ message: 'go' });
  const read = async (): Promise<string> => {
    for await (const _event of stream);
    return 'ended';
  };
  const readers = Promise.all([read(), read()]);
  expect(await Promise.race([readers, sleep(500, 'hangs')])).toEqual(['ended', 'ended']);
});
