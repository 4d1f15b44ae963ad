import { StateError, type ToolContext, ToolError, tool } from 'agent-hooks';
import { toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const note = tool({
  name: 'add_note',
  inputSchema: z.object({ text: z.string() }),
  execute: ({ text }, { context }: ToolContext<{ readonly by: string }>) =>
    `${context.by}: ${text}`,
});
const tools = toolSet([note]);

describe('tools outside of an agent', () => {
  test.each([
    ['add_note', true],
    ['nope', false],
    ['toString', false],
    ['__proto__', false],
  ])('U-W1: is there a tool %s? %s', (name, there) => {
    expect(tools.has(name)).toBe(there);
  });

  test('U-W3: are called by name, with what the caller knows', async () => {
    const facts = { context: { by: 'ann' } as never };
    expect(await tools.call('add_note', { text: 'x' }, facts)).toBe('ann: x');
    expect(await tools.run('add_note', '{"text":"x"}', facts)).toEqual({
      outcome: 'succeeded',
      isError: false,
      result: 'ann: x',
      forModel: 'ann: x',
    });
  });

  test('U-W3: `call` rejects where `run` tells the model', async () => {
    await expect(tools.call('add_note', {})).rejects.toSatisfy(
      ToolError.isInstance.bind(ToolError),
    );
    expect(await tools.run('add_note', {})).toMatchObject({ outcome: 'invalid', isError: true });
    const broken = new Error('down');
    const breaks = toolSet([
      tool({
        name: 'breaks',
        inputSchema: z.object({}),
        execute: () => Promise.reject(broken),
      }),
    ]);
    await expect(breaks.call('breaks', {})).rejects.toBe(broken);
    expect(await breaks.run('breaks', {})).toMatchObject({ outcome: 'failed' });
  });

  test('U-W13: a tool nobody knows is a failure that names those there are', async () => {
    expect(await tools.run('nope', {})).toMatchObject({
      outcome: 'unknown-tool',
      forModel: { error: expect.stringMatching(/there are: add_note\. Do not claim success\.$/) },
    });
    expect((await toolSet([]).run('nope', {})).forModel).toMatchObject({
      error: expect.stringContaining('there are: none'),
    });
    await expect(tools.call('nope', {})).rejects.toThrow('there are: add_note');
    expect(tools.forModel('nope', { a: 1 })).toEqual({ a: 1 });
  });

  test('U-W12: two tools of one name are refused, naming it', () => {
    expect(() => toolSet([note, note])).toThrow(/tool 'add_note': two tools/);
  });

  test('have no state, no signal and no key of a call but what the caller gives', async () => {
    const seen: ToolContext[] = [];
    const look = tool({
      name: 'look',
      inputSchema: z.object({}),
      execute: (_input, ctx: ToolContext) => void seen.push(ctx),
    });
    const looking = toolSet([look]);
    await looking.call('look', {});
    await looking.call('look', {}, { callId: 'c', sender: 'ann' });
    expect(() => seen[0]?.state.get('day' as never)).toThrow(StateError);
    expect(seen[0]?.idempotencyKey).not.toBe(seen[1]?.idempotencyKey);
    expect(seen[1]).toMatchObject({ toolName: 'look', callId: 'c', sender: 'ann' });
  });

  test.each([[5], ['x'], [[1]], [true]])('arguments that are %j are refused', async (args) => {
    expect(await tools.run('add_note', args)).toMatchObject({ outcome: 'invalid' });
  });
});

describe('sets made of a set', () => {
  const named = (name: string) =>
    tool({ name, inputSchema: z.object({}), execute: () => `ran ${name}` });
  const both = toolSet([named('a'), named('b')]);

  test('U-T14: `only` has the named tools and no other', async () => {
    const some = both.only(['b']);
    expect([some.has('a'), some.has('b'), both.has('a')]).toEqual([false, true, true]);
    expect(await some.call('b', {})).toBe('ran b');
    expect((await some.run('a', {})).outcome).toBe('unknown-tool');
    expect(both.only([]).has('a')).toBe(false);
  });

  test('U-T14: `withTools` has those and more, and the set before it stays as it is', async () => {
    const more = both.withTools(named('c'));
    expect(await more.call('c', {})).toBe('ran c');
    expect(await more.call('a', {})).toBe('ran a');
    expect(both.has('c')).toBe(false);
  });

  test('a name it does not have and one it has already are refused', () => {
    expect(() => both.only(['c'])).toThrow(/names 'c', which is no tool of the set/);
    expect(() => both.withTools(named('a'))).toThrow(/two tools have this name/);
  });
});
