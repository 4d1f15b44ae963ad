import { describe, expect, test, vi } from 'vitest';
import { ToolRefused } from '../../../src/errors/tool-error.ts';
import { WebhookAuth } from '../../../src/tools/webhook/auth.ts';
import { toolContext } from '../tool-context.ts';
import { service, thrownBy, webhook, wireOf } from './service.ts';

const ctx = toolContext(undefined);

describe('credentials of a webhook', () => {
  test('U-Q1, U-Q4: a bearer token is read at each call', async () => {
    const { origin, requests } = await service();
    const tool = webhook({ url: origin, auth: WebhookAuth.bearer('CRM_TOKEN') });
    for (const token of ['one', 'two']) {
      vi.stubEnv('CRM_TOKEN', token);
      await tool.run({}, ctx);
    }
    vi.unstubAllEnvs();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer one',
      'Bearer two',
    ]);
  });

  test('U-Q2: a key goes into X-API-Key, or the header it is given', async () => {
    const { origin, requests } = await service();
    const token = async () => 'k';
    await webhook({ url: origin, auth: WebhookAuth.apiKey({ token }) }).run({}, ctx);
    await webhook({ url: origin, auth: WebhookAuth.apiKey({ token }, { header: 'X-Key' }) }).run(
      {},
      ctx,
    );
    expect(requests[0]?.headers).toMatchObject({ 'x-api-key': 'k' });
    expect(requests[1]?.headers).toMatchObject({ 'x-key': 'k' });
    expect(requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
  });

  test.each<[row: string, set: Record<string, string>]>([
    ['U-Q6: not set', {}],
    ['U-Q5: another one is', { CRM_TOKEN2: 't', Crm_Token: 't' }],
    ['blank', { CRM_TOKEN: ' ' }],
    ['with a line end', { CRM_TOKEN: 'a\r\nX-Evil: 1' }],
  ])('%s: refused in fixed words, and only events hear of the variable', async (_row, set) => {
    const { origin, requests } = await service();
    for (const [name, value] of Object.entries(set)) vi.stubEnv(name, value);
    const error = await thrownBy(
      webhook({ url: origin, auth: WebhookAuth.bearer('CRM_TOKEN') }).run({}, ctx),
    );
    vi.unstubAllEnvs();
    expect(ToolRefused.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      forModel: expect.stringContaining('the webhook could not authenticate'),
      eventText: expect.stringContaining('CRM_TOKEN'),
    });
    expect(Reflect.get(error, 'forModel')).not.toContain('CRM_TOKEN');
    expect(requests).toHaveLength(0);
  });

  test('U-Q7: a function runs at each call', async () => {
    const { origin, requests } = await service();
    let calls = 0;
    const token = () => {
      calls += 1;
      return `t${calls}`;
    };
    const tool = webhook({
      url: origin,
      auth: WebhookAuth.bearer({ token }),
    });
    await tool.run({}, ctx);
    await tool.run({}, ctx);
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer t1',
      'Bearer t2',
    ]);
  });

  test.each<[what: string, token: () => string | Promise<string>]>([
    [
      'throws',
      () => {
        throw new Error('vault secret');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('vault secret'))],
    ['gives nothing', () => ''],
    ['gives no text', () => JSON.parse('7')],
  ])('U-Q9: a function that %s refuses the call', async (_what, token) => {
    const { origin, sockets } = await service();
    const error = await thrownBy(
      webhook({ url: origin, auth: WebhookAuth.bearer({ token }) }).run({}, ctx),
    );
    expect(error).toMatchObject({
      code: 'tool-refused',
      forModel: expect.stringContaining('could not authenticate'),
    });
    expect(JSON.stringify(error)).not.toContain('vault secret');
    expect(sockets.size).toBe(0);
  });

  test('U-Q10, U-P15: a function and a name that hang are inside of the limit', async () => {
    const { origin, sockets } = await service();
    const never = () => new Promise<never>(() => undefined);
    const started = performance.now();
    const auth = WebhookAuth.bearer({ token: never });
    const [byToken, byName] = await Promise.all([
      thrownBy(webhook({ url: origin, timeout: 1, auth }).run({}, ctx)),
      thrownBy(
        webhook(
          { url: 'https://crm.example.com/', timeout: 1 },
          { ...wireOf(), resolve: never },
        ).run({}, ctx),
      ),
    ]);
    expect([byToken.message, byName.message].every((words) => words.includes('within 1 s'))).toBe(
      true,
    );
    expect([byToken, byName].map((error) => Reflect.get(error, 'code'))).toEqual([
      'tool-failed',
      'tool-failed',
    ]);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(sockets.size).toBe(0);
  });
});
