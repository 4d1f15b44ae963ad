import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ConfigError } from '../../src/errors/config-error.ts';
import type { ToolSchema } from '../../src/tools/schema.ts';
import { type ToolOptions, tool } from '../../src/tools/tool.ts';

const plain = {
  name: 'refund',
  description: 'Gives money back',
  inputSchema: z.object({ orderId: z.string() }),
  execute: () => null,
};

/** Declares what the types would not let through. */
function declare(options: object): ConfigError {
  try {
    tool(options as ToolOptions<ToolSchema, ToolSchema, unknown>);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the declaration was accepted');
}

describe('a declared tool', () => {
  test('runs at most once and asks first, unless it says that it is harmless', () => {
    expect(tool(plain)).toMatchObject({ sideEffects: 'once', tier: 'confirm', parallel: false });
    expect(tool({ ...plain, sideEffects: 'idempotent' })).toMatchObject({
      tier: 'confirm',
      parallel: false,
    });
    expect(tool({ ...plain, sideEffects: 'none' })).toMatchObject({ tier: 'auto', parallel: true });
    expect(tool({ ...plain, tier: 'auto' })).toMatchObject({ sideEffects: 'once', tier: 'auto' });
  });

  test('says how to declare it harmless, only when nobody chose the tier', () => {
    expect(tool(plain).tierHint).toMatch(/tool 'refund' .*`sideEffects: 'none'`.*`tier: 'auto'`/);
    expect(tool({ ...plain, tier: 'confirm' })).not.toHaveProperty('tierHint');
    expect(tool({ ...plain, sideEffects: 'none' })).not.toHaveProperty('tierHint');
  });

  test('H25: is shown by its name unless it has another one for people', () => {
    expect(tool(plain).displayName).toBe('refund');
    expect(tool({ ...plain, displayName: 'Refund' }).displayName).toBe('Refund');
  });

  test('cannot be changed', () => {
    const refund = tool(plain);
    expect(Object.isFrozen(refund)).toBe(true);
    expect(Object.isFrozen(refund.description.inputSchema['properties'])).toBe(true);
    expect(refund).not.toHaveProperty('timeoutMs');
    expect(tool({ ...plain, timeoutMs: 50 }).timeoutMs).toBe(50);
    expect(tool({ ...plain, timeoutMs: 2 ** 31 - 1 }).timeoutMs).toBe(2 ** 31 - 1);
  });

  test('recognises its own calls', () => {
    const call = {
      callId: 'turn.1.0',
      providerCallId: 'call_1',
      displayName: 'refund',
      tier: 'confirm',
      sideEffects: 'once',
      requestedInput: { orderId: 'A-1' },
      effectiveInput: { orderId: 'A-1' },
      batch: { index: 0, size: 1 },
    } as const;
    expect(tool(plain).matches({ ...call, toolName: 'refund' })).toBe(true);
    expect(tool(plain).matches({ ...call, toolName: 'refunds' })).toBe(false);
  });
});

describe('a faulty declaration is refused', () => {
  test.each(['', 'a b', 'a.b', 'ü', 'x'.repeat(65)])('B58: the name %j', (name) => {
    expect(declare({ ...plain, name })).toMatchObject({ code: 'invalid-tool' });
  });

  test.each([
    ['without a name', { ...plain, name: undefined }, '`name` is missing'],
    ['with a description that is no text', { ...plain, description: 5 }, '`description`'],
    ['with no schema', { ...plain, inputSchema: { type: 'object' } }, '`inputSchema`'],
    ['without execute', { ...plain, execute: undefined }, '`execute` is missing'],
    [
      'with side effects that are none of the three',
      { ...plain, sideEffects: 'no' },
      '`sideEffects`',
    ],
    ['with a tier that is none of the two', { ...plain, tier: 'observe' }, '`tier`'],
    ['with a time limit of nothing', { ...plain, timeoutMs: 0 }, '`timeoutMs`'],
    [
      'with a time limit that no timer can wait for',
      { ...plain, timeoutMs: 2 ** 31 },
      '2147483647',
    ],
  ])('%s', (_, options, message) => {
    const error = declare(options);
    expect(error.code).toBe('invalid-tool');
    expect(error.message).toContain(message);
  });

  test('with an unknown option, naming the nearest one', () => {
    const error = declare({ ...plain, sideEffect: 'none' });
    expect(error.code).toBe('unknown-option');
    expect(error.message).toContain("tool 'refund'");
    expect(error.message).toContain('`sideEffects`');
  });

  test('without an object', () => {
    expect(declare(null as unknown as object)).toMatchObject({ code: 'invalid-tool' });
  });
});

describe('the schema a model is shown', () => {
  test('B66: is the input side: a default makes a field optional', () => {
    const inputSchema = z.object({
      size: z.number().default(5),
      day: z.string().transform((text) => new Date(text)),
    });
    expect(tool({ ...plain, inputSchema }).description.inputSchema).toEqual({
      type: 'object',
      properties: { size: { type: 'number', default: 5 }, day: { type: 'string' } },
      required: ['day'],
    });
  });

  test.each([
    ['due', 'date', z.object({ due: z.date() })],
    ['lines.*.id', 'bigint', z.object({ lines: z.array(z.object({ id: z.bigint() })) })],
    ['tags', 'map', z.object({ tags: z.map(z.string(), z.string()) })],
  ])(
    'B65: cannot have the field %s of type %s, and the error names it',
    (field, type, inputSchema) => {
      const error = declare({ ...plain, inputSchema });
      expect(error.code).toBe('invalid-tool');
      expect(error.message).toContain(`tool 'refund': the field '${field}' is a ${type}`);
    },
  );

  test.each([z.string(), z.array(z.string()), z.union([z.object({ a: z.string() }), z.string()])])(
    'is always an object',
    (inputSchema) => {
      expect(declare({ ...plain, inputSchema }).message).toContain('is no object schema');
    },
  );

  test('comes from any library that gives it the standard way', () => {
    const inputSchema = standardSchema({ type: 'object', properties: { q: { type: 'string' } } });
    expect(tool({ ...plain, inputSchema }).description.inputSchema).toEqual({
      type: 'object',
      properties: { q: { type: 'string' } },
    });
  });

  test('cannot come from a library that gives none', () => {
    const { jsonSchema: _, ...rest } = standardSchema({})['~standard'];
    const error = declare({ ...plain, inputSchema: { '~standard': rest } });
    expect(error.message).toContain("a schema of 'handmade' that cannot give a JSON Schema");
    expect(error.message).toContain('zod 4');
  });

  test.each([null, [], 'text', 5])('cannot be %j', (json) => {
    const inputSchema = standardSchema(json as never);
    expect(declare({ ...plain, inputSchema }).message).toContain('is no object schema');
  });

  test('keeps what such a library threw as the cause', () => {
    const cause = new Error('no dates');
    const inputSchema = standardSchema(() => {
      throw cause;
    });
    expect(declare({ ...plain, inputSchema }).cause).toBe(cause);
  });
});

function standardSchema(json: Record<string, unknown> | (() => never)): ToolSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'handmade',
      validate: (value) => ({ value }),
      jsonSchema: { input: typeof json === 'function' ? json : () => json },
    },
  };
}
