import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ToolRefused } from '../../../src/errors/tool-error.ts';
import { toolContext } from '../tool-context.ts';
import { service, thrownBy, webhook } from './service.ts';

const ctx = toolContext(undefined);
const withState = (values: Record<string, unknown>) => ({
  ...ctx,
  state: { get: (field: string) => values[field] as never, set: () => undefined },
});

describe('what a webhook sends', () => {
  test('U-P1, U-O10: the arguments as one JSON object, by POST', async () => {
    const { origin, requests } = await service();
    await webhook({ url: `${origin}/x` }).run({ id: 'A', n: null, l: [1, { a: false }] }, ctx);
    expect(requests[0]).toMatchObject({ method: 'POST', url: '/x' });
    expect(requests[0]?.headers['content-type']).toBe('application/json');
    expect(requests[0]?.body.toString()).toBe('{"id":"A","n":null,"l":[1,{"a":false}]}');
  });

  test('U-O10: another method sends JSON, too', async () => {
    const { origin, requests } = await service();
    for (const method of ['PUT', 'patch', 'DELETE'])
      await webhook({ url: origin, method }).run({ id: 'A' }, ctx);
    expect(requests.map(({ method }) => method)).toEqual(['PUT', 'PATCH', 'DELETE']);
    expect(requests.every(({ body }) => body.toString() === '{"id":"A"}')).toBe(true);
  });

  test('U-O11: fixed headers', async () => {
    const { origin, requests } = await service();
    await webhook({ url: origin, headers: { 'X-App': '1' } }).run({}, ctx);
    expect(requests[0]?.headers['x-app']).toBe('1');
  });

  test('B79: one idempotency key a call, that of the engine', async () => {
    const { origin, requests } = await service();
    await webhook({ url: origin }).run({}, ctx);
    expect(requests[0]?.headers['idempotency-key']).toBe(ctx.idempotencyKey);
  });

  test('U-P2, U-P4: GET puts the arguments behind the query of the address', async () => {
    const { origin, requests } = await service();
    const tool = webhook({ url: `${origin}/x?src=app`, method: 'GET' });
    await tool.run({ id: 'A b&c=d', tags: ['a', 'b', null], on: true, n: 1.5, none: null }, ctx);
    const [arrived] = requests;
    expect(arrived?.url).toBe('/x?src=app&id=A+b%26c%3Dd&tags=a&tags=b&on=true&n=1.5');
    expect([arrived?.method, arrived?.body.length, arrived?.headers['content-type']]).toEqual([
      'GET',
      0,
      undefined,
    ]);
  });

  test('U-P3: a name of an open schema that the address has is refused by name', async () => {
    const { origin, requests } = await service();
    const tool = webhook({ url: `${origin}/?src=app`, method: 'GET' });
    const error = await thrownBy(tool.run({ src: 'evil' }, ctx));
    expect(ToolRefused.isInstance(error) && error.forModel).toContain('src');
    expect(requests).toHaveLength(0);
  });

  test('U-P4: an object of an open schema is a failure', async () => {
    const { origin, requests } = await service();
    await thrownBy(webhook({ url: origin, method: 'GET' }).run({ o: { a: 1 } }, ctx));
    await thrownBy(webhook({ url: origin, method: 'GET' }).run({ o: [['a']] }, ctx));
    expect(requests).toHaveLength(0);
  });

  test.each([
    ['cus/10 42', '/customers/cus%2F10%2042/notes'],
    ['../admin?x=1#', '/customers/..%2Fadmin%3Fx%3D1%23/notes'],
    ['%2e%2e', '/customers/%252e%252e/notes'],
    ['a\\..\\b', '/customers/a%5C..%5Cb/notes'],
    ['{{secret}}', '/customers/%7B%7Bsecret%7D%7D/notes'],
    ['é\ud800', '/customers/%C3%A9%EF%BF%BD/notes'],
    [0, '/customers/0/notes'],
    [false, '/customers/false/notes'],
  ])('U-O7, B77: %j stays one part of the path', async (id, path) => {
    const { origin, requests } = await service();
    const tool = webhook({ url: `${origin}/customers/{{customer.id}}/notes` });
    await tool.run({}, withState({ customer: { id } }));
    expect(requests.map(({ url }) => url)).toEqual([path]);
  });

  test.each([['..'], ['.'], [['..', '..', 'admin']], [{ a: 1 }]])(
    'U-O8, B77: %j in a path is a failure',
    async (id) => {
      const { origin, requests } = await service();
      for (const url of [`${origin}/a/{{id}}/b`, `${origin}/a/{{id}}`, `${origin}/a/{{id}}?x=1`]) {
        const error = await thrownBy(webhook({ url }).run({}, withState({ id })));
        expect(error).toMatchObject({ name: 'ToolError', code: 'tool-failed' });
      }
      expect(requests).toHaveLength(0);
    },
  );

  test.each([
    ['%2e{{id}}', '.'],
    ['.{{id}}', '.'],
    ['{{id}}{{id}}', '.'],
    ['{{id}}%2E', '.'],
  ])('U-O8: %s that %j completes to dots is a failure', async (segment, id) => {
    const { origin, requests } = await service();
    await thrownBy(webhook({ url: `${origin}/a/${segment}/b` }).run({}, withState({ id })));
    expect(requests).toHaveLength(0);
  });

  test('U-O7: values of the query and facts of the run', async () => {
    const { origin, requests } = await service();
    const url = `${origin}/{{input.id}}/{{call.id}}/{{channel}}?u={{sender.name}}&s={{session.id}}`;
    const tool = webhook({ url, inputSchema: z.object({ id: z.string() }) });
    await tool.run(
      { id: 'A/1' },
      { ...ctx, session: { id: 's&1' }, sender: { name: 'x=y' }, channel: 'web' },
    );
    expect(requests[0]?.url).toBe('/A%2F1/s%261/web?u=x%3Dy&s=s%261');
    expect(requests[0]?.body.toString()).toBe('{"id":"A/1"}');
  });

  test.each([[undefined], [null], ['']])(
    'U-O9: %j is not set, and the call is refused with every name',
    async (value) => {
      const { origin, requests } = await service();
      const tool = webhook({ url: `${origin}/{{customer.id}}/{{order}}/{{session.id}}` });
      const error = await thrownBy(
        tool.run({}, withState({ customer: { id: value }, order: value })),
      );
      expect(ToolRefused.isInstance(error) && error.forModel).toMatch(
        /customer\.id, order, session\.id.*does not have session\.id/,
      );
      expect(requests).toHaveLength(0);
    },
  );

  test('U-P16: more than 64 KiB is not sent', async () => {
    const { origin, requests } = await service();
    const error = await thrownBy(webhook({ url: origin }).run({ t: 'é'.repeat(33_000) }, ctx));
    expect(error).toMatchObject({ forModel: expect.stringContaining('64 KiB') });
    await thrownBy(webhook({ url: origin, method: 'GET' }).run({ t: 'x'.repeat(66_000) }, ctx));
    expect(requests).toHaveLength(0);
    await webhook({ url: origin }).run({ t: 'é'.repeat(32_000) }, ctx);
    expect(requests).toHaveLength(1);
  });

  test('U-Q11, U-Q12: the signature is over exactly the bytes that arrive', async () => {
    const { origin, requests } = await service();
    await webhook({ url: origin, hmacSecret: 'söcret' }).run({ t: 'é\ud800 𝄞' }, ctx);
    const { body, headers } = requests[0] ?? {};
    const own = createHmac('sha256', 'söcret')
      .update(body ?? '')
      .digest('hex');
    expect(headers?.['x-signature-256']).toBe(own);
    await webhook({ url: origin }).run({}, ctx);
    expect(requests[1]?.headers['x-signature-256']).toBeUndefined();
  });

  test('U-Q13, U-Q14, U-Q16, U-O16: an envelope', async () => {
    const { origin, requests } = await service();
    const options = { url: origin, body: 'envelope', resultInstructions: 'Read it out.' } as const;
    const run = {
      ...ctx,
      session: { id: 's1', userPhone: null, tags: [], note: '' },
      sender: null,
    };
    await webhook(options).run({ id: 'A' }, run);
    await webhook({ ...options, toolName: 'crm.note' }).run({}, ctx);
    const [first, second] = requests.map(({ body }) => JSON.parse(body.toString()));
    expect(first).toEqual({
      tool_name: 'note',
      description: 'Writes a note',
      arguments: { id: 'A' },
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      context: { session_id: 'thread', session: { id: 's1' } },
    });
    expect(second).toMatchObject({ tool_name: 'crm.note', context: { session_id: 'thread' } });
    expect(Object.keys(second.context)).toEqual(['session_id']);
  });

  test('what the schema made of the arguments is what is sent', async () => {
    const { origin, requests } = await service();
    const inputSchema = z.object({
      n: z.number().default(2),
      day: z.string().transform((day) => new Date(day)),
    });
    await webhook({ url: origin, inputSchema }).run({ day: '2024-05-06' }, ctx);
    expect(requests[0]?.body.toString()).toBe('{"n":2,"day":"2024-05-06T00:00:00.000Z"}');
  });
});
