import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAgent, scriptedModel } from 'agent-hooks';
import { webhookPolicy } from 'agent-hooks/policies/webhook';
import { WebhookAuth, webhookTool } from 'agent-hooks/tools/webhook';
import * as z from 'zod';

const hmacSecret = 'only-for-this-example';

// The team's own service, on this machine: it decides about refunds at /policy, and takes notes anywhere else.
const service = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const signature = createHmac('sha256', hmacSecret).update(body).digest('hex');
  if (request.headers['x-signature-256'] !== signature) return response.writeHead(401).end();
  const sent = JSON.parse(body.toString());
  if (request.url === '/policy') {
    const isLong = sent.payload.effectiveInput.text.length > 40;
    return response.end(JSON.stringify(isLong ? { type: 'block', reason: 'too long' } : null));
  }
  console.log(request.method, request.url, request.headers.authorization, sent);
  return response.end('{"saved":true}');
});
await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
const { port } = service.address() as AddressInfo; // It listens on a port.
const origin = `http://127.0.0.1:${port}`;

const addNote = webhookTool({
  name: 'add_note',
  description: 'Writes a note about the customer',
  url: `${origin}/customers/{{session.customer}}/notes`,
  inputSchema: z.object({ text: z.string() }),
  sideEffects: 'idempotent',
  tier: 'auto',
  auth: WebhookAuth.bearer({ token: async () => 'fresh-token' }),
  hmacSecret,
  // Only for this example: without it an address of this machine is refused, and so is plain http.
  allowPrivateNetwork: true,
});
const agent = createAgent({
  name: 'desk',
  model: scriptedModel([
    { toolCalls: [{ name: 'add_note', input: { text: 'Likes window seats' } }] },
    { toolCalls: [{ name: 'add_note', input: { text: 'x'.repeat(41) } }] },
    'I made a note of it.',
  ]),
  tools: [addNote],
  hooks: [
    webhookPolicy({
      name: 'NotePolicy',
      url: `${origin}/policy`,
      points: ['preToolUse'],
      hmacSecret,
      allowPrivateNetwork: true,
    }),
  ],
});

const result = await agent.run({ message: 'I like window seats', session: { customer: 'A/1' } });
for (const { role, content } of result.messages) console.log(role, JSON.stringify(content));
service.close();
