import { tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { lockDesk, lookup, lookupTool } from './lock-desk.ts';

/** What the model reads of a call with these locks, and what ran. */
async function refusedBy(
  locked: object,
  scene: { state?: object; more?: object; about?: object } = {},
) {
  const { lookup: one, ran } = lookupTool({
    inputSchema: z.object({
      ...Object.fromEntries(Object.keys(locked).map((name) => [name, z.unknown()])),
      order: z.string().optional(),
    }),
    locked,
    replies: [{ say: 'Found.' }],
    ...scene.more,
  });
  const desk = lockDesk({ script: [lookup(), 'done'], tools: [one] });
  const result = await desk.run(scene.state ?? {}, scene.about);
  const [output] = desk.outputs();
  return { output, ran, desk, result };
}

describe('a call that needs a value nobody has given', () => {
  test('U-H1, U-H2, U-M2, U-AI2: is refused with one key that names it and says what to do', async () => {
    const { output, desk, result } = await refusedBy({ a: '{{name}}' });
    expect(output).toEqual({
      refused: 'Not known yet: name. Get it from the user first, then call the tool again.',
    });
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(desk.heard.find(({ type }) => type === 'tool.refused')).toMatchObject({
      outcome: 'invalid',
      by: 'agent',
      reason: expect.stringContaining('name'),
    });
  });

  test('U-H3: nothing runs and nothing is said', async () => {
    const more = { announce: 'Looking.' };
    const { ran, desk } = await refusedBy({ a: '{{name}}' }, { more });
    expect(ran).toEqual([]);
    expect(desk.types()).not.toContain('line.said');
    expect(desk.types()).not.toContain('tool.started');
    const known = await refusedBy({ a: '{{name}}' }, { more, state: { name: 'Ada' } });
    expect(known.desk.types()).toContain('line.said');
  });

  test('U-H8, U-F6: it ends no conversation and saves nothing', async () => {
    const more = {
      endsConversation: true,
      replies: [],
      outputSchema: z.object({ found: z.number() }),
      assign: [{ field: 'count', path: ['found'] }],
    };
    const open = await refusedBy({ a: '{{name}}' }, { more });
    expect(open.desk.types()).not.toContain('thread.ended');
    expect(open.result).toMatchObject({ text: 'done' });
    expect(open.result.state).not.toHaveProperty('count');
    const over = await refusedBy({ a: '{{name}}' }, { more, state: { name: 'Ada' } });
    expect(over.desk.types()).toContain('thread.ended');
    expect(over.result.state).toMatchObject({ count: 1 });
  });

  test.each([
    ['U-H6: with what the state says it is', '{{day}}', 'Not known yet: day (the visit day). Get'],
    ['U-H7: without, no brackets', '{{name}}', 'Not known yet: name. Get'],
    ['below a value that is null', '{{customer.id}}', 'Not known yet: customer.id. Get'],
  ])('%s', async (_, lock, words) => {
    const { output } = await refusedBy({ a: lock });
    expect((output as { refused: string }).refused).toContain(words);
  });

  test.each(['session.externalId', 'call.externalId', 'sender.phone', 'channel'])(
    'U-H12, U-M4: %s is told of as what this conversation does not have',
    async (path) => {
      const { output } = await refusedBy({ a: `{{${path}}}` }, { about: { session: {} } });
      expect(output).toEqual({
        refused: `Not known yet: ${path}. This conversation does not have it, so the tool cannot be used in it.`,
      });
    },
  );

  test('U-AH3: the reason of an end is not there while the conversation goes on', async () => {
    const { output } = await refusedBy({ a: '{{session.endReason}}' });
    expect(JSON.stringify(output)).toContain('session.endReason');
  });

  test.each([
    ['undefined', {}],
    ['null', { raw: null }],
    ['an empty text', { raw: '' }],
  ])('U-H13: %s is not set', async (_, state) => {
    const { output, ran } = await refusedBy({ a: '{{raw}}' }, { state });
    expect(JSON.stringify(output)).toContain('Not known yet: raw');
    expect(ran).toEqual([]);
  });

  test('U-H14: all of them are named, each once', async () => {
    const locked = { a: '{{name}}', b: '{{day}} {{name}}', c: '{{session.x}}' };
    const { output } = await refusedBy(locked);
    expect(output).toEqual({
      refused:
        'Not known yet: name, day (the visit day), session.x. This conversation does not have session.x, so the tool cannot be used in it.',
    });
  });

  test('the author may say how to get one', async () => {
    const hints = { name: 'Call find_customer' };
    const one = await refusedBy({ a: '{{name}}' }, { more: { hints } });
    expect(one.output).toEqual({
      refused: 'Not known yet: name. Call find_customer. Then call the tool again.',
    });
    const two = await refusedBy({ a: '{{name}}', b: '{{day}}' }, { more: { hints } });
    expect(JSON.stringify(two.output)).toContain(
      'Call find_customer. Get day from the user. Then call the tool again.',
    );
  });

  const strict = tool({
    name: 'lookup',
    description: 'Looks up',
    inputSchema: z.object({ id: z.string(), order: z.string(), size: z.int().optional() }),
    sideEffects: 'none',
    locked: { id: '{{name}}' },
    execute: () => ({}),
  });
  test.each([
    ['missing', {}, { missing: ['order'] }],
    ['blank', { order: ' ' }, { missing: ['order'] }],
    ['unknown', { order: 'A', bogus: 1 }, { refused: expect.stringContaining('bogus') }],
    ['of the wrong type', { order: 'A', size: 'x' }, { error: expect.stringContaining('size') }],
  ])('U-J14: an argument of the model that is %s is told of first', async (_, input, told) => {
    const desk = lockDesk({ script: [lookup(input as never), 'done'], tools: [strict] });
    await desk.run({});
    expect(desk.outputs()).toEqual([expect.objectContaining(told)]);
    expect(JSON.stringify(desk.outputs())).not.toContain('Not known yet');
  });
});
