import fc from 'fast-check';
import { expect, test } from 'vitest';
import { defineHooks, ToolDecision } from '../../../src/index.ts';
import { readConversation } from '../../../src/testing/replay/read-conversation.ts';
import { replay } from '../../../src/testing/replay/replay.ts';
import { collect } from './transcripts.ts';

const id = fc.constantFrom('a', 'b', '');
const json = fc.jsonValue({ maxDepth: 2 });
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 8 }), json);
const call = fc.oneof(
  json,
  fc.record({ id, function: fc.record({ name: text, arguments: text }, { requiredKeys: [] }) }),
);
const part = fc.oneof(
  json,
  fc.record(
    {
      type: fc.constantFrom('text', 'tool-call', 'tool-result', 'reasoning', 'file', 'image'),
      text,
      toolCallId: id,
      callId: id,
      toolName: text,
      input: json,
      output: fc.oneof(json, fc.record({ type: fc.constantFrom('text', 'json'), value: json })),
      data: text,
    },
    { requiredKeys: ['type'] },
  ),
);
const message = fc.oneof(
  { weight: 1, arbitrary: json },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        role: fc.constantFrom('system', 'developer', 'user', 'assistant', 'tool', 'wizard'),
        content: fc.oneof(text, fc.array(part, { maxLength: 3 })),
        tool_calls: fc.array(call, { maxLength: 2 }),
        tool_call_id: id,
      },
      { requiredKeys: ['role'] },
    ),
  },
);
const words = fc.string({ unit: 'binary', maxLength: 8 });
/** What an agent would have had, with anything for a text, a name or arguments. */
const exchange = fc
  .record({ question: words, name: words, args: words, answer: words, last: words })
  .map(({ question, name, args, answer, last }) => [
    { role: 'user', content: question },
    { role: 'assistant', tool_calls: [{ id: 'a', function: { name, arguments: args } }] },
    { role: 'tool', tool_call_id: 'a', content: answer },
    { role: 'assistant', content: last },
  ]);
const messages = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: exchange }, { weight: 1, arbitrary: fc.array(message) }),
    {
      maxLength: 3,
    },
  )
  .map((groups) => groups.flat());
const conversation = fc.record({ id: text, messages });

const policy = defineHooks({
  name: 'p',
  preToolUse: ({ toolName }) => (toolName.length > 3 ? ToolDecision.block('no') : undefined),
});

test('whatever is in a transcript, it is replayed or broken, and never an error', async () => {
  const seen = { replayed: 0, broken: 0 };
  await fc.assert(
    fc.asyncProperty(fc.oneof(json, conversation), async (value) => {
      const given = readConversation(value, { file: 'any' });
      const entries = await collect(replay({ hooks: [policy], conversations: [given] }));
      expect(entries).toHaveLength(1);
      for (const { type } of entries) seen[type] += 1;
    }),
    { numRuns: 600 },
  );
  expect(seen.replayed).toBeGreaterThan(10);
  expect(seen.broken).toBeGreaterThan(10);
}, 60_000);

const NESTED = 20_000;

test.each([
  ['an object', `{"a":${'['.repeat(NESTED)}${']'.repeat(NESTED)}}`],
  ['a list', `${'['.repeat(NESTED)}${']'.repeat(NESTED)}`],
])('%s that is nested too deeply for a recursion is broken, and no error', async (_, input) => {
  const part = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: 0 };
  const spoken = {
    messages: [
      { role: 'user', content: 'Pay' },
      { role: 'assistant', content: [part] },
    ],
  };
  const value: unknown = JSON.parse(
    JSON.stringify(spoken).replace('"input":0', `"input":${input}`),
  );
  expect(readConversation(value, { file: 'any' })).toMatchObject({
    type: 'broken',
    problem: expect.stringMatching(/^messages\[1\]\.content\[0\]\.input: .*nested too deeply/),
  });
});
