import { describe, expect, test } from 'vitest';
import { WebhookAuth } from '../../../src/tools/webhook/auth.ts';
import { toolContext } from '../tool-context.ts';
import { service, thrownBy, webhook, wireOf } from './service.ts';

const ctx = toolContext(undefined);
const auth = WebhookAuth.bearer({ token: () => 'secret-token' });

/** Answers `/n` with a redirect to `/n-1`, and `/0` with a result. */
const countdown = (status: number) =>
  service(({ url }, response) => {
    const left = Number(url.slice(1));
    if (left === 0) response.end('{"done":true}');
    else response.writeHead(status, { location: `/${left - 1}` }).end('x'.repeat(1000));
  });

describe('redirects of a webhook', () => {
  test('U-P5: three on the same origin are followed, with the credential', async () => {
    const { origin, requests } = await countdown(307);
    expect(await webhook({ url: `${origin}/3`, auth }).run({ a: 1 }, ctx)).toEqual({ done: true });
    expect(requests.map(({ url }) => url)).toEqual(['/3', '/2', '/1', '/0']);
    expect(requests.every(({ headers }) => headers.authorization === 'Bearer secret-token')).toBe(
      true,
    );
  });

  test('U-P5: the fourth is a failure', async () => {
    const { origin, requests } = await countdown(307);
    const error = await thrownBy(webhook({ url: `${origin}/4` }).run({}, ctx));
    expect(error.message).toContain('more than 3 times');
    expect(requests).toHaveLength(4);
  });

  test.each([
    [307, 'PUT'],
    [308, 'PUT'],
    [307, 'POST'],
    [308, 'POST'],
  ])(
    'U-P6: %i keeps the method %s and its body, and every delivery has one key',
    async (status, method) => {
      const { origin, requests } = await countdown(status);
      await webhook({ url: `${origin}/1`, method, hmacSecret: 's' }).run({ a: 1 }, ctx);
      expect(requests.map((one) => [one.method, one.body.toString()])).toEqual([
        [method, '{"a":1}'],
        [method, '{"a":1}'],
      ]);
      expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(requests[1]?.headers['x-signature-256']).toBe(requests[0]?.headers['x-signature-256']);
    },
  );

  test.each([
    [303, 'PUT', 'GET'],
    [303, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [301, 'POST', 'GET'],
    [302, 'PUT', 'PUT'],
  ])('U-P6: %i turns %s into %s', async (status, method, after) => {
    const { origin, requests } = await countdown(status);
    await webhook({ url: `${origin}/1`, method, hmacSecret: 's' }).run({ a: 1 }, ctx);
    expect(requests[1]?.method).toBe(after);
    const isSent = after !== 'GET';
    expect(requests[1]?.body.length).toBe(isSent ? 7 : 0);
    expect(requests[1]?.headers['x-signature-256'] !== undefined).toBe(isSent);
    expect(requests[1]?.headers['content-type'] !== undefined).toBe(isSent);
  });

  test.each<[where: string, to: (port: number, other: number) => string]>([
    ['another port', (_port, other) => `http://127.0.0.1:${other}/`],
    ['another host', (port) => `http://localhost:${port}/`],
    ['another scheme', (port) => `https://127.0.0.1:${port}/`],
    ['a host without a scheme', (_port, other) => `//127.0.0.1:${other}/`],
    ['the metadata of a cloud (B75)', () => 'http://169.254.169.254/latest/meta-data/'],
    ['a file', () => 'file:///etc/passwd'],
    ['data', () => 'data:application/json,{}'],
    ['the same origin with a user', (port) => `http://u:p@127.0.0.1:${port}/`],
    ['a backslash host', (_port, other) => `\\\\127.0.0.1:${other}/`],
    ['what cannot be read', () => 'http://[::1'],
  ])('U-P5, B75: one to %s is a failure, and no credential goes there', async (_where, to) => {
    const other = await service();
    const { origin, port, requests } = await service(({ url }, response) => {
      if (url === '/a') response.writeHead(307, { location: to(port, other.port) }).end();
      else response.end('{}');
    });
    const wire = wireOf({ localhost: [['127.0.0.1']] });
    const error = await thrownBy(webhook({ url: `${origin}/a`, auth }, wire).run({}, ctx));
    expect(error.message).toContain('another origin');
    expect(error.message).not.toContain('secret-token');
    expect([requests.length, other.sockets.size, wire.lookups.length]).toEqual([1, 0, 0]);
  });

  test('a redirect that says nowhere is a failure with its status', async () => {
    const { origin, requests } = await service((_arrived, response) =>
      response.writeHead(302).end(),
    );
    expect(await thrownBy(webhook({ url: origin }).run({}, ctx))).toMatchObject({
      eventText: 'HTTP 302',
    });
    expect(requests).toHaveLength(1);
  });

  test('an endless body of a redirect is not waited for', async () => {
    const { origin } = await service(({ url }, response) => {
      if (url === '/b') response.end('{"done":true}');
      else response.writeHead(307, { location: '/b' }).write('x');
    });
    expect(await webhook({ url: `${origin}/a`, timeout: 5 }).run({}, ctx)).toEqual({ done: true });
  });
});
