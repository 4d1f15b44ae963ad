import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createAgent, Policy, scriptedModel, ToolDecision, type ToolInvocation } from 'agent-hooks';
import { mcpTools } from 'agent-hooks/tools/mcp';
import * as z from 'zod';

// A server that somebody else wrote. Here it runs in this process; over stdio or HTTP nothing else changes.
const server = new McpServer({ name: 'shop', version: '1.0.0' });
const note = (text: string) => ({ content: [{ type: 'text' as const, text }] });
server.registerTool(
  'find.order',
  {
    description: 'Looks an order up by its id',
    inputSchema: { id: z.string() },
    annotations: { readOnlyHint: true },
  },
  ({ id }) => note(`${id}: 80 €`),
);
server.registerTool(
  'refund',
  { description: 'Pays money back', inputSchema: { euros: z.number() } },
  ({ euros }) => note(`paid ${euros} €`),
);

/** A policy does not care where a tool runs. */
class RefundLimit extends Policy {
  override preToolUse({ toolName, effectiveInput }: ToolInvocation) {
    if (toolName !== 'shop__refund') return undefined;
    return Number(effectiveInput['euros']) > 100 ? ToolDecision.block('over 100 €') : undefined;
  }
}

const client = new Client({ name: 'desk', version: '1.0.0' });
const [ours, theirs] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(theirs), client.connect(ours)]);

const { tools, skipped } = await mcpTools(client, { prefix: 'shop__' });
for (const { name, tier, sideEffects } of tools) console.log(`${name}: ${tier}, ${sideEffects}`);
for (const { name, reason } of skipped) console.log(`without ${name}: ${reason}`);

const [find = ''] = tools.map(({ name }) => name);
const agent = createAgent({
  name: 'desk',
  model: scriptedModel([
    { toolCalls: [{ name: find, input: { id: 'A-1' } }] },
    { toolCalls: [{ name: 'shop__refund', input: { euros: 500 } }] },
    { toolCalls: [{ name: 'shop__refund', input: { euros: 80 } }] },
    'Done.',
  ]),
  tools,
  hooks: [new RefundLimit()],
});
agent.on('tool.*', (event) => console.log(event.type, 'toolName' in event ? event.toolName : ''));

// The server does not say that a refund is harmless, so a person is asked.
const paused = await agent.run({ threadId: 't1', message: 'Refund A-1' });
if (paused.status !== 'awaiting-approval') throw new Error(`unexpected: ${paused.status}`);
const answers = paused.approvals.map(({ approvalId }) => ({
  approvalId,
  approved: true,
  by: 'ann',
}));
const result = await agent.resume({ threadId: 't1', answers });
console.log(result.status, 'text' in result ? result.text : '');
await client.close();
