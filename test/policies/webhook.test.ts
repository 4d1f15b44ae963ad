import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createAgent } from '../../src/agent/create-agent.ts';
import { scriptedModel } from '../../src/models/scripted.ts';
import {
  buildWebhookPolicy,
  type WebhookPolicyOptions,
} from '../../src/policies/webhook/webhook-policy.ts';
import { tool } from '../../src/tools/tool.ts';
import { service, wireOf } from '../tools/webhook/service.ts';

const base = {
  name: 'Desk',
  hmacSecret: 's',
  points: ['preToolUse'],
  allowPrivateNetwork: true,
} as const;

/** One call of a tool under a policy that a service at `url` decides. */
async function runUnder(url: string, options: Partial<WebhookPolicyOptions> = {}) {
  const ran: unknown[] = [];
  const pay = tool({
    name: 'pay',
    inputSchema: z.object({ euros: z.number() }),
    tier: 'auto',
    execute: ({ euros }) => {
      ran.push(euros);
      return 'paid';
    },
  });
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls: [{ name: 'pay', input: { euros: 5 } }] }, 'Done.']),
    tools: [pay],
    hooks: [buildWebhookPolicy({ ...base, url, ...options }, wireOf())],
  });
  const result = await agent.run({ threadId: 't', message: 'pay', session: { id: 's1' } });
  return { ran, result };
}

const says = (status: number, body: string) =>
  service((_arrived, response) => response.writeHead(status).end(body));

describe('a policy that a service decides', () => {
  test.each<[decision: string, ran: readonly number[], status: string]>([
    ['{"type":"allow"}', [5], 'completed'],
    ['null', [5], 'completed'],
    ['{"type":"abstain"}', [5], 'completed'],
    ['{"type":"modify","input":{"euros":1}}', [1], 'completed'],
    ['{"type":"block","reason":"no"}', [], 'completed'],
    ['{"type":"requires-confirmation","prompt":"Pay?"}', [], 'awaiting-approval'],
  ])('%s is taken as the decision', async (decision, ran, status) => {
    const { origin } = await says(200, decision);
    const given = await runUnder(origin);
    expect([given.ran, given.result.status]).toEqual([ran, status]);
  });

  test.each<[what: string, status: number, body: string]>([
    ['an error', 500, '{"type":"allow"}'],
    ['another success', 201, '{"type":"allow"}'],
    ['nothing', 200, ''],
    ['nothing by its status', 204, ''],
    ['no JSON', 200, 'allow'],
    ['a text', 200, '"allow"'],
    ['true', 200, 'true'],
    ['an unknown decision', 200, '{"type":"permit"}'],
    ['a decision of another point', 200, '{"type":"proceed"}'],
    ['a decision with more to it', 200, '{"type":"allow","unless":"x"}'],
    ['a list', 200, '[{"type":"allow"}]'],
    ['too much', 200, `{"type":"allow"}${' '.repeat(1024 * 1024)}`],
  ])('%s is a failure, and the tool does not run', async (_what, status, body) => {
    const { origin } = await says(status, body);
    const { ran, result } = await runUnder(origin);
    expect([ran, result.status]).toEqual([[], 'failed']);
  });

  test('B80: a service that hangs or is not there is a failure', async () => {
    const { origin, open } = await service(() => undefined);
    for (const url of [origin, 'http://127.0.0.1:1/']) {
      const { ran, result } = await runUnder(url, { timeoutMs: 200 });
      expect([ran, result.status]).toEqual([[], 'failed']);
    }
    await expect.poll(open).toBe(0);
  });

  test('a service in a private network is not asked unless that is allowed', async () => {
    const { origin, sockets } = await says(200, '{"type":"allow"}');
    const url = origin.replace('http:', 'https:');
    const { ran, result } = await runUnder(url, { allowPrivateNetwork: false });
    expect([ran, result.status, sockets.size]).toEqual([[], 'failed', 0]);
  });

  test('the question is signed, and says what any policy sees', async () => {
    const { origin, requests } = await says(200, 'null');
    await runUnder(origin);
    const { headers, body } = requests[0] ?? {};
    const own = createHmac('sha256', 's')
      .update(body ?? '')
      .digest('hex');
    expect(headers?.['x-signature-256']).toBe(own);
    expect(JSON.parse(String(body))).toMatchObject({
      point: 'preToolUse',
      policy: 'Desk',
      payload: { toolName: 'pay', effectiveInput: { euros: 5 } },
      context: { threadId: 't', step: 1, session: { id: 's1' } },
      timestamp: expect.any(String),
    });
  });

  test('a point that is open by default is closed here', async () => {
    const { origin } = await says(500, '');
    const { result } = await runUnder(origin, { points: ['onOutgoingMessage'] });
    expect(JSON.stringify(result.messages)).not.toContain('Done.');
  });

  test('postToolUse sends the result, too', async () => {
    const { origin, requests } = await says(200, '{"type":"modify","result":{"output":"hidden"}}');
    const { result } = await runUnder(origin, { points: ['postToolUse'] });
    expect(JSON.parse(String(requests[0]?.body))).toMatchObject({ result: { output: 'paid' } });
    expect(JSON.stringify(result.messages)).toContain('hidden');
  });

  test.each<[what: string, options: object]>([
    ['a point without decisions', { points: ['onEvent'] }],
    ['no point', { points: [] }],
    ['an unknown point', { points: ['constructor'] }],
    ['plain http', { allowPrivateNetwork: false }],
    ['no secret', { hmacSecret: '' }],
    ['no name', { name: ' ' }],
    ['an unknown option', { failure: 'open' }],
    ['no time', { timeoutMs: 0 }],
  ])('%s is refused when it is built', (_what, options) => {
    expect(() => buildWebhookPolicy({ ...base, url: 'http://x/', ...options }, wireOf())).toThrow(
      expect.objectContaining({ name: 'ConfigError' }),
    );
  });
});
