import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { expectStatus } from '../acceptance/play.ts';
import { answering, GOOD, go, Invoice } from './answering.ts';

const json = JSON.stringify(GOOD);

/** What came of one answer that may not be asked for again. */
function once(text: string, output: typeof Invoice | z.ZodType = Invoice) {
  const more = { outputRetries: 0 };
  const { agent } = answering({ way: 'native', script: [text], more });
  return agent.run({ ...go, output: output as typeof Invoice });
}

async function problemOf(text: string, output?: z.ZodType): Promise<string> {
  const { error } = expectStatus(await once(text, output), 'failed');
  expect(error.message).not.toContain(text);
  return Reflect.get(error, 'problem') as string;
}

describe('the text of an answer', () => {
  test.each([
    ['bare', json],
    ['with room around it', `\n  ${json}\n`],
    ['in a block of code', `\`\`\`json\n${json}\n\`\`\``],
    ['in a block without a language', `\`\`\`\n${json}\n\`\`\`\n`],
    ['in a block that ends on the line', `\`\`\`json\n${json}\`\`\``],
  ])('%s is read', async (_name, text) => {
    expect(await once(text)).toMatchObject({ status: 'completed', output: GOOD, text });
  });

  test.each([
    ['cut in the middle', json.slice(0, -5), 'is not complete JSON'],
    ['with words before it', `Here you are: ${json}`, 'is not complete JSON'],
    ['in a block with words around it', `So:\n\`\`\`json\n${json}\n\`\`\``, 'is not complete JSON'],
    ['in a block with words on its first line', `\`\`\`json ${json}\n${json}\n\`\`\``, 'complete'],
    ['in two blocks', `\`\`\`\n${json}\n\`\`\`\n\`\`\`\n${json}\n\`\`\``, 'complete'],
    ['of a list', `[${json}]`, 'is not a JSON object'],
    ['of nothing', 'null', 'is not a JSON object'],
    ['of a number', '7', 'is not a JSON object'],
    ['nested without end', `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`, 'nested too deeply'],
  ])('%s does not fit', async (_name, text, problem) => {
    expect(await problemOf(text)).toContain(problem);
  });

  test('that holds `__proto__` does not fit, also where the schema lets any key through', async () => {
    const text = '{"total":1,"currency":"EUR","__proto__":{"admin":true}}';
    for (const schema of [Invoice, z.looseObject({})])
      expect(await problemOf(text, schema)).toContain("'__proto__'");
    const hidden = '{"a":{"\\u005f_proto__":{"admin":true}}}';
    expect(await problemOf(hidden, z.looseObject({}))).toContain('__proto__');
    expect(Reflect.get({}, 'admin')).toBeUndefined();
  });

  test('loses the members that the schema does not know', async () => {
    const result = expectStatus(await once(JSON.stringify({ ...GOOD, more: 1 })), 'completed');
    expect(result).toHaveProperty('output', GOOD);
  });

  test('B67: a null where the schema wants nothing counts as absent', async () => {
    const schema = z.object({
      a: z.string().optional(),
      b: z.number().default(3),
      c: z.string().nullable(),
      d: z.union([z.object({ e: z.string().optional() }), z.object({ f: z.number() })]),
    });
    const text = '{"a":null,"b":null,"c":null,"d":{"e":null}}';
    expect(await once(text, schema)).toMatchObject({ output: { b: 3, c: null, d: {} } });
    expect(await once(text, schema)).not.toHaveProperty('output.a');
  });

  test('is transformed once, and the result gets what the schema made of it', async () => {
    let made = 0;
    const schema = z.object({
      at: z.iso.datetime().transform((text) => {
        made += 1;
        return new Date(text);
      }),
    });
    const text = '{"at":"2026-01-02T03:04:05Z"}';
    const result = expectStatus(await once(text, schema), 'completed');
    expect(result).toHaveProperty('output', { at: new Date('2026-01-02T03:04:05Z') });
    expect(result.text).toBe(text);
    expect(made).toBe(1);
  });

  test('names every field that does not fit, and quotes none', async () => {
    const problem = await problemOf('{"total":"sk-canary-4711","currency":"XAU-canary"}');
    expect(problem).toContain('total: ');
    expect(problem).toContain('currency: ');
    expect(problem).not.toContain('canary');
  });
});

describe('a schema that takes its time or breaks', () => {
  test('is waited for', async () => {
    const schema = z.object({ n: z.number().refine(async (n) => n > 1) });
    expect(await once('{"n":2}', schema)).toMatchObject({ output: { n: 2 } });
    expect(await problemOf('{"n":1}', schema)).toContain('n: ');
  });

  test.each([
    ['throws', () => z.object({ n: z.number().transform(thrower) })],
    ['rejects', () => z.object({ n: z.number().transform(async () => thrower()) })],
  ])('that %s lets nothing through and is not quoted', async (_how, schema) => {
    const problem = await problemOf('{"n":2}', schema());
    expect(problem).toBe('the output schema failed while it checked');
  });

  test('that does not answer lets nothing through', async () => {
    vi.useFakeTimers();
    try {
      const schema = z.object({ n: z.number().refine(() => new Promise<boolean>(() => {})) });
      const running = problemOf('{"n":2}', schema);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await running).toBe('the output schema did not answer within 5 s');
    } finally {
      vi.useRealTimers();
    }
  });
});

function thrower(): never {
  throw new Error('canary');
}
