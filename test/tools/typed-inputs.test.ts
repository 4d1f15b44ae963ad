import { ConfigError, type ToolContext, tool } from 'agent-hooks';
import { toolFormats, toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const inputSchema = z.object({
  day: toolFormats.date().describe('The day the user wants'),
  party: z.int().min(1).max(12).default(2),
  seating: z.enum(['inside', 'terrace']).default('inside'),
  phone: toolFormats.phone().optional(),
});

/** Books and notes what `execute` got. */
function booking() {
  const seen: z.output<typeof inputSchema>[] = [];
  const book = tool({
    name: 'book',
    inputSchema,
    sideEffects: 'none',
    execute: (input) => {
      seen.push(input);
      return { ok: true };
    },
  });
  return { seen, book, tools: toolSet([book]) };
}

describe('typed inputs', () => {
  test('U-B1: the model gets the schema of what it writes, and a default makes a field optional', () => {
    const schema = booking().book.description.inputSchema;
    expect(Object.keys(schema['properties'] as object)).toEqual([
      'day',
      'party',
      'seating',
      'phone',
    ]);
    expect(schema['required']).toEqual(['day']);
  });

  test('U-B2: descriptions and limits travel along', () => {
    const properties = booking().book.description.inputSchema['properties'];
    expect(properties).toMatchObject({
      day: { type: 'string', description: expect.stringContaining('The day the user wants') },
      party: { maximum: 12, minimum: 1 },
    });
  });

  test('U-B3, U-B10, U-B12: the function gets real types, defaults filled in and values cleaned', async () => {
    const { tools, seen } = booking();
    await tools.call('book', { day: '2026-10-16', phone: '+34 600 11-22-33' });
    expect(seen).toEqual([
      {
        day: new Date(Date.UTC(2026, 9, 16)),
        party: 2,
        seating: 'inside',
        phone: '+34600112233',
      },
    ]);
  });

  test('U-B4, U-B5: all bad arguments are answered together, with field and limit, and nothing runs', async () => {
    const { tools, seen } = booking();
    const run = await tools.run('book', { day: 'soon', party: 40 });
    expect(run).toMatchObject({ outcome: 'invalid', isError: true });
    expect(run.forModel).toEqual({
      error: expect.stringMatching(/day: .*date.*party: .*<=12.*Do not claim success\.$/),
    });
    // Ours: the value is not repeated. The model wrote it, and what a policy put in its place is not for it.
    expect(JSON.stringify(run.forModel)).not.toMatch(/soon|40/);
    expect(seen).toEqual([]);
  });

  test('U-B11: a choice names its words', async () => {
    const { tools } = booking();
    const { forModel } = await tools.run('book', { day: '2026-10-16', seating: 'roof' });
    expect(forModel).toEqual({ error: expect.stringMatching(/seating: .*inside.*terrace/) });
  });

  test('U-B6: a field without a type is refused where the tool is built, by its name', () => {
    const undeclared = z.object({ day: z.string(), party: undefined as unknown as z.ZodString });
    const build = () => tool({ name: 'book', inputSchema: undeclared, execute: () => null });
    expect(build).toThrow(ConfigError);
    expect(build).toThrow(/tool 'book': the field 'party' of `inputSchema` has no type/);
  });

  test('U-B7: names that nobody declared are taken only by a schema that says it is open', async () => {
    const seen: unknown[] = [];
    const open = (schema: z.ZodObject) =>
      toolSet([
        tool({ name: 'note', inputSchema: schema, execute: (input) => void seen.push(input) }),
      ]);
    await open(z.looseObject({ a: z.string() })).call('note', { a: 'x', b: 1 });
    await open(z.object({}).catchall(z.number())).call('note', { c: 2 });
    const record = z.record(z.string(), z.number()) as unknown as z.ZodObject;
    expect(() => open(record)).toThrow(/the root is one plain object/);
    const closed = await open(z.object({ a: z.string() })).run('note', { a: 'x', b: 1 });
    expect(closed.outcome).toBe('invalid');
    expect(seen).toEqual([{ a: 'x', b: 1 }, { c: 2 }]);
  });

  test('U-B8: our rule: a tool says its name, since minifiers rename functions', () => {
    const find_order = () => null;
    const nameless = { inputSchema: z.object({}), execute: find_order } as unknown as {
      name: string;
    } & Parameters<typeof tool>[0];
    expect(() => tool(nameless)).toThrow('`name` is missing');
  });

  test.each([
    ['its own', 'Books a table', 'What a booking needs', 'Books a table'],
    ['that of its input', undefined, 'What a booking needs', 'What a booking needs'],
    ['its name, for a blank one', '  ', undefined, 'book'],
    ['its name, for none', undefined, undefined, 'book'],
  ])('U-B9, U-B17: the description of a tool is %s', (...[, own, ofInput, described]) => {
    const schema = z.object({});
    const book = tool({
      name: 'book',
      ...(own !== undefined && { description: own }),
      inputSchema: ofInput === undefined ? schema : schema.describe(ofInput),
      execute: () => null,
    });
    expect(book.description.description).toBe(described);
  });

  test('U-B13: a schema that stands by itself is what the function gets', async () => {
    const OrderQuery = z.object({ orderId: z.string() }).meta({ title: 'OrderQuery' });
    const find = tool({
      name: 'find',
      inputSchema: OrderQuery,
      execute: (query) => query.orderId,
    });
    expect(Object.keys(find.description.inputSchema['properties'] as object)).toEqual(['orderId']);
    expect(await toolSet([find]).call('find', { orderId: 'A' })).toBe('A');
  });

  test('U-B14: a function may answer at once or later', async () => {
    const made = [() => 'now', async () => 'later'].map((execute, index) =>
      tool({ name: `t${index}`, inputSchema: z.object({}), execute }),
    );
    const tools = toolSet(made);
    expect([await tools.call('t0', {}), await tools.call('t1', {})]).toEqual(['now', 'later']);
  });

  test.each(['book table', 'x'.repeat(65), ''])('U-B16: %j is no name', (name) => {
    const build = () => tool({ name, inputSchema: z.object({}), execute: () => null });
    expect(build).toThrow(/1 to 64 letters, digits, `_` and `-`/);
  });

  test('U-B18: what the function gets beside its input is in no schema', async () => {
    const seen: ToolContext[] = [];
    const look = tool({
      name: 'look',
      inputSchema: z.object({}),
      execute: (_input, ctx: ToolContext) => void seen.push(ctx),
    });
    await toolSet([look]).call('look', {}, { sender: 'ann', session: { id: 's' } });
    expect(seen).toMatchObject([{ sender: 'ann', session: { id: 's' }, channel: null }]);
    expect(seen[0]?.signal).toBeInstanceOf(AbortSignal);
    expect(JSON.stringify(look.description)).not.toMatch(/sender|session|signal/);
  });

  test.each([[''], ['  '], [undefined], [null], ['{}']])(
    'U-B19: %j are the arguments of a tool that wants none',
    async (args) => {
      const look = tool({ name: 'look', inputSchema: z.object({}), execute: () => 'seen' });
      expect(await toolSet([look]).run('look', args)).toMatchObject({ outcome: 'succeeded' });
    },
  );

  test.each(['{bad', '[]', '5', '{"__proto__":{"x":1}}'])(
    'U-B19: %s are arguments that the model is told about',
    async (args) => {
      const look = tool({ name: 'look', inputSchema: z.object({}), execute: () => 'seen' });
      const { outcome, forModel } = await toolSet([look]).run('look', args);
      expect([outcome, forModel]).toEqual([
        'invalid',
        { error: expect.stringMatching(/^Invalid arguments: .*Do not claim success\.$/) },
      ]);
    },
  );
});
