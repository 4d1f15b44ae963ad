import { ConfigError, type JsonObject } from 'agent-hooks';
import { currentDatetimeTool, toolSet, userContactTool } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';

const at = (text: string) => ({ now: () => new Date(text) });

async function tell(zone: string | undefined, moment: string): Promise<JsonObject> {
  const told = await toolSet([currentDatetimeTool(zone, at(moment))]).call('current_datetime', {});
  return told as JsonObject; // it is the output of its schema
}

describe('the clock', () => {
  test('U-S1: tells seven things of UTC, without arguments', async () => {
    expect(await tell(undefined, '2026-02-03T04:05:06Z')).toEqual({
      timezone: 'UTC',
      local_datetime: '2026-02-03T04:05:06+00:00',
      local_date: '2026-02-03',
      local_time: '04:05:06',
      day_of_week: 'Tuesday',
      utc_offset: '+00:00',
      is_dst: false,
    });
    expect(currentDatetimeTool().description.inputSchema['properties']).toEqual({});
  });

  test.each([
    ['Europe/Madrid', '2026-07-01T12:00:00Z', '2026-07-01T14:00:00+02:00', true],
    ['Europe/Madrid', '2026-01-01T12:00:00Z', '2026-01-01T13:00:00+01:00', false],
    ['Europe/Madrid', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00', false],
    ['Europe/Madrid', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00', true],
    ['Europe/Madrid', '2026-10-25T00:59:59Z', '2026-10-25T02:59:59+02:00', true],
    ['Europe/Madrid', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00+01:00', false],
    ['Australia/Sydney', '2026-01-01T12:00:00Z', '2026-01-01T23:00:00+11:00', true],
    ['Australia/Sydney', '2026-07-01T12:00:00Z', '2026-07-01T22:00:00+10:00', false],
    ['Asia/Kolkata', '2026-07-01T18:30:00Z', '2026-07-02T00:00:00+05:30', false],
    ['America/St_Johns', '2026-01-01T03:00:00Z', '2025-12-31T23:30:00-03:30', false],
    ['America/New_York', '2026-07-01T03:00:00Z', '2026-06-30T23:00:00-04:00', true],
  ])('U-S3: in %s at %s it is %s', async (...[zone, moment, local, dst]) => {
    expect(await tell(zone, moment)).toMatchObject({ local_datetime: local, is_dst: dst });
  });

  test.each(['Madrid', '+02:00', '-05', '', 'Europe/', 'GMT+2', 5, null])(
    'U-S2: %j is no zone, at build',
    (zone) => {
      const build = () => currentDatetimeTool(zone as string);
      expect(build).toThrow(ConfigError);
      expect(build).toThrow(/IANA name/);
    },
  );

  test('U-S7: has a name and a description of its own, or another', () => {
    expect(currentDatetimeTool().name).toBe('current_datetime');
    const clock = currentDatetimeTool('UTC', { name: 'clock', description: 'Ticks' });
    expect(clock.description).toMatchObject({ name: 'clock', description: 'Ticks' });
  });

  test('refuses an option nobody knows, and a clock that is none', () => {
    expect(() => currentDatetimeTool('UTC', { nme: 'x' } as object)).toThrow(/Did you mean 'name'/);
    expect(() => currentDatetimeTool('UTC', { now: 5 } as unknown as object)).toThrow('`now`');
  });

  test('goes by the clock of the process without another', async () => {
    const told = await toolSet([currentDatetimeTool()]).call('current_datetime', {});
    const { local_datetime } = told as { readonly local_datetime: string };
    expect(Math.abs(Date.parse(local_datetime) - Date.now())).toBeLessThan(5_000);
  });
});

describe('the contact', () => {
  const contact = (facts: object) =>
    toolSet([userContactTool()]).call('user_phone_number', {}, facts);

  test.each([
    [{ sender: '+34 600 11 22 33' }, '+34 600 11 22 33'],
    [{ sender: { phone: '+34600112233', name: 'Ann' } }, '+34600112233'],
  ])('U-S4, U-S8: is what the app said of the sender: %j', async (facts, phone_number) => {
    expect(await contact({ ...facts, session: { startedBy: 'user' } })).toEqual({
      available: true,
      phone_number,
      call_type: 'inbound',
      reason: null,
    });
  });

  test.each([
    ['user', 'inbound'],
    ['agent', 'outbound'],
    ['someone', null],
    [undefined, null],
  ])('U-S5: a session that %j started is %s', async (startedBy, call_type) => {
    const facts = { sender: '+34600112233', session: { id: 's', startedBy } };
    expect(await contact(facts)).toMatchObject({ call_type });
  });

  test.each([
    {},
    { sender: 'ann' },
    { sender: 'ann@example.com' },
    { sender: { name: 'Ann' } },
    { sender: { phone: null } },
    { sender: ['+34600112233'] },
    { sender: 600112233 },
    { sender: `+${'1'.repeat(60)}` },
  ])('U-S6: is not made up of %j', async (facts) => {
    expect(await contact(facts)).toEqual({
      available: false,
      phone_number: null,
      call_type: null,
      reason: expect.stringMatching(/\w/),
    });
  });

  test('U-S7: has a name and a description of its own, or another', () => {
    const named = userContactTool({ name: 'who', description: 'Who is it' });
    expect(named.description).toMatchObject({ name: 'who', description: 'Who is it' });
    expect(() => userContactTool({ title: 'x' } as object)).toThrow(/no option 'title'/);
  });

  test('both run without asking', () => {
    for (const made of [userContactTool(), currentDatetimeTool()])
      expect(made).toMatchObject({ sideEffects: 'none', tier: 'auto', parallel: true });
  });
});
