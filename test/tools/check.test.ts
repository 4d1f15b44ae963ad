import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { isThenable } from '../../src/internal/is-thenable.ts';
import type { JsonValue } from '../../src/protocol/json.ts';
import type { ToolSchema } from '../../src/tools/schema.ts';
import { tool } from '../../src/tools/tool.ts';

function checking(inputSchema: ToolSchema): (input: JsonValue) => unknown {
  return tool({ name: 'refund', description: '', inputSchema, execute: () => null }).check;
}

const refund = z.object({
  orderId: z.string().min(3),
  amount: z.number().max(100),
  reason: z.enum(['late', 'broken']).optional(),
});

describe('an input that fits', () => {
  test('comes back as frozen wire JSON of its own, at once', () => {
    const given = { orderId: 'A-1', amount: 5 };
    const checked = checking(refund)(given);
    expect(checked).toEqual({ input: given });
    expect(checked).toHaveProperty('input', expect.toSatisfy(Object.isFrozen));
    expect(Object.isFrozen(given)).toBe(false);
    expect(isThenable(checked)).toBe(false);
  });

  test('is not transformed and gets no defaults', () => {
    const schema = z.object({
      day: z.string().transform((text) => new Date(text)),
      size: z.number().default(3),
    });
    expect(checking(schema)({ day: '2024-01-02' })).toEqual({ input: { day: '2024-01-02' } });
  });

  test('loses the keys that its schema drops further inside', () => {
    const schema = z.object({ lines: z.array(z.object({ sku: z.string() })).optional() });
    expect(checking(schema)({ lines: [{ sku: 'a', x: 1 }, { sku: 'b' }] })).toEqual({
      input: { lines: [{ sku: 'a' }, { sku: 'b' }] },
    });
  });

  test('keeps the keys that its schema keeps', () => {
    expect(checking(z.looseObject({ a: z.string() }))({ a: 'x', b: 1 })).toEqual({
      input: { a: 'x', b: 1 },
    });
    expect(checking(z.object({}).catchall(z.number()))({ b: 1 })).toEqual({ input: { b: 1 } });
    const renamed = z.preprocess(
      (value: { readonly old?: string }) => ({ id: value.old }),
      z.object({ id: z.string() }),
    );
    expect(checking(renamed)({ old: 'x' })).toEqual({ input: { old: 'x' } });
  });

  test('B57: may hold null where a field is optional or has a default, which reads as absent', () => {
    const schema = z.object({
      q: z.string(),
      limit: z.number().optional(),
      page: z.number().default(1),
      note: z.string().nullable(),
    });
    const given = { q: 'x', limit: null, page: null, note: null };
    expect(checking(schema)(given)).toEqual({ input: { q: 'x', note: null } });
  });

  test('may need an asynchronous refinement, and is then answered later', async () => {
    const schema = z.object({ id: z.string().refine(async (id) => id === 'A-1', 'is not known') });
    const checked = checking(schema)({ id: 'A-1' });
    expect(isThenable(checked)).toBe(true);
    expect(await checked).toEqual({ input: { id: 'A-1' } });
    expect(await checking(schema)({ id: 'B-2' })).toEqual({
      problem: "the input of tool 'refund' does not fit: id: is not known",
    });
  });
});

