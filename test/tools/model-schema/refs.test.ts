import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../../../src/protocol/json.ts';
import { modelSchema } from '../../../src/tools/model-schema.ts';
import { copied, propertiesOf, refusal, shown } from './shown.ts';

const Address = z.object({ street: z.string() }).meta({ id: 'Address', description: 'An address' });
const address = {
  type: 'object',
  description: 'An address',
  required: ['street'],
  properties: { street: { type: 'string' } },
};

describe('references', () => {
  test('U-I9: are written out', () => {
    const copy = shown(z.object({ a: Address, b: Address.optional() }));
    expect(propertiesOf(copy)).toEqual({ a: address, b: address });
    expect(copy).not.toHaveProperty('$defs');
  });

  test('U-I9: also at the root', () => {
    expect(shown(Address)).toEqual(address);
  });

  test('B68: a property that is only a reference is never an empty node', () => {
    const $defs = { A: { $ref: '#/$defs/B~1%25' }, 'B/%': { type: 'string' } };
    expect(copied({ $ref: '#/$defs/A' }, { $defs })).toEqual({ type: 'string' });
  });

  test('what stands beside a reference counts too, and its own description first', () => {
    const $defs = { A: { type: 'string', minLength: 2, description: 'Any name' } };
    const copy = copied({ $ref: '#/$defs/A', maxLength: 5, description: 'The name' }, { $defs });
    expect(copy).toEqual({ type: 'string', description: 'The name', minLength: 2, maxLength: 5 });
  });

  test.each([
    [
      { type: 'string', format: 'email' },
      { pattern: '^a' },
      { type: 'string', description: 'Begins with "a". An email address.' },
    ],
    [
      { type: 'object', additionalProperties: { type: 'string' } },
      { properties: { b: { type: 'integer' } } },
      {
        type: 'object',
        properties: { b: { type: 'integer' } },
        allOf: [{ type: 'object', additionalProperties: { type: 'string' } }],
      },
    ],
  ])('keywords that belong together are not mixed: %#', (A, own, expected) => {
    expect(copied({ $ref: '#/$defs/A', ...own }, { $defs: { A } })).toEqual(expected);
  });

  test('what contradicts a reference stands beside it', () => {
    const $defs = { A: { type: 'string', minLength: 2 } };
    const copy = copied({ $ref: '#/$defs/A', minLength: 3 }, { $defs });
    expect(copy).toEqual({
      type: 'string',
      minLength: 3,
      allOf: [{ type: 'string', minLength: 2 }],
    });
  });

  test('a name from a prototype is no definition', () => {
    const error = refusal(() => copied({ $ref: '#/$defs/toString' }, { $defs: {} }));
    expect(error.message).toContain(
      "the field 'f' has the `$ref` '#/$defs/toString', which leads nowhere",
    );
  });
});

describe('a schema that refers to itself', () => {
  const Node = z.object({
    value: z.string(),
    get children() {
      return z.array(Node).optional();
    },
  });
  const Named = Node.meta({ id: 'Node' });

  test('U-I10, B68: is refused at build, and the field is named', () => {
    const error = refusal(() => shown(z.object({ tree: Node })));
    expect(error.code).toBe('invalid-tool');
    expect(error.message).toContain("tool 'book': the field 'tree.children.*' leads back to");
  });

  test('U-I10: is refused where the whole schema is meant', () => {
    expect(refusal(() => shown(Node)).message).toContain(
      "the field 'children.*' leads back to the whole schema",
    );
  });

  test('U-I10: is named by its own name where it has one', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/Node' } },
      $defs: {
        Node: { type: 'object', properties: { next: { anyOf: [{ $ref: '#/$defs/Node' }] } } },
      },
    };
    expect(refusal(() => modelSchema('book', schema)).message).toContain(
      "the field 'a.next' leads back to 'Node'",
    );
    expect(refusal(() => shown(z.object({ tree: Named }))).message).toContain("'tree");
  });

  test('U-I10: is refused also for what zod itself defines so', () => {
    expect(refusal(() => shown(z.object({ any: z.json() }))).message).toMatch(
      /'any\.\*' leads back/,
    );
  });

  test('U-I10: the same definition in two places is no circle', () => {
    const $defs = {
      A: { type: 'object', properties: { b: { $ref: '#/$defs/B' }, c: { $ref: '#/$defs/B' } } },
      B: { type: 'string' },
    };
    expect(copied({ $ref: '#/$defs/A' }, { $defs })).toHaveProperty('properties.c', {
      type: 'string',
    });
  });
});

describe('a schema that grows without end', () => {
  const fan = (levels: number): JsonObject => {
    const names = Array.from({ length: levels }, (_, level) => `L${level}`);
    const $defs = Object.fromEntries(
      names.map((name, level) => [
        name,
        level + 1 === levels
          ? { type: 'string' }
          : {
              type: 'object',
              properties: {
                a: { $ref: `#/$defs/L${level + 1}` },
                b: { $ref: `#/$defs/L${level + 1}` },
              },
            },
      ]),
    );
    return { type: 'object', properties: { f: { $ref: '#/$defs/L0' } }, $defs };
  };

  test('is refused at once when its references come to millions', () => {
    expect(modelSchema('book', fan(8))).toBeDefined();
    const started = performance.now();
    expect(refusal(() => modelSchema('book', fan(60))).message).toContain('more than 10000');
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test('is refused when its references nest too deeply', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, level) => [
        `L${level}`,
        { type: 'array', items: level === 4_999 ? true : { $ref: `#/$defs/L${level + 1}` } },
      ]),
    );
    const schema = { type: 'object', properties: { f: { $ref: '#/$defs/L0' } }, $defs };
    expect(refusal(() => modelSchema('book', schema)).message).toContain('nested too deeply');
  });
});
