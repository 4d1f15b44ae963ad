import { ConfigError, type Message, tool, transcript } from 'agent-hooks';
import { toolSet } from 'agent-hooks/tools';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { transcriptOf } from '../../src/tools/transcript.ts';
import { lockDesk } from './lock-desk.ts';

const entry = z.object({ role: z.string(), content: z.string() });

function historyTool(options: Parameters<typeof transcript>[0] = {}) {
  const given: unknown[] = [];
  const made = tool({
    name: 'hand_over',
    description: 'Hands over',
    inputSchema: z.object({
      history: z.union([z.array(entry), z.string()]),
      note: z.string().optional(),
    }),
    sideEffects: 'none',
    locked: { history: transcript(options) },
    execute: ({ history }) => {
      given.push(history);
      return {};
    },
  });
  return { made, given };
}
const handOver = { text: 'I hand you over.', toolCalls: [{ name: 'hand_over', input: {} }] };

const say = (role: 'user' | 'assistant', text: string): Message =>
  ({ role, content: [{ type: 'text', text }] }) as Message;
const of = (messages: readonly Message[], options: object = {}) =>
  transcriptOf({ messages, from: 0 }, { maxMessages: 200, text: false, ...options }) as {
    content: string;
  }[];

describe('an argument that is locked to the conversation', () => {
  test('U-N1, U-N2: holds what was said so far, oldest first', async () => {
    const { made, given } = historyTool();
    const desk = lockDesk({ script: ['Hello.', handOver, 'done'], tools: [made] });
    await desk.run();
    await desk.run(undefined, { message: 'A person, please' });
    expect(given).toEqual([
      [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'A person, please' },
        { role: 'assistant', content: 'I hand you over.' },
      ],
    ]);
    expect(desk.model.requests.at(-1)?.tools[0]?.inputSchema).not.toHaveProperty(
      'properties.history',
    );
  });

  test('U-N2: an answer without words and the results of calls are not in it', async () => {
    const { made, given } = historyTool({ text: true });
    const silent = { toolCalls: [{ name: 'hand_over', input: {} }] };
    const desk = lockDesk({ script: [silent, silent, 'done'], tools: [made] });
    await desk.run();
    expect(given).toEqual(['user: go', 'user: go']);
  });

  test('U-N7: as one text', async () => {
    expect(of([say('user', 'hi'), say('assistant', 'hello')], { text: true })).toBe(
      'user: hi\nassistant: hello',
    );
  });

  test.each([
    ['U-N3', {}, []],
    ['U-N8', { text: true }, ''],
  ])(
    '%s: where nothing is known of a conversation it is empty, and the tool runs',
    async (_, options, empty) => {
      const { made, given } = historyTool(options);
      const done = await toolSet([made]).run('hand_over', {});
      expect(done).toMatchObject({ outcome: 'succeeded' });
      expect(given).toEqual([empty]);
    },
  );

  test('U-N4: the newest, 200 unless it says otherwise', () => {
    const many = Array.from({ length: 250 }, (_, at) => say('user', `m${at}`));
    expect(of(many, transcript()).map(({ content }) => content)).toEqual(
      Array.from({ length: 200 }, (_, at) => `m${at + 50}`),
    );
    expect(of(many, transcript({ maxMessages: 1 }))).toEqual([{ role: 'user', content: 'm249' }]);
  });

  test.each([
    ['U-N5: 0', { maxMessages: 0 }, '`maxMessages` is no whole number from 1'],
    ['U-N5: a half', { maxMessages: 1.5 }, '`maxMessages`'],
    ['a text for a flag', { text: 'yes' }, '`text` is not true or false'],
    ['an unknown option', { maxMessage: 1 }, 'Did you mean `maxMessages`?'],
    ['no options', null, 'it was given null'],
  ])('%s is refused', (_, options, words) => {
    expect(() => transcript(options as never)).toThrow(ConfigError);
    expect(() => transcript(options as never)).toThrow(words);
  });

  const bytesOf = (value: unknown) =>
    Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
  test.each([{ text: false }, { text: true }])('U-N6: never above 32 KiB: %o', (options) => {
    const kib = Array.from({ length: 100 }, (_, at) => say('user', `${at} `.padEnd(1024, 'é')));
    const cut = of(kib, options);
    expect(bytesOf(cut)).toBeLessThanOrEqual(32 * 1024);
    expect(bytesOf(cut)).toBeGreaterThan(29 * 1024);
    const last = options.text ? String(cut).split('\n').at(-1) : cut.at(-1)?.content;
    expect(last).toContain('99 ');
  });

  test.each([{ text: false }, { text: true }])('U-N6: to the byte: %o', (options) => {
    // What is left for the older one, once the newer and all that is around them are counted.
    const fits = (size: number) => of([say('user', 'o'.repeat(size)), say('user', 'new')], options);
    const isWhole = (value: unknown) => JSON.stringify(value).includes('ooo');
    const sizes = Array.from({ length: 200 }, (_, at) => 32 * 1024 - 150 + at);
    const largest = sizes.findLast((size) => isWhole(fits(size))) ?? 0;
    expect(bytesOf(fits(largest))).toBe(32 * 1024);
  });

  test('U-N6: the newest is kept whole, and alone', () => {
    const big = say('user', 'x'.repeat(40 * 1024));
    expect(of([say('user', 'old'), big])).toEqual([
      { role: 'user', content: 'x'.repeat(40 * 1024) },
    ]);
  });

  test('what a summary stands for is nobody’s words', () => {
    const messages = [say('user', 'a summary'), say('user', 'hi')];
    const options = { maxMessages: 200, text: true };
    expect(transcriptOf({ messages, from: 1 }, options)).toBe('user: hi');
  });
});
