import { describe, expect, test } from 'vitest';
import { toolContext } from '../tool-context.ts';
import { OK, service, thrownBy, webhook, wireOf } from './service.ts';

const ctx = toolContext(undefined);
const PUBLIC = '93.184.216.34';

describe('the address that was checked is the one that is called', () => {
  test('P9, P10, B73: one lookup, its address is dialled, TLS name and Host stay the name', async () => {
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

  test('P10: a certificate for another name is refused, and nothing is sent', async () => {
    const { port, requests } = await service(OK, { tls: true });
    const wire = wireOf({ 'evil.example.com': [[PUBLIC]] });
    const url = `https://evil.example.com:${port}/`;
    const error = await thrownBy(webhook({ url, allowPrivateNetwork: false }, wire).run({}, ctx));
    expect(error).toMatchObject({ code: 'tool-failed' });
    expect(requests).toHaveLength(0);
  });

  test('P9: a redirect asks nobody for the name again', async () => {
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

  test('P8: several public addresses are all taken', async () => {
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

  test('P14: with the option plain http to this machine is called', async () => {
    const { origin, requests } = await service();
    expect(await webhook({ url: `${origin}/h` }).run({}, ctx)).toEqual({ done: true });
    expect(requests).toHaveLength(1);
  });

  test('B76: proxy variables are not read', async () => {
    const proxy = await service();
    const { origin, requests } = await service();
    const names = [
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'http_proxy',
      'https_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ];
    const before = names.map((name) => [name, process.env[name]] as const);
    for (const name of names)
      process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.origin;
    try {
      await webhook({ url: origin }).run({}, ctx);
    } finally {
      for (const [name, value] of before) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
    expect([requests.length, proxy.sockets.size]).toEqual([1, 0]);
  });
});
