import { ConfigError, ToolError, ToolRefused, tool } from 'agent-hooks';
import { Accepted, Done, reportsError, toolFormats, toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const Order = z
  .object({
    id: z.string(),
    status: z.string().default('held'),
    arrives: toolFormats.date().optional(),
  })
  .meta({ title: 'Order' });

/** A tool that returns whatever it is told to, as one without types would. */
function finding<Output extends z.ZodType>(outputSchema: Output, execute: () => unknown) {
  return tool({
    name: 'find_order',
    inputSchema: z.object({}),
    outputSchema,
    sideEffects: 'none',
    execute: execute as never,
  });
}

const run = (outputSchema: z.ZodType, execute: () => unknown) =>
  toolSet([finding(outputSchema, execute)]).run('find_order', {});

const build = (outputSchema: z.ZodType) => () => finding(outputSchema, () => null);

describe('typed outputs', () => {
  test('U-C1: our rule: what is read out of a result needs its schema, the rest does without', async () => {
    const plain = { name: 'x', inputSchema: z.object({}), execute: () => ({ b: 2, a: 1n }) };
    expect(await toolSet([tool(plain)]).call('x', {})).toEqual({ b: 2, a: '1' });
    const hiding = { ...plain, hidden: ['b'] } as unknown as typeof plain;
    expect(() => tool(hiding)).toThrow(/Name its output: set `outputSchema`/);
  });

  test('U-C2, U-C4, U-C5: a bare record is checked, defaults are filled in and strange fields dropped', async () => {
    const record: Record<string, unknown> = { id: 'A', internal: 'x' };
    expect((await run(Order, () => record)).forModel).toEqual({ id: 'A', status: 'held' });
    const open = z.looseObject({ a: z.number() });
    expect((await run(open, () => ({ a: 1, b: 2 }))).forModel).toEqual({ a: 1, b: 2 });
  });

  test('U-C3, U-C18: a typed value is written in the form the schema reads', async () => {
    const given = { id: 'A', arrives: '2026-10-16' };
    expect((await run(Order, () => given)).forModel).toEqual({ ...given, status: 'held' });
    const nested = z.object({ days: z.array(z.object({ on: toolFormats.dateTime() })) });
    const days = [{ on: '2026-10-16T10:00:00+02:00' }];
    expect((await run(nested, async () => ({ days }))).forModel).toEqual({
      days: [{ on: '2026-10-16T08:00:00.000Z' }],
    });
  });

  test('U-C3: a schema that takes its time is waited for, on the way back too', async () => {
    const late = z.object({
      on: toolFormats.date().refine(async (day) => day.getTime() > 0, 'is long ago'),
    });
    expect((await run(late, () => ({ on: '2026-10-16' }))).forModel).toEqual({ on: '2026-10-16' });
    expect(await run(late, () => ({ on: '1969-10-16' }))).toMatchObject({ outcome: 'failed' });
  });

  test('U-C6, U-AI1: a misfit names the tool, the schema and the first wrong field', async () => {
    const misfit = await run(Order, () => ({ id: 'A', status: 5, arrives: 'soon' }));
    expect(misfit).toMatchObject({ outcome: 'failed', isError: true });
    expect(misfit.forModel).toEqual({
      error: expect.stringMatching(
        /^find_order: result does not fit Order \(status: .*string.*number\)\. Do not claim success\.$/,
      ),
    });
    expect((await run(z.object({ id: z.string() }), () => 5)).forModel).toEqual({
      error: expect.stringMatching(/does not fit its output schema \(output: .*object/),
    });
  });

  test('U-C7: what is told of a misfit elsewhere names tool and field, and holds no value and no key of a record', async () => {
    const Stock = z.object({ of: z.record(z.string(), z.number()), status: z.enum(['ok']) });
    const tools = toolSet([
      finding(Stock.meta({ title: 'Stock' }), () => ({ of: { SECRET: 'x' }, status: 'ok' })),
      tool({
        name: 'other',
        inputSchema: z.object({}),
        outputSchema: Stock,
        execute: (() => ({ of: {}, status: 'SECRET' })) as never,
      }),
    ]);
    const errors = await Promise.all(
      ['find_order', 'other'].map((name) => tools.call(name, {}).catch((error: unknown) => error)),
    );
    expect(errors).toMatchObject([
      { code: 'unreadable-output', eventText: 'find_order: result does not fit Stock (of.*)' },
      { eventText: 'other: result does not fit its output schema (status)' },
    ]);
    for (const error of errors) expect(String(error)).not.toContain('SECRET');
  });

  test.each([
    ['an error', { error: 'db down' }, true],
    ['a refusal', { refused: 'not yet' }, true],
    ['ok: false', { ok: false, why: 'x' }, true],
    ['no error', { error: null, id: 'A' }, false],
    ['an empty error', { error: ' ', id: 'A' }, false],
    ['an error that is no text', { error: 5 }, false],
    ['a list', [{ error: 'db down' }], false],
    ['a text', 'error', false],
  ])('U-C8, U-C9, U-E3: %s', (_name, result, isError) => {
    expect(reportsError(result)).toBe(isError);
  });

  test('U-C8, U-C9: a result that reports an error is not checked and is one; any other is checked', async () => {
    const down = { error: 'db down', code: 5 };
    expect(await run(Order, () => down)).toEqual({
      outcome: 'failed',
      isError: true,
      result: down,
      forModel: down,
    });
    const fine = z.object({ error: z.string().nullable(), id: z.string() });
    const checked = await run(fine, () => ({ error: null, id: 'A', more: 1 }));
    expect(checked).toMatchObject({ outcome: 'succeeded', forModel: { error: null, id: 'A' } });
    expect(await run(Order, () => ({ error: '' }))).toMatchObject({ outcome: 'failed' });
  });

  test('U-C10, U-H11: the words of a ToolError come first, unchanged, and the warning once', async () => {
    const says = async (words: string) =>
      (
        await run(Order, () => {
          throw new ToolError(words);
        })
      ).forModel;
    expect(await says('Fully booked on Friday; suggest Saturday.')).toEqual({
      error: 'Fully booked on Friday; suggest Saturday. Do not claim success.',
    });
    expect(await says('Fully booked')).toEqual({ error: 'Fully booked. Do not claim success.' });
    expect(await says('Gone. Do not claim success.')).toEqual({
      error: 'Gone. Do not claim success.',
    });
  });

  test('U-C11: of any other error the model reads no word', async () => {
    const failed = await run(Order, () => {
      throw new Error('ECONNREFUSED 10.0.0.3');
    });
    expect(failed.forModel).toEqual({
      error: 'find_order failed before completing. Do not claim success.',
    });
  });

  test('U-H10: a refusal that a tool throws is one for the model', async () => {
    const refused = await run(Order, () => {
      throw new ToolRefused('day is not known yet. Ask the user, then retry.');
    });
    expect(refused).toMatchObject({
      outcome: 'failed',
      forModel: { refused: 'day is not known yet. Ask the user, then retry.' },
    });
  });

  test('U-C12, U-C15, U-C21: Done is ok, also for a function that returns nothing', async () => {
    for (const done of [undefined, {}, { ok: true }])
      expect((await run(Done, () => done)).forModel).toEqual({ ok: true });
    expect((await run(Done.describe('all done'), async () => undefined)).forModel).toEqual({
      ok: true,
    });
    expect(await run(Order, () => undefined)).toMatchObject({ outcome: 'failed' });
    expect(await run(z.object({ a: z.string().optional() }), () => undefined)).toMatchObject({
      outcome: 'failed',
    });
    expect(await run(Done, () => null)).toMatchObject({ outcome: 'failed' });
  });

  test('U-C14, U-C15: Accepted says both, and only both', async () => {
    const accepted = { ok: true, accepted: true };
    expect((await run(Accepted, () => accepted)).forModel).toEqual(accepted);
    expect(await run(Accepted, () => ({ ok: true }))).toMatchObject({ outcome: 'failed' });
  });

  test.each([
    ['lines.*.size', z.object({ lines: z.array(z.object({ size: transformed() })) })],
    ['a', z.object({ a: z.preprocess(Number, z.number()) })],
    ['b', z.object({ a: z.string(), b: z.union([z.null(), transformed()]) })],
    ['c', z.object({ c: z.lazy(() => transformed()) })],
    ['d.*', z.object({ d: z.tuple([z.string()], transformed()) })],
    ['e.*', z.object({ e: z.record(z.string(), transformed()) })],
    ['f', z.object({ f: z.intersection(z.string(), transformed()) })],
    ['g', z.object({ g: transformed().optional() })],
  ])('U-C19: a transform at %s that leads one way only is refused at build', (field, schema) => {
    expect(build(schema)).toThrow(ConfigError);
    expect(build(schema)).toThrow(`tool 'find_order': the field '${field}' of \`outputSchema\``);
  });

  test.each([
    ['day', 'date', z.object({ day: z.date() })],
    ['all.*.big', 'bigint', z.object({ all: z.array(z.object({ big: z.bigint() })) })],
    ['fn', 'custom', z.object({ fn: z.custom() })],
  ])(
    'U-C20: a field %s of type %s is refused at build, with what to use',
    (field, type, schema) => {
      expect(build(schema)).toThrow(`the field '${field}' of \`outputSchema\` is a ${type}`);
      expect(build(schema)).toThrow(/toolFormats\.date\(\).*Done/);
    },
  );

  test('U-C19: what leads both ways is fine, and so is a recursive result', () => {
    const Node: z.ZodType = z.object({
      name: z.string().trim(),
      get next() {
        return z.optional(Node);
      },
    });
    for (const schema of [Node, z.object({ yes: z.stringbool() }), z.string().trim()])
      expect(build(schema)).not.toThrow();
  });

  test('a result that throws when it is looked at is one that cannot be read', async () => {
    const hostile = Object.defineProperty({}, 'error', {
      enumerable: true,
      get: () => {
        throw new Error('no');
      },
    });
    expect(await run(Order, () => hostile)).toMatchObject({ outcome: 'failed' });
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(await run(Order, () => proxy)).toMatchObject({ outcome: 'failed' });
  });
});

function transformed() {
  return z.string().transform((text) => text.length);
}
