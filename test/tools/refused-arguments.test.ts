import { ArgumentsMissing, ConfigError, ToolError, ToolRefused, tool } from 'agent-hooks';
import { repliesTo, toolFormats, toolSet } from 'agent-hooks/tools';
import { jsonSchema } from 'agent-hooks/tools/json-schema';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

/** A tool that notes what it got. */
function noting(inputSchema: z.ZodType<object, object>, allowBlank: readonly string[] = []) {
  const ran: unknown[] = [];
  const lookup = tool({
    name: 'lookup',
    inputSchema: inputSchema as z.ZodObject,
    allowBlank,
    sideEffects: 'none',
    execute: (input) => {
      ran.push(input);
      return 'found';
    },
  });
  const tools = toolSet([lookup]);
  return { ran, answer: async (args: unknown) => (await tools.run('lookup', args)).forModel };
}

describe('a required argument', () => {
  const person = z.object({
    name: z.string(),
    birth_date: toolFormats.date(),
    note: z.string().optional(),
  });

  test('U-J1, U-J3, U-J10: that is absent is named with all others, and nothing runs', async () => {
    const { ran, answer } = noting(person);
    expect(await answer({})).toEqual({
      refused: 'Still needed: name, birth_date. Ask the user, then call lookup again.',
      missing: ['name', 'birth_date'],
    });
    expect(ran).toEqual([]);
  });

  test.each(['', '  ', '\n\t'])(
    'U-J2, U-J4, U-J16: that is the blank text %j is missing, is told to be blank, and is no fault of form',
    async (blank) => {
      const { ran, answer } = noting(person);
      expect(await answer({ birth_date: blank })).toEqual({
        refused:
          'Still needed: name. Sent without any text in it: birth_date. Ask the user, then call lookup again.',
        missing: ['name', 'birth_date'],
      });
      expect(ran).toEqual([]);
    },
  );

  test('U-J11: a blank text for what may be left out goes to the schema', async () => {
    const { ran, answer } = noting(person.extend({ note: z.string().min(3).optional() }));
    const given = { name: 'Ann', birth_date: '2000-01-01' };
    expect(await answer({ ...given, note: '' })).toEqual({
      error: expect.stringMatching(/note: .*>=3/),
    });
    expect(await noting(person).answer({ ...given, note: '' })).toBe('found');
    expect(ran).toEqual([]);
  });

  test('U-J12: only text can be blank', async () => {
    const schema = z.object({
      list: z.array(z.string()),
      map: z.object({}),
      zero: z.number(),
      no: z.boolean(),
    });
    expect(await noting(schema).answer({ list: [], map: {}, zero: 0, no: false })).toBe('found');
    const party = z.object({ party: z.int().min(1) });
    expect(await noting(party).answer({ party: 0 })).toEqual({
      error: expect.stringMatching(/party: .*>=1/),
    });
  });

  test('U-J13: a null that its schema takes is a value', async () => {
    const { ran, answer } = noting(z.object({ note: z.string().nullable() }));
    expect(await answer({ note: null })).toBe('found');
    expect(ran).toEqual([{ note: null }]);
  });

  test('U-J15: may be blank where the tool says so, and not where it does not', async () => {
    const mail = z.object({ to: z.string(), body: z.string() });
    expect(await noting(mail, ['body']).answer({ to: 'ann', body: '' })).toBe('found');
    expect(await noting(mail, ['body']).answer({ to: '', body: '' })).toMatchObject({
      missing: ['to'],
    });
    expect(await noting(mail, ['body']).answer({ to: 'ann' })).toMatchObject({ missing: ['body'] });
    expect(() => noting(mail, ['boddy'])).toThrow(ConfigError);
    expect(() => noting(mail, ['boddy'])).toThrow(/names 'boddy'.*Did you mean 'body'/);
  });

  test('with a name that every object has is looked for in the input alone', async () => {
    const { answer } = noting(z.object({ constructor: z.string(), toString: z.string() }));
    expect(await answer({})).toMatchObject({ missing: ['constructor', 'toString'] });
  });
});

