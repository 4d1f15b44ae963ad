import { appendFileSync } from 'node:fs';
import * as z from 'zod';
import {
  AgentHooksError,
  createAgent,
  Policy,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  tool,
} from '../../../src/index.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

class AskFirst extends Policy {
  override readonly name = 'ask-first';

  override preToolUse({ approval }: ToolInvocation): ToolDecision {
    // Asked again once the answer is stored.
    if (policy === 'die' && approval !== undefined) process.kill(process.pid, 'SIGKILL');
    return ToolDecision.requiresConfirmation('May it?');
  }
}

/** Runs thread `t`, or answers its approval, and prints what came of it. The tool leaves a line for every run. */
const [path = '', linesPath = '', approvalId = '', policy = 'ask', startAt = '0'] =
  process.argv.slice(2);
const store = sqliteStore({ path });
const pay = tool({
  name: 'pay',
  description: 'Pays a sum',
  inputSchema: z.object({ sum: z.number() }),
  tier: 'auto',
  execute: ({ sum }) => {
    appendFileSync(linesPath, `${sum}\n`);
    return 'paid';
  },
});
const asks = { toolCalls: [{ name: 'pay', input: { sum: 5 } }] };
const agent = createAgent({
  name: 'a',
  model: scriptedModel(approvalId === '' ? [asks, 'done'] : ['done']),
  store,
  hooks: policy === 'none' ? [] : [new AskFirst()],
  tools: [pay],
});
while (Date.now() < Number(startAt));
try {
  const result =
    approvalId === ''
      ? await agent.run({ threadId: 't', message: 'go' })
      : await agent.resume({
          threadId: 't',
          answers: [{ approvalId, approved: true, by: `process ${process.pid}` }],
        });
  process.stdout.write(JSON.stringify(result));
} catch (error) {
  if (!AgentHooksError.isInstance(error)) throw error;
  process.stdout.write(JSON.stringify({ status: 'refused', code: error.code }));
}
await store.close?.();
