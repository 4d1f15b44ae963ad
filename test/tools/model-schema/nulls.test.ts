import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { copied, propertiesOf, shown, shownField, toolWith } from './shown.ts';

const field = (schema: z.ZodType) => shownField(schema, z.object);

describe('a value that is null when it is left out', () => {
  test('U-I1: has no null for the model, and the check goes on accepting one', async () => {
    const inputSchema = z.object({ phone: z.string().nullable().default(null) });
    expect(JSON.stringify(shown(inputSchema))).not.toContain('null');
    expect(await toolWith(inputSchema).check({ phone: null })).toEqual({ input: { phone: null } });
    expect(await toolWith(inputSchema).check({ phone: 5 })).toHaveProperty('problem');
  });

  test.each([
    ['a list of types', z.string().nullable().default(null), { type: 'string' }],
    ['choices', z.enum(['a', 'b']).nullable().default(null), { type: 'string', enum: ['a', 'b'] }],
    [
      'a null nested in choices',
      z.union([z.string().nullable(), z.boolean()]).default(null),
      { anyOf: [{ type: 'string' }, { type: 'boolean' }] },
    ],
    ['a literal null', z.literal(['a', null]).default(null), { type: 'string', enum: ['a'] }],
  ])('U-I2: loses null and default, written as %s', (_, schema, expected) => {
    expect(field(schema)).toEqual(expected);
  });

  test.each([
    ['a constant', { oneOf: [{ const: null }, { const: 'a' }] }, { type: 'string', enum: ['a'] }],
    ['an enum', { enum: ['a', null] }, { type: 'string', enum: ['a'] }],
    ['what a reference points at', { $ref: '#/$defs/Name' }, { type: 'string', minLength: 1 }],
    [
      'all of several',
      { allOf: [{ type: ['string', 'null'] }, { minLength: 1 }] },
      { type: 'string', minLength: 1 },
    ],
  ])('U-I2: loses a null that is %s', (_, schema, expected) => {
    const $defs = { Name: { type: ['string', 'null'], minLength: 1 } };
    expect(copied({ ...schema, default: null }, { $defs })).toEqual(expected);
  });

  test('U-I2: keeps null where nothing else fits', () => {
    expect(field(z.null().default(null))).toEqual({ type: 'null', default: null });
    const all = { allOf: [{ type: 'null' }, { title: 'T' }], default: null };
    expect(copied(all)).toEqual({ type: 'null', title: 'T', default: null });
  });

  test('U-I3: keeps null without that default', () => {
    const kept = { anyOf: [{ type: 'string' }, { type: 'null' }] };
    expect(field(z.string().nullable())).toEqual(kept);
    expect(field(z.string().nullish())).toEqual(kept);
    expect(field(z.string().nullable().default('x'))).toEqual({ ...kept, default: 'x' });
  });

  test('U-I3: keeps null where the value cannot be left out', () => {
    const full = { type: ['string', 'null'], default: null };
    expect(copied(full, { required: ['f'] })).toHaveProperty('anyOf');
    expect(field(z.array(z.string().nullable().default(null)))).toHaveProperty('items.anyOf');
    expect(field(z.tuple([z.string().nullable().default(null), z.string()]))).toHaveProperty(
      'items.anyOf',
    );
  });

  test('U-I4: other defaults stay', () => {
    expect(field(z.int().default(2))).toEqual({ type: 'integer', default: 2 });
    expect(field(z.boolean().default(false))).toEqual({ type: 'boolean', default: false });
  });

  test('a default that the model could not write is not shown', () => {
    expect(copied({ type: 'string', default: 5 })).toEqual({ type: 'string' });
    expect(
      field(
        z
          .string()
          .transform((text) => text.length)
          .default(5),
      ),
    ).toEqual({ type: 'string' });
  });

  test('U-I11: at every depth', () => {
    const leaf = z.object({ nick: z.string().nullable().default(null), day: z.iso.date() });
    const copy = shown(
      z.object({
        list: z.array(leaf),
        map: z.record(z.string(), leaf),
        choice: z.union([leaf, z.object({ inner: leaf.optional() })]),
        pair: z.tuple([leaf, z.string()]),
        none: leaf.nullable().default(null),
      }),
    );
    const text = JSON.stringify(copy);
    expect(text.match(/"nick":\{"type":"string"\}/g)).toHaveLength(6);
    expect(text.match(/"day":\{"type":"string","description":"A date/g)).toHaveLength(6);
    expect(text).not.toMatch(/"(format|pattern|default|\$ref|\$defs)"/);
    expect(Object.keys(propertiesOf(copy))).toEqual(['list', 'map', 'choice', 'pair', 'none']);
  });
});
