import { ConfigError, createAgent, scriptedModel } from 'agent-hooks';
import { expect, test } from 'vitest';

test('runs that cannot begin are no crowd for those that can', async () => {
  let isBroken = true;
  const agent = createAgent({
    name: 'a',
    model: scriptedModel(['ok']),
    hooks: () => (isBroken ? [{} as never] : []),
  });
  for (let run = 0; run < 40; run += 1)
    await expect(agent.run({ message: 'go' })).rejects.toBeInstanceOf(ConfigError);
  isBroken = false;
  let turns = 0;
  setImmediate(() => {
    turns += 1;
  });
  expect((await agent.run({ message: 'go' })).status).toBe('completed');
  expect(turns).toBe(0);
});