describe('an argument that the schema does not name', () => {
  const lookup = z.object({ id: z.string() });

  test('U-V1, U-V4: is refused by its name, and nothing runs', async () => {
    const { ran, answer } = noting(lookup);
    expect(await answer({ id: 'A', bogus: 1 })).toEqual({
      refused: 'bogus is not an argument of lookup. Call lookup again without it.',
    });
    expect(await answer({ id: 'A', bogus: 1, more: 2 })).toEqual({
      refused: 'bogus, more are not arguments of lookup. Call lookup again without them.',
    });
    expect(ran).toEqual([]);
  });

  test('U-V2: stays where the schema is open, or says nothing of its names', async () => {
    for (const open of [
      z.looseObject({ id: z.string() }),
      z.object({ id: z.string() }).catchall(z.number()),
      z.object({}).catchall(z.union([z.string(), z.number()])),
      jsonSchema({ type: 'object' }),
      jsonSchema({
        type: 'object',
        properties: { id: { type: 'string' } },
        additionalProperties: { type: ['string', 'number'] },
      }),
    ]) {
      const { ran, answer } = noting(open as unknown as z.ZodObject);
      expect(await answer({ id: 'A', x: 1 })).toBe('found');
      expect(ran).toEqual([{ id: 'A', x: 1 }]);
    }
  });

  test('U-V2: stays too where the input is made into the object by the schema itself', async () => {
    const renamed = z.preprocess(
      (given: { readonly old?: string }) => ({ id: given.old }),
      z.object({ id: z.string() }),
    );
    const { ran, answer } = noting(renamed as unknown as z.ZodObject);
    expect(await answer({ old: 'A' })).toBe('found');
    expect(ran).toEqual([{ id: 'A' }]);
  });

  test('U-V6: is told before what is missing', async () => {
    expect(await noting(lookup).answer({ bogus: 1 })).toEqual({
      refused: expect.stringMatching(/^bogus is not/),
    });
  });

  test('is named ten times at most, and cut', async () => {
    const extra = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`${index}`.padStart(500, 'x'), 1]),
    );
    const refused = JSON.stringify(await noting(lookup).answer({ id: 'A', ...extra }));
    expect(refused).toContain(' and 20 more are not arguments');
    expect(refused.length).toBeLessThan(900);
  });

  test.each(['toString', 'constructor', 'hasOwnProperty'])(
    'called %s is none of the schema either',
    async (name) => {
      expect(await noting(lookup).answer({ id: 'A', [name]: 1 })).toMatchObject({
        refused: expect.stringContaining(name),
      });
    },
  );
});

describe('the errors', () => {
  test('U-H10: a refusal is a ToolError, and missing arguments are a refusal', () => {
    const missing = new ArgumentsMissing(['a'], { toolName: 'look' });
    for (const Class of [ToolError, ToolRefused, ArgumentsMissing]) {
      expect(missing).toBeInstanceOf(Class);
      expect(Class.isInstance(missing)).toBe(true);
    }
    expect(ArgumentsMissing.isInstance(new ToolRefused('no'))).toBe(false);
    expect([missing.code, new ToolRefused('no').code, new ToolError('no').code]).toEqual([
      'arguments-missing',
      'tool-refused',
      'tool-failed',
    ]);
  });

  test('U-T8: an eventText is what everybody but the model is told', () => {
    const error = new ToolError('No order A-17.', { eventText: 'no such order' });
    expect([error.forModel, error.eventText]).toEqual(['No order A-17.', 'no such order']);
    expect(String(error) + JSON.stringify(error)).not.toContain('A-17');
  });

  test('thrown by a tool, missing arguments are named as the engine names them', async () => {
    const send = tool({
      name: 'send',
      inputSchema: z.object({}),
      execute: () => {
        throw new ArgumentsMissing(['address']);
      },
    });
    expect((await toolSet([send]).run('send', {})).forModel).toEqual({
      refused: 'Still needed: address. Ask the user, then call the tool again.',
      missing: ['address'],
    });
  });
});

describe('whether the model replies', () => {
  const missing = { refused: 'Still needed: a.', missing: ['a'] };

  test('U-J5, U-J7: not to missing arguments when it spoke', () => {
    expect(repliesTo(missing, { spoke: true })).toBe(false);
  });

  test.each([
    ['U-J6, U-J9: to missing arguments when it was silent, or nobody knows', missing, false],
    ['U-J7: to a result', { ok: true }, true],
    ['to a refusal of another kind', { refused: 'not yet' }, true],
    ['to a result that merely has such a field', { missing: ['a'] }, true],
    ['to an empty list', { refused: 'x', missing: [] }, true],
    ['to a text', 'Blocked: no', true],
    ['to nothing', null, true],
  ])('%s', (_name, result, spoke) => {
    expect(repliesTo(result, { spoke })).toBe(true);
  });
});
