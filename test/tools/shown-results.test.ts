import { ConfigError, tool } from 'agent-hooks';
import { toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const Saved = z.object({ id: z.string(), read_back: z.string().optional() });
const saved = { id: 'X1', read_back: 'X, 1' };

function saving(more: object = {}, outputSchema: z.ZodType = Saved) {
  return tool({
    name: 'save_order',
    description: 'Save.',
    inputSchema: z.object({}),
    outputSchema: outputSchema as typeof Saved,
    execute: () => saved,
    ...more,
  });
}

const reading = (more: object, result: unknown, schema?: z.ZodType) =>
  toolSet([saving(more, schema)]).forModel('save_order', result as never);

describe('what the model reads of a result', () => {
  test('U-E1, U-E4, U-E6: only that it worked, while code has it all', async () => {
    const tools = toolSet([saving({ showResult: false })]);
    expect(await tools.run('save_order', {})).toEqual({
      outcome: 'succeeded',
      isError: false,
      result: saved,
      forModel: { ok: true },
    });
    expect(await tools.call('save_order', {})).toEqual(saved);
    expect(tools.forModel('save_order', { id: 1 })).toEqual({ ok: true });
  });

  test('U-E7, U-E8: everything but what is hidden', () => {
    expect(reading({ hidden: ['read_back'] }, saved)).toEqual({ id: 'X1' });
    expect(saved).toHaveProperty('read_back');
    expect(reading({}, saved)).toBe(saved);
  });

  test.each([
    { error: 'full', id: 'X1' },
    { refused: 'not yet', id: 'X1' },
    { ok: false, id: 'X1' },
  ])('U-E2, U-E3: a failure whole: %j', (failure) => {
    expect(reading({ showResult: false }, failure)).toBe(failure);
    expect(reading({ hidden: ['id'] }, failure)).toBe(failure);
  });

  test.each([{ error: '' }, { error: null }, { ok: true }])(
    'U-E3: of %j, which is no failure, only that it worked',
    (result) => {
      expect(reading({ showResult: false }, result)).toEqual({ ok: true });
    },
  );

  test('U-E10: with both options, only that it worked', () => {
    expect(reading({ showResult: false, hidden: ['id'] }, saved)).toEqual({ ok: true });
  });

  test('U-E11: what somebody put in beside is read, and a hidden name hides it too', () => {
    const replaced = { ...saved, note: 'n' };
    expect(reading({ hidden: ['read_back'] }, replaced)).toEqual({ id: 'X1', note: 'n' });
  });

  test('in a list, what is hidden is hidden in each', () => {
    const list = z.array(Saved);
    expect(reading({ hidden: ['id'] }, [saved, saved], list)).toEqual([
      { read_back: 'X, 1' },
      { read_back: 'X, 1' },
    ]);
  });

  test('U-E9: a hidden name that no result has is refused at build', () => {
    const build = () => saving({ hidden: ['readback'] });
    expect(build).toThrow(ConfigError);
    expect(build).toThrow(/tool 'save_order': `hidden` names 'readback'.*Did you mean 'read_back'/);
    const choice = z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]);
    expect(() => saving({ hidden: ['b'] }, choice)).not.toThrow();
    expect(() => saving({ hidden: ['c'] }, choice)).toThrow(/names 'c'/);
    expect(() => saving({ hidden: ['c'] }, z.string())).toThrow(/there are none/);
  });

  test('U-E5: how to use it stands at the end of the description, if it is said', () => {
    const described = (resultInstructions?: string) =>
      saving({ ...(resultInstructions !== undefined && { resultInstructions }) }).description
        .description;
    expect(described('Do not read the number.')).toBe(
      'Save.\n\nUse the result like this: Do not read the number.',
    );
    expect([described(), described(''), described('  ')]).toEqual(['Save.', 'Save.', 'Save.']);
  });

  test.each([
    ['showResult', 'no'],
    ['hidden', 'id'],
    ['hidden', [1]],
    ['resultInstructions', 5],
    ['allowBlank', 'a'],
  ])('`%s: %j` is refused at build', (option, value) => {
    expect(() => saving({ [option]: value })).toThrow(`\`${option}\` is not`);
  });

  test('a misspelled option is refused with the nearest name', () => {
    expect(() => saving({ showResults: false })).toThrow(/Did you mean `showResult`/);
  });

  test('a tool that shows everything has nothing to do at a call', () => {
    expect(saving()).not.toHaveProperty('forModel');
    expect(saving({ hidden: [] })).not.toHaveProperty('forModel');
  });
});
