import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import { AgentHooksError, createAgent, scriptedModel, tool } from '../../../src/index.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

/**
 * `begin` looks something up on thread `t` and is killed before its answer; `resume` goes on with it, and prints what
 * came of that. `blind` does so without the schema.
 */
const [path = '', linesPath = '', what = 'begin'] = process.argv.slice(2);
const store = sqliteStore({ path });
const look = tool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => {
    appendFileSync(linesPath, 'look\n');
    return 'seen';
  },
});
const output = z.object({ at: z.iso.datetime().transform((text) => new Date(text)) });
const answer = { toolCalls: [{ name: 'final_answer', input: { at: '2026-01-02T03:04:05Z' } }] };
const dies = (): never => process.exit(0);
const script = what === 'begin' ? [{ toolCalls: [{ name: 'look' }] }, dies] : [answer];
const agent = createAgent({
  name: 'a',
  model: scriptedModel(script),
  store,
  tools: [look],
  leaseMs: 200,
});
if (what === 'begin') await agent.run({ threadId: 't', message: 'go', output });
try {
  const result =
    what === 'blind'
      ? await agent.resume({ threadId: 't' })
      : await agent.resume({ threadId: 't', output });
  const isDate = result.status === 'completed' && Reflect.get(result, 'output').at instanceof Date;
  process.stdout.write(JSON.stringify({ ...result, isDate }));
} catch (error) {
  if (!AgentHooksError.isInstance(error)) throw error;
  process.stdout.write(JSON.stringify({ status: 'refused', code: error.code }));
}
await store.close?.();
