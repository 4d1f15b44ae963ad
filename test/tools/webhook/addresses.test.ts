import { describe, expect, test } from 'vitest';
import { isAllowedAddress } from '../../../src/internal/safe-http/allowed-address.ts';
import { toolContext } from '../tool-context.ts';
import { service, thrownBy, webhook, wireOf } from './service.ts';

const ctx = toolContext(undefined);

/** Addresses as a URL or a name may give them; none of them is a public one. */
const HOSTILE = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.127.255.255',
  '127.0.0.1',
  '127.1.2.3',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::8.8.8.8',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::',
  '2001:0:7f00:1::',
  '2001:db8::1',
  '100::1',
  'fc00::1',
  'fd00::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '4000::1',
] as const;

describe('addresses a webhook must not reach', () => {
  test.each(HOSTILE)(
    'U-P7, U-P11, U-P13, B70, B71: %s as a host is refused without a connection',
    async (address) => {
      const { port, sockets } = await service();
      const host = address.includes(':') ? `[${address}]` : address;
      const wire = wireOf();
      const tool = webhook({ url: `https://${host}:${port}/`, allowPrivateNetwork: false }, wire);
      const error = await thrownBy(tool.run({}, ctx));
      expect(error).toMatchObject({ name: 'ToolError', code: 'tool-failed' });
      expect(error.message).toContain('private network');
      expect([sockets.size, wire.lookups.length]).toEqual([0, 0]);
    },
  );

  test.each(HOSTILE)(
    'U-P8, B74: a name that gives %s beside a public address is refused',
    async (address) => {
      for (const answer of [['93.184.216.34', address], [address, '2606:4700::1'], [address]]) {
        const { port, sockets } = await service(undefined, { tls: true });
        const wire = wireOf({ 'crm.example.com': [answer] });
        const tool = webhook(
          { url: `https://crm.example.com:${port}/`, allowPrivateNetwork: false },
          wire,
        );
        const error = await thrownBy(tool.run({}, ctx));
        expect(error.message).toContain('private network');
        expect([sockets.size, wire.dialled.length]).toEqual([0, 0]);
      }
    },
  );

  test.each([
    'https://2130706433/',
    'https://0x7f.1/',
    'https://017700000001/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://127.0.1/',
    'https://0/',
    'https://0x0/',
    'https://[::ffff:127.0.0.1]/',
    'https://[0:0:0:0:0:ffff:7f00:1]/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127.0.0.1./',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://127.0.0.1.nip.example/',
    'https://%31%32%37.0.0.1/',
    'https://[fe80::1%25lo]/',
  ])('U-P12, B72: %s leads nowhere', async (url) => {
    const local = [['127.0.0.1', '::1']];
    const wire = wireOf({
      localhost: local,
      'localhost.': local,
      'a.localhost': local,
      '127.0.0.1.nip.example': local,
    });
    const attempt = async () => webhook({ url, allowPrivateNetwork: false }, wire).run({}, ctx);
    expect((await thrownBy(attempt())).message).toMatch(/private network|cannot be used/);
    expect(wire.dialled).toEqual([]);
  });

  test.each([
    '%',
    '1.2.3',
    '08.8.8.8',
    '8.8.8.8 ',
    'fe80::1%eth0',
    '',
    '::g',
    '8.8.8.8\n',
    '1.2.3.4.5',
    '0x8.8.8.8',
  ])('U-P13: %j of a resolver is no address', (address) =>
    expect(isAllowedAddress(address, false)).toBe(false),
  );

  test.each([
    '8.8.8.8',
    '1.1.1.1',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.1',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '192.0.1.1',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '2606:4700::1111',
    '2a00:1450::1',
    '2001:4860:4860::8888',
    '2003::1',
  ])('B70, B72: %s looks like one and is public', (address) => {
    expect(isAllowedAddress(address, false)).toBe(true);
  });

  test('B72: a public address in one number is called, as `134744072` is 8.8.8.8', () => {
    expect(isAllowedAddress(new URL('https://134744072/').hostname, false)).toBe(true);
  });

  test.each([
    '127.0.0.1',
    '10.0.0.1',
    '169.254.1.1',
    '192.168.0.1',
    '100.64.0.1',
    '::1',
    'fd00::1',
    'fe80::1',
    '8.8.8.8',
  ])('U-P14: %s is allowed in a network of one’s own', (address) =>
    expect(isAllowedAddress(address, true)).toBe(true),
  );

  test.each([
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    'ff02::1',
    '2001:db8::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
  ])('%s is of no use in a network of one’s own either', (address) =>
    expect(isAllowedAddress(address, true)).toBe(false),
  );
});
