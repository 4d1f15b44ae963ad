import { appendFileSync } from 'node:fs';
import {
  AgentHooksError,
  agentTool,
  createAgent,
  type ModelRequest,
  Policy,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
  tool,
} from 'agent-hooks';
import { sqliteStore } from 'agent-hooks/stores/sqlite';
import * as z from 'zod';

class AskFirst extends Policy {
  override readonly name = 'ask-first';

  override preToolUse({ toolName }: ToolInvocation) {
    return toolName === 'pay' ? ToolDecision.requiresConfirmation('pay?') : undefined;
  }
}

/**
 * A desk that asks an office that asks a clerk, who pays and leaves a line for it. Runs thread `t`, or answers what is
 * open on it, or kills itself at the payment; prints what came of it.
 */
const [path = '', linesPath = '', does = 'run', asks = 'ask', startAt = '0'] =
  process.argv.slice(2);
const store = sqliteStore({ path });
const pay = tool({
  name: 'pay',
  description: 'Pays a sum',
  inputSchema: z.object({ sum: z.number() }),
  tier: 'auto',
  execute: ({ sum }) => {
    if (does === 'die') process.kill(process.pid, 'SIGKILL');
    appendFileSync(linesPath, `${sum}\n`);
    return 'paid';
  },
});

function answers(name: string, input: object, text: string) {
  const one = ({ messages }: ModelRequest) =>
    messages.at(-1)?.role === 'tool' ? text : { toolCalls: [{ name, input: { ...input } }] };
  return scriptedModel([one, one]);
}

const clerk = createAgent({
  name: 'clerk',
  model: answers('pay', { sum: 5 }, 'clerk done'),
  tools: [pay],
});
const office = createAgent({
  name: 'office',
  model: answers('clerk', { task: 'pay' }, 'office done'),
  tools: [agentTool(clerk, { name: 'clerk', description: 'Pays' })],
});
const desk = createAgent({
  name: 'desk',
  model: answers('office', { task: 'see to it' }, 'desk done'),
  hooks: asks === 'ask' ? [new AskFirst()] : [],
  store,
  leaseMs: 500,
  tools: [agentTool(office, { name: 'office', description: 'Sees to things' })],
});

while (Date.now() < Number(startAt));
try {
  const open = await desk.pendingApprovals({ threadId: 't' });
  const yes = open.map(({ approvalId }) => ({
    approvalId,
    approved: true,
    by: `process ${process.pid}`,
  }));
  const result =
    does === 'run' || does === 'die'
      ? await desk.run({ threadId: 't', message: 'go' })
      : await desk.resume({ threadId: 't', answers: yes });
  const listed = await desk.pendingApprovals({ threadId: 't' });
  process.stdout.write(JSON.stringify({ ...result, listed }));
} catch (error) {
  if (!AgentHooksError.isInstance(error)) throw error;
  process.stdout.write(JSON.stringify({ status: 'refused', code: error.code }));
}
await store.close?.();
