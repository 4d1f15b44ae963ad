import { ConfigError, createAgent, scriptedModel, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { hangUpTool, orderTool, resultDesk } from '../loop/result-desk.ts';

const fault = (build: () => unknown): string => {
  try {
    build();
  } catch (error) {
    if (ConfigError.isInstance(error)) return error.message;
    throw error;
  }
  throw new Error('nothing was refused');
};

/** The same line on the tool, and on the agent. */
const places: readonly (readonly [string, (line: object) => () => unknown])[] = [
  [
    'on the tool',
    (line) => () => resultDesk({ script: [], tools: [orderTool({ replies: [line] })] }),
  ],
  [
    'on the agent',
    (line) => () =>
      resultDesk({ script: [], more: { replies: [{ tool: 'find_order', ...line }] } as object }),
  ],
];

describe.each(places)('a line that could never be said is refused: %s', (_, build) => {
  test.each([
    ['U-K22: an unknown part', { when: { statu: ['held'] }, say: 'x' }, "Did you mean 'status'?"],
    [
      'U-K22: an unknown part in its words',
      { say: '{{result.ordr_id}}' },
      "Did you mean 'order_id'?",
    ],
    ['U-K22: an unknown field', { state: { nam: ['a'] }, say: 'x' }, "Did you mean 'name'?"],
    ['U-K22: an unknown field in its words', { say: 'Hello {{nmae}}' }, "Did you mean 'name'?"],
    ['a key below a text', { say: 'Hello {{name.first}}' }, "it names 'name.first'"],
    ['a placeholder that names nothing', { say: 'Hello {{}}' }, "'{{}}' names nothing"],
    [
      'U-K28: a value that never occurs',
      { when: { status: ['shiped'] }, say: 'x' },
      `never is "shiped". What it holds is "held", "future_day", "shipped"`,
    ],
    ['U-K28: one of several', { when: { status: ['held', 'x'] }, say: 'x' }, 'never is "x"'],
    [
      'U-K28: of another type',
      { when: { order_id: [1] }, say: 'x' },
      "'order_id' never is 1. What it holds is any string",
    ],
    [
      'U-K28: of the state',
      { state: { vip: ['yes'] }, say: 'x' },
      `'vip' never is "yes". What it holds is true, false`,
    ],
    ['no words', { say: [] }, '`say` is no text'],
    ['blank words', { say: ['Hello', ' '] }, '`say` is no text'],
    ['words that are none', { say: 1 }, '`say` is no text'],
    ['no list of values', { when: { status: 'held' }, say: 'x' }, '`when.status` is no list'],
    ['no values', { when: { status: [] }, say: 'x' }, '`when.status` is no list'],
    ['values of no JSON', { when: { status: [undefined] }, say: 'x' }, '`when.status` is no list'],
    ['conditions that are none', { when: ['status'], say: 'x' }, '`when` is no object'],
    ['an option nobody knows', { whn: {}, say: 'x' }, 'Did you mean `when`?'],
  ])('%s', (_name, line, words) => expect(fault(build(line))).toContain(words));

  test.each([
    {
      when: { status: ['held'] },
      state: { vip: [true, false] },
      say: ['{{result.order_id}}', 'x'],
    },
    { when: { 'total.amount': [1, 2.5, null] }, say: '{{session.any}} {{sender}} {{channel.x.y}}' },
    { state: { 'order.status': ['held'], name: [null] }, say: '{{order.total.amount}}' },
  ])('and one that could is not: %j', (line) => expect(build(line)).not.toThrow());
});

describe('whose line it is', () => {
  const ofAgent =
    (line: object, tools = [orderTool(), hangUpTool()]) =>
    () =>
      resultDesk({ script: [], tools, more: { replies: [line] } as object });

  test('U-K31: one of a tool does not name it', () => {
    const replies = [{ tool: 'other', say: 'x' }];
    expect(fault(() => orderTool({ replies }))).toContain('Leave `tool` out');
  });

  test('U-K33: one of an agent names a tool that it has', () => {
    expect(fault(ofAgent({ say: 'x' }))).toContain('it names no `tool`');
    expect(fault(ofAgent({ tool: 'find_ordr', say: 'x' }))).toContain("Did you mean 'find_order'?");
    expect(fault(ofAgent(null as never))).toContain('it names no `tool`');
  });

  test('U-K24: a tool that ends the conversation has none', () => {
    const words = 'Say it before, with `announce` and `announceWait`';
    expect(fault(() => hangUpTool({ replies: [{ say: 'x' }] }))).toContain(words);
    expect(fault(ofAgent({ tool: 'hang_up', say: 'x' }))).toContain(words);
  });

  test('a goodbye belongs to such a tool, and says what can be said', () => {
    expect(fault(() => orderTool({ goodbye: 'Bye' }))).toContain('`endsConversation: true`');
    expect(fault(() => hangUpTool({ goodbye: ' ' }))).toContain('`goodbye` is not a text');
    const tools = [hangUpTool({ goodbye: 'Bye {{nmae}}' })];
    expect(fault(() => resultDesk({ script: [], tools }))).toContain("Did you mean 'name'?");
  });

  test('parts of a result whose schema is not known are refused', () => {
    const plain = { name: 'get', inputSchema: z.object({}), execute: () => ({ id: 1 }) };
    const words = 'set its `outputSchema`';
    expect(fault(() => tool({ ...plain, replies: [{ when: { id: [1] }, say: 'x' }] }))).toContain(
      words,
    );
    expect(fault(() => tool({ ...plain, replies: [{ say: '{{result.id}}' }] }))).toContain(words);
    const fixed = tool({ ...plain, replies: [{ say: 'Done.' }] });
    const agent = { name: 'd', model: scriptedModel([]), tools: [fixed] };
    expect(() => createAgent(agent)).not.toThrow();
    const named = tool({ ...plain, replies: [{ say: 'Done, {{name}}.' }] });
    expect(fault(() => createAgent({ ...agent, tools: [named] }))).toContain("it names 'name'");
  });

  test('a name that means two things is refused', () => {
    const named = tool({
      name: 'get',
      inputSchema: z.object({}),
      replies: [{ say: 'Over {{channel}}.' }],
      execute: () => null,
    });
    const stateSchema = z.object({ channel: z.string().optional() });
    const agent = { name: 'd', model: scriptedModel([]), tools: [named], stateSchema };
    expect(fault(() => createAgent(agent as never))).toContain('at once');
  });
});
