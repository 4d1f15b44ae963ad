import { describe, expect, test } from 'vitest';
import { toolCallsOf, toolResultsOf } from '../../../src/index.ts';
import { readTranscripts } from '../../../src/testing/replay/read-transcripts.ts';
import { allOf, fileOf } from './transcripts.ts';

const OPENAI = [
  { role: 'developer', content: 'Be kind.' },
  { role: 'user', content: 'Refund order 7' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'a', type: 'function', function: { name: 'refund', arguments: '{"id":7}' } },
    ],
  },
  { role: 'tool', tool_call_id: 'a', content: 'refunded' },
  { role: 'assistant', content: 'Done.' },
];

const AI_SDK = [
  { role: 'system', content: 'Be kind.' },
  { role: 'user', content: [{ type: 'text', text: 'Refund order 7' }] },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'refund', input: { id: 7 } },
      { type: 'tool-approval-request', approvalId: 'x', toolCallId: 'a' },
    ],
  },
  {
    role: 'tool',
    content: [
      { type: 'tool-approval-response', approvalId: 'x', approved: true },
      {
        type: 'tool-result',
        toolCallId: 'a',
        toolName: 'refund',
        output: { type: 'text', value: 'refunded' },
      },
    ],
  },
  { role: 'assistant', content: 'Done.' },
];

const CORE = [
  { role: 'user', content: 'Refund order 7' },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'refund', args: { id: 7 } }],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'refund', result: 'refunded' }],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
];

const OWN = [
  { role: 'user', content: [{ type: 'text', text: 'Refund order 7' }] },
  {
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        callId: '1.1.0',
        providerCallId: 'a',
        toolName: 'refund',
        input: { id: 7 },
      },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        callId: '1.1.0',
        providerCallId: 'a',
        toolName: 'refund',
        outcome: 'succeeded',
        isError: false,
        output: 'refunded',
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
];