describe('an input that does not fit', () => {
  test('T12: names the tool, every field and what is allowed there', () => {
    const checked = checking(refund)({ orderId: 'A', amount: 900, reason: 'bored' });
    expect(checked).toHaveProperty('problem', expect.stringContaining("tool 'refund'"));
    expect(checked).toHaveProperty('problem', expect.stringMatching(/orderId: .*>=3/));
    expect(checked).toHaveProperty('problem', expect.stringMatching(/amount: .*<=100/));
    expect(checked).toHaveProperty('problem', expect.stringMatching(/reason: .*"late"\|"broken"/));
  });

  test.each([null, 5, 'x', true, [], [{ orderId: 'A-1' }]])('B53: %j is no object', (input) => {
    expect(checking(refund)(input)).toHaveProperty(
      'problem',
      expect.stringContaining('must be a JSON object'),
    );
  });

  test('a required field that is null stays a fault', () => {
    expect(checking(refund)({ orderId: null, amount: 5 })).toEqual({
      problem: expect.stringMatching(/orderId: .*string.*null/),
    });
  });

  test('an unknown key is a fault where the schema is strict', () => {
    const checked = checking(z.strictObject({ a: z.string() }))({ a: 'x', b: 1 });
    expect(checked).toHaveProperty('problem', expect.stringContaining('b is not an argument'));
  });

  test('of a union, the alternative that came closest is explained', () => {
    const schema = z.object({
      to: z.union([
        z.object({ email: z.string(), name: z.string() }),
        z.object({ phone: z.number() }),
      ]),
      id: z.union([z.string(), z.number()]),
    });
    expect(checking(schema)({ to: { email: 'a@b' }, id: true })).toEqual({
      problem: expect.stringMatching(/to\..*: .*; id: .*string.*, or .*number/),
    });
  });

  test('is never quoted, even where a message of the schema does', () => {
    const schema = z.object({
      token: z.string().refine(() => false, { error: ({ input }) => `'${input}' is not valid` }),
      pin: z.number().refine(() => false, { error: ({ input }) => `${input} is taken` }),
    });
    expect(checking(schema)({ token: 'sk-live-1', pin: 4711 })).toEqual({
      problem: "the input of tool 'refund' does not fit: token: '…' is not valid; pin: … is taken",
    });
  });

  test('a word of the message that the value is part of stays whole', () => {
    const checked = checking(z.object({ text: z.string().min(9) }))({ text: 'stri' });
    expect(checked).toHaveProperty('problem', expect.stringContaining('expected string'));
  });

  test('has at most 20 faults listed', () => {
    const schema = z.object({ all: z.array(z.string()) });
    const checked = checking(schema)({ all: Array.from({ length: 500 }, () => 1) });
    expect(checked).toHaveProperty('problem', expect.stringMatching(/all\.19: .*; and 480 more$/));
  });
});

describe('a hostile input', () => {
  test.each([
    '{"__proto__":{"isAdmin":true},"q":1}',
    '{"q":{"constructor":{"prototype":{"x":1}}}}',
  ])('B54: with a prototype key is refused: %s', (text) => {
    const checked = checking(z.looseObject({}))(JSON.parse(text));
    expect(checked).toHaveProperty('problem', expect.stringContaining('which no tool accepts'));
    expect(Object.hasOwn(Object.prototype, 'isAdmin')).toBe(false);
  });

  test('that nests very deeply is refused', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`);
    expect(checking(z.looseObject({}))(deep)).toHaveProperty('problem');
  });

  test('that holds what JSON cannot is refused', () => {
    // A policy without types may put anything in place.
    const dated = { at: new Date(0) } as unknown as JsonValue;
    expect(checking(z.looseObject({}))(dated)).toHaveProperty('problem');
  });
});

describe('a schema of another library', () => {
  const schema: ToolSchema = {
    '~standard': {
      version: 1,
      vendor: 'handmade',
      validate: (value) => {
        const code = (value as { readonly codes: readonly string[] }).codes[1];
        if (code === 'right') return { value };
        const path = [{ key: 'codes' }, 1];
        return { issues: [{ message: `must be "right" (was "${code}")`, path }] };
      },
      jsonSchema: { input: () => ({ type: 'object' }) },
    },
  };

  test('is asked, and its messages lose the value they quote', () => {
    expect(checking(schema)({ codes: ['a', 'right'], more: 1 })).toEqual({
      input: { codes: ['a', 'right'], more: 1 },
    });
    expect(checking(schema)({ codes: ['a', 'sk-live-1'] })).toEqual({
      problem: 'the input of tool \'refund\' does not fit: codes.1: must be "right" (was "…")',
    });
  });
});

test('any JSON object is either taken as it is or refused with a reason', () => {
  const check = checking(z.looseObject({}));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 })), (input) => {
      const text = JSON.stringify(input);
      fc.pre(text.isWellFormed());
      const wire: JsonValue = JSON.parse(text);
      const checked = check(wire);
      if (/__proto__|prototype/.test(text)) expect(checked).toBeTypeOf('object');
      else expect(checked).toEqual({ input: wire });
    }),
  );
});
