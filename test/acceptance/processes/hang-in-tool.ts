import * as z from 'zod';
import { createAgent, scriptedModel, tool } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

/** Runs a turn whose tool says that it has started and never ends, so that the process can be killed in it. */
const [path = '', sideEffects] = process.argv.slice(2);
const hang = tool({
  name: 'charge',
  description: 'Never ends',
  inputSchema: z.object({}),
  tier: 'auto',
  sideEffects: sideEffects === 'none' ? 'none' : 'once',
  execute: () => {
    process.stdout.write('started\n');
    return new Promise(() => setInterval(() => undefined, 1_000));
  },
});
const agent = createAgent({
  name: 'clerk',
  model: scriptedModel([{ toolCalls: [{ name: 'charge' }] }, 'done']),
  tools: [hang],
  store: sqliteStore({ path }),
});
await agent.run({ threadId: 't', message: 'hello' });
