import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { toolContext } from '../tool-context.ts';
import { connectProxy } from './connect-proxy.ts';
import { OK, service, thrownBy, webhook, wireOf } from './service.ts';

const ctx = toolContext(undefined);
const PUBLIC = '93.184.216.34';

describe('the address that was checked is the one that is called', () => {
  test('U-P9, U-P10, B73: one lookup, its address is dialled, TLS name and Host stay the name', async () => {
    const { port, requests } = await service(OK, { tls: true });
    const wire = wireOf({ 'crm.example.com': [[PUBLIC], ['127.0.0.1']] });
    const url = `https://crm.example.com:${port}/notes`;
    const tool = webhook({ url, allowPrivateNetwork: false }, wire);
    expect(await tool.run({ id: 'A' }, ctx)).toEqual({ done: true });
    expect(wire.lookups).toEqual(['crm.example.com']);
    expect(wire.dialled).toEqual([PUBLIC]);
    expect(requests[0]?.headers.host).toBe(`crm.example.com:${port}`);
    expect(requests[0]?.servername).toBe('crm.example.com');
    // The name now gives another address: the next call is checked anew.
    expect((await thrownBy(tool.run({}, ctx))).message).toContain('private network');
    expect(requests).toHaveLength(1);
  });

  test('U-P10: a certificate for another name is refused, and nothing is sent', async () => {
    const { port, requests } = await service(OK, { tls: true });
    const wire = wireOf({ 'evil.example.com': [[PUBLIC]] });
    const url = `https://evil.example.com:${port}/`;
    const error = await thrownBy(webhook({ url, allowPrivateNetwork: false }, wire).run({}, ctx));
    expect(error).toMatchObject({ code: 'tool-failed' });
    expect(requests).toHaveLength(0);
  });

  test('U-P9: a redirect asks nobody for the name again', async () => {
    const { port, requests } = await service(
      ({ url }, response) => {
        if (url === '/b') response.end('{}');
        else response.writeHead(307, { location: '/b' }).end();
      },
      { tls: true },
    );
    const wire = wireOf({ 'crm.example.com': [[PUBLIC], ['127.0.0.1']] });
    const url = `https://crm.example.com:${port}/a`;
    await webhook({ url, allowPrivateNetwork: false }, wire).run({}, ctx);
    expect(wire.lookups).toHaveLength(1);
    expect(requests.map((one) => one.url)).toEqual(['/a', '/b']);
  });

  test('U-P8: several public addresses are all taken', async () => {
    const { port, requests } = await service(OK, { tls: true });
    const wire = wireOf({ 'crm.example.com': [[PUBLIC, '2606:4700::1111']] });
    await webhook(
      { url: `https://crm.example.com:${port}/`, allowPrivateNetwork: false },
      wire,
    ).run({}, ctx);
    expect(requests).toHaveLength(1);
  });

  test('a name without an address, or that nobody knows, is a failure', async () => {
    const wire = wireOf({ 'empty.example.com': [[]] });
    for (const host of ['empty.example.com', 'gone.example.com']) {
      const error = await thrownBy(webhook({ url: `https://${host}/` }, wire).run({}, ctx));
      expect(error).toMatchObject({ code: 'tool-failed' });
      expect(error.message).toContain('no address');
    }
  });

  test('U-P14: with the option plain http to this machine is called', async () => {
    const { origin, requests } = await service();
    expect(await webhook({ url: `${origin}/h` }).run({}, ctx)).toEqual({ done: true });
    expect(requests).toHaveLength(1);
  });
});

const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY'];

/** Sets the variables for one test, whatever the machine has there. */
function environment(given: Readonly<Record<string, string>>): void {
  const names = VARIABLES.flatMap((name) => [name, name.toLowerCase()]);
  for (const name of names) vi.stubEnv(name, given[name.toUpperCase()]);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
}

describe('proxies', () => {
  test('B76: proxy variables are not read', async () => {
    const proxy = await connectProxy();
    const { origin, requests } = await service();
    environment({
      HTTP_PROXY: proxy.origin,
      HTTPS_PROXY: proxy.origin,
      ALL_PROXY: proxy.origin,
      NODE_USE_ENV_PROXY: '1',
    });
    await webhook({ url: origin }).run({}, ctx);
    expect([requests.length, proxy.asked]).toEqual([1, []]);
  });

  test('B76: a trusted proxy is asked for the name, and nobody else is', async () => {
    const { port, requests } = await service(OK, { tls: true });
    const proxy = await connectProxy(port);
    environment({ HTTPS_PROXY: proxy.origin });
    const wire = wireOf();
    const url = `https://crm.example.com:${port}/notes`;
    const tool = webhook({ url, allowPrivateNetwork: false, trustProxy: true }, wire);
    expect(await tool.run({ id: 'A' }, ctx)).toEqual({ done: true });
    expect(proxy.asked).toEqual([`crm.example.com:${port}`]);
    expect([wire.lookups, requests[0]?.servername]).toEqual([[], 'crm.example.com']);
  });

  test.each([
    ['NO_PROXY names the host', { NO_PROXY: 'crm.example.com' }],
    ['no proxy is named', { HTTPS_PROXY: '' }],
  ])('B76: with a trusted proxy, what goes past it is checked: %s', async (_why, more) => {
    const { port, requests } = await service(OK, { tls: true });
    const proxy = await connectProxy(port);
    environment({ HTTPS_PROXY: proxy.origin, ...more });
    const wire = wireOf({ 'crm.example.com': [[PUBLIC], ['127.0.0.1']] });
    const url = `https://crm.example.com:${port}/`;
    const tool = webhook({ url, allowPrivateNetwork: false, trustProxy: true }, wire);
    expect(await tool.run({}, ctx)).toEqual({ done: true });
    const error = await thrownBy(tool.run({}, ctx));
    expect(error.message).toContain('private network');
    expect(error).toMatchObject({ code: 'tool-failed' });
    expect([requests.length, wire.dialled, proxy.asked]).toEqual([1, [PUBLIC], []]);
  });

  test('B76: a trusted proxy is not led to an address of a private network', async () => {
    const proxy = await connectProxy();
    environment({ HTTPS_PROXY: proxy.origin });
    const url = 'https://169.254.169.254/latest';
    const tool = webhook({ url, allowPrivateNetwork: false, trustProxy: true });
    expect((await thrownBy(tool.run({}, ctx))).message).toContain('private network');
    expect(proxy.asked).toEqual([]);
  });

  test('B76: redirects through a trusted proxy stay on their origin', async () => {
    const { port, requests } = await service(
      (_arrived, response) => response.writeHead(307, { location: 'https://evil.example/' }).end(),
      { tls: true },
    );
    const proxy = await connectProxy(port);
    environment({ HTTPS_PROXY: proxy.origin });
    const url = `https://crm.example.com:${port}/`;
    const tool = webhook({ url, allowPrivateNetwork: false, trustProxy: true });
    expect((await thrownBy(tool.run({}, ctx))).message).toContain('another origin');
    expect([requests.length, proxy.asked.length]).toEqual([1, 1]);
  });

  test('a proxy that refuses, and one whose address is unusable, fail without a word of it', async () => {
    const proxy = await connectProxy();
    for (const address of [proxy.origin.replace('//', '//me:S3CRET@'), 'http://me:S3CRET@:no/']) {
      environment({ HTTPS_PROXY: address });
      const tool = webhook({ url: 'https://crm.example.com/', trustProxy: true });
      const error = await thrownBy(tool.run({}, ctx));
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('S3CRET');
    }
  });
});
