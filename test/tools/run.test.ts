import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ToolError } from '../../src/errors/tool-error.ts';
import { isThenable } from '../../src/internal/is-thenable.ts';
import type { ToolContext } from '../../src/tools/port.ts';
import { tool } from '../../src/tools/tool.ts';
import { toolContext } from './tool-context.ts';

const base = { name: 'book', description: 'Books a day', sideEffects: 'none' } as const;
const ctx = toolContext({ user: 'u1' });

describe('running a tool', () => {
  test('parses the wire input once and hands over what the schema makes of it', () => {
    let parsed = 0;
    const book = tool({
      ...base,
      inputSchema: z.object({
        day: z.string().transform((text) => {
          parsed += 1;
          return new Date(text);
        }),
        seats: z.number().default(2),
      }),
      execute: ({ day, seats }) => `${day.getUTCFullYear()}/${seats}`,
    });
    expect(book.run({ day: '2024-05-06' }, ctx)).toBe('2024/2');
    expect(parsed).toBe(1);
  });

  test('answers at once when nothing is asynchronous, and later when execute is', async () => {
    const inputSchema = z.object({});
    const now = tool({ ...base, inputSchema, execute: () => ({ ok: true }) }).run({}, ctx);
    const later = tool({ ...base, inputSchema, execute: async () => ({ ok: true }) }).run({}, ctx);
    expect(isThenable(now)).toBe(false);
    expect(now).toEqual({ ok: true });
    expect(Object.isFrozen(now)).toBe(true);
    expect(await later).toEqual({ ok: true });
  });

  test('passes the app’s context through untouched', () => {
    const execute = (_: object, { context }: ToolContext<{ user: string }>) => context.user;
    expect(tool({ ...base, inputSchema: z.object({}), execute }).run({}, ctx)).toBe('u1');
  });

  test('a tool that returns nothing answers null', () => {
    expect(
      tool({ ...base, inputSchema: z.object({}), execute: () => undefined }).run({}, ctx),
    ).toBeNull();
  });

  test('B55: an output that JSON cannot hold becomes one that it can', () => {
    const cyclic: Record<string, unknown> = { big: 10n, at: new Date(0), not: Number.NaN };
    cyclic['self'] = cyclic;
    const run = tool({ ...base, inputSchema: z.object({}), execute: () => cyclic }).run;
    expect(run({}, ctx)).toEqual({
      big: '10',
      at: '1970-01-01T00:00:00.000Z',
      not: 'NaN',
      self: '[circular]',
    });
  });

  test('what execute throws or rejects with goes on unchanged', async () => {
    const error = new Error('no seats');
    const inputSchema = z.object({});
    const throws = tool({
      ...base,
      inputSchema,
      execute: () => {
        throw error;
      },
    });
    const rejects = tool({ ...base, inputSchema, execute: () => Promise.reject(error) });
    expect(() => throws.run({}, ctx)).toThrow(error);
    await expect(rejects.run({}, ctx)).rejects.toBe(error);
  });

  test('an input that does not fit any more is an error, and execute is not called', () => {
    const executed: unknown[] = [];
    const inputSchema = z.object({ day: z.string() });
    const book = tool({ ...base, inputSchema, execute: (input) => executed.push(input) });
    expect(() => book.run({ day: 5 }, ctx)).toThrow(ToolError);
    expect(executed).toEqual([]);
  });

  test('an asynchronous refinement that rejects is heard once, and nothing is left unhandled', async () => {
    const stray: unknown[] = [];
    const onStray = (reason: unknown) => stray.push(reason);
    process.on('unhandledRejection', onStray);
    const down = new Error('database down');
    const inputSchema = z.object({ id: z.string().refine(() => Promise.reject(down)) });
    const book = tool({ ...base, inputSchema, execute: () => null });
    await expect(book.check({ id: 'a' })).rejects.toBe(down);
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', onStray);
    expect(stray).toEqual([]);
  });
});

describe('an output schema', () => {
  const outputSchema = z.object({ price: z.number() });
  const priced = (execute: () => { price: number }) =>
    tool({ ...base, inputSchema: z.object({}), outputSchema, execute });

  test('lets through what fits, without what it does not know', () => {
    const execute = () => ({ price: 5, internal: 'x' });
    expect(priced(execute).run({}, ctx)).toEqual({ price: 5 });
  });

  test('makes a call fail whose output does not fit, naming tool and field', () => {
    const execute = () => ({ price: 'secret-value' as unknown as number });
    const run = () => priced(execute).run({}, ctx);
    expect(run).toThrow(ToolError);
    expect(run).toThrow(/book: result does not fit its output schema \(price\)/);
    expect(run).not.toThrow(/secret-value/);
  });

  test('B62: is not held against a call that failed', () => {
    const error = new ToolError('sold out');
    const execute = () => {
      throw error;
    };
    expect(() => priced(execute).run({}, ctx)).toThrow(error);
  });

  test('may be asynchronous', async () => {
    const late = z.object({ id: z.string().refine(async (id) => id !== 'bad', 'is bad') });
    const run = tool({
      ...base,
      inputSchema: z.object({ id: z.string() }),
      outputSchema: late,
      execute: ({ id }) => ({ id }),
    }).run;
    expect(await run({ id: 'good' }, ctx)).toEqual({ id: 'good' });
    await expect(run({ id: 'bad' }, ctx)).rejects.toMatchObject({
      forModel: 'book: result does not fit its output schema (id: is bad)',
    });
  });
});