const lines = (...values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

describe('readTranscripts — formats', () => {
  test.each([
    ['OpenAI', OPENAI],
    ['AI SDK', AI_SDK],
    ['AI SDK 4', CORE],
    ['this package', OWN],
  ])('%s messages, as lines and as one document', async (_format, messages) => {
    const files = [
      fileOf(lines({ id: 'c', messages })),
      fileOf(lines(messages)),
      fileOf(JSON.stringify(messages, null, 2), 'pretty.json'),
      fileOf(JSON.stringify([{ id: 'c', messages }, messages], null, 2), 'several.json'),
      fileOf(`\uFEFF${lines({ id: 'c', messages }).replace('\n', '\r\n')}\n\n`, 'lines.txt'),
    ];
    const all = await allOf(files);
    expect(all).toHaveLength(6);
    for (const one of all) {
      if (one.type === 'broken') throw new Error(one.problem);
      const heard = one.messages.filter(({ role }) => role !== 'system');
      expect(heard.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      const [call] = one.messages.flatMap(toolCallsOf);
      const [result] = one.messages.flatMap(toolResultsOf);
      expect(call).toMatchObject({ toolName: 'refund', input: { id: 7 } });
      expect(result).toMatchObject({ callId: call?.callId, output: 'refunded' });
    }
  });

  test('each conversation has its id or its place, and its line', async () => {
    const file = fileOf(
      lines({ id: 'first', messages: OPENAI }, OPENAI, { id: 7, messages: OPENAI }),
    );
    const all = await allOf(file);
    expect(all.map(({ id, source }) => [id, source.line])).toEqual([
      ['first', 1],
      [expect.stringMatching(/-conversations\.jsonl:2$/), 2],
      ['7', 3],
    ]);
  });

  test('a system prompt and tools beside the messages are read', async () => {
    const tools = [
      { type: 'function', function: { name: 'refund', parameters: { type: 'object' } } },
      { type: 'web_search' },
    ];
    const [one] = await allOf(fileOf(lines({ messages: CORE, system: 'Be kind.', tools })));
    expect(one).toMatchObject({
      messages: [{ role: 'system', content: 'Be kind.' }, {}, {}, {}, {}],
      tools: [{ name: 'refund', description: 'refund', inputSchema: { type: 'object' } }],
    });
  });

  test.each([
    [{ type: 'error-text', value: 'No.' }, 'failed', { error: 'No. Do not claim success.' }],
    [
      { type: 'error-json', value: { code: 1 } },
      'failed',
      { error: '{"code":1}. Do not claim success.' },
    ],
    [{ type: 'execution-denied', reason: 'no' }, 'denied', 'Not approved: no'],
    [{ type: 'json', value: [1] }, 'succeeded', [1]],
  ])('an AI SDK output %j reads as %s', async (output, outcome, value) => {
    const messages = structuredClone(AI_SDK) as { content: { output?: unknown }[] }[];
    const part = messages[3]?.content[1];
    if (part !== undefined) part.output = output;
    const [one] = await allOf(fileOf(lines(messages)));
    const results = one?.type === 'transcript' ? one.messages.flatMap(toolResultsOf) : [];
    expect(results).toMatchObject([{ outcome, output: value, isError: outcome !== 'succeeded' }]);
  });

  test('files of an AI SDK message are kept by their address or their content', async () => {
    const content = [
      { type: 'image', image: 'https://example.com/a.png' },
      { type: 'file', data: 'aGk=', mediaType: 'text/plain', filename: 'a.txt' },
    ];
    const [one] = await allOf(fileOf(lines([{ role: 'user', content }])));
    expect(one).toMatchObject({
      messages: [
        {
          content: [
            { type: 'file', mediaType: 'image/*', url: 'https://example.com/a.png' },
            { type: 'file', mediaType: 'text/plain', data: 'aGk=', filename: 'a.txt' },
          ],
        },
      ],
    });
  });
});

interface Told {
  readonly id: string | undefined;
  readonly problem: RegExp;
}

describe('readTranscripts — what is broken is named, and the rest is read', () => {
  const stray = { role: 'tool', tool_call_id: 'zz', content: 'SECRET' };
  const fine = { id: 'fine', messages: OPENAI };

  test.each<[name: string, line: string, told: Told]>([
    [
      'a truncated line',
      JSON.stringify(fine).slice(0, 60),
      { id: undefined, problem: /no JSON, or not all of it/ },
    ],
    ['no JSON', 'SECRET', { id: undefined, problem: /no JSON/ }],
    ['a value', '"SECRET"', { id: undefined, problem: /neither an object nor an array/ }],
    [
      'an object without messages',
      '{"id":"c","SECRET":1}',
      { id: 'c', problem: /no array `messages`/ },
    ],
    ['one message', lines(OPENAI[1]).trim(), { id: undefined, problem: /is one message/ }],
    ['no message', '{"messages":[]}', { id: undefined, problem: /holds no message/ }],
    [
      'an unknown role',
      lines({ id: 'c', messages: [{ role: 'wizard', content: 'SECRET' }] }).trim(),
      { id: 'c', problem: /messages\[0\]\.role.*none of system, user, assistant and tool/ },
    ],
    [
      'an unknown role of the AI SDK',
      lines([...AI_SDK, { role: 'wizard', content: 'SECRET' }]).trim(),
      { id: undefined, problem: /messages\[5\]\.role/ },
    ],
    [
      'a result without a call',
      lines([OPENAI[1], stray]).trim(),
      { id: undefined, problem: /messages\[1\]/ },
    ],
    [
      'a result without a call of the AI SDK',
      lines([AI_SDK[1], AI_SDK[3]]).trim(),
      { id: undefined, problem: /messages\[1\].*no call/ },
    ],
    [
      'a result without a call of this package',
      lines([OWN[0], OWN[2]]).trim(),
      { id: undefined, problem: /messages\[1\].*no call/ },
    ],
    [
      'a message that is none',
      lines([...OWN, 7]).trim(),
      { id: undefined, problem: /messages\[4\]/ },
    ],
    [
      'a message that is too long',
      lines([{ role: 'user', content: 'x'.repeat(4000) }]).trim(),
      { id: undefined, problem: /longer than 2000 bytes/ },
    ],
  ])('%s', async (_name, line, { id, problem }) => {
    const file = fileOf(`${lines(fine)}${line}\n${lines(fine)}`);
    const all = await allOf(file, { maxBytes: 2000 });
    expect(all.map(({ type }) => type)).toEqual(['transcript', 'broken', 'transcript']);
    const broken = all[1];
    if (broken?.type !== 'broken') throw new Error('it is not broken');
    expect(broken).toMatchObject({ source: { file, line: 2 } });
    expect(broken.id).toBe(id);
    expect(broken.problem).toMatch(problem);
    expect(broken.problem).not.toContain('SECRET');
  });

  test('a message of 50 MB is named and not kept, and the rest is read', async () => {
    const long = lines([{ role: 'user', content: 'x'.repeat(50_000_000) }]);
    const file = fileOf(`${lines(fine)}${long}${lines(fine)}`);
    const all = await allOf(file);
    expect(all.map(({ type }) => type)).toEqual(['transcript', 'broken', 'transcript']);
    expect(all[1]).toMatchObject({
      source: { line: 2 },
      problem: 'is longer than 33554432 bytes',
    });
  }, 60_000);

  test('a document that is cut off is broken once', async () => {
    const text = JSON.stringify([fine], null, 2);
    const file = fileOf(text.slice(0, -20), 'cut.json');
    expect(await allOf(file)).toMatchObject([{ type: 'broken', source: { file } }]);
  });

  test('a document that cannot be streamed says what can', async () => {
    const file = fileOf(JSON.stringify([fine], null, 2), 'long.json');
    const [one] = await allOf(file, { maxBytes: 100 });
    expect(one).toMatchObject({ type: 'broken', problem: expect.stringContaining('JSON lines') });
  });

  test('one of several conversations of a document', async () => {
    const file = fileOf(JSON.stringify([fine, { id: 'odd' }, fine]), 'several.json');
    const all = await allOf(file);
    expect(all.map(({ type }) => type)).toEqual(['transcript', 'broken', 'transcript']);
    expect(all[1]).toMatchObject({ id: 'odd', problem: expect.stringContaining('conversation 2') });
  });

  test('a file that is not there is refused before any is read', async () => {
    const file = fileOf(lines(fine));
    const read = readTranscripts([file, `${file}.missing`]);
    await expect(read.next()).rejects.toThrow(/there is no file/);
  });
});
