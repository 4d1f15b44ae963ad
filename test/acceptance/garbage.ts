export const USAGE = { inputTokens: 10, outputTokens: 20 };
export const SECRET = 'what the model really said';
export const TEXT = { type: 'text', text: SECRET };
export const CALL = { id: 'c', toolName: 'echo', inputText: '{"message":"hi"}' };
export const GOOD = { content: [TEXT], finishReason: 'stop', usage: USAGE };
export const FINISH = { type: 'finish', result: { finishReason: 'stop', usage: USAGE } };

/** What a model gave, and the place of it that the error has to name. */
type Garbage = readonly [title: string, given: unknown, where: string];

const withPart = (part: unknown): object => ({ ...GOOD, content: [TEXT, part] });
const withCall = (changes: object): object =>
  withPart({ type: 'tool-call', call: { ...CALL, ...changes } });
const withUsage = (changes: object): object => ({ ...GOOD, usage: { ...USAGE, ...changes } });
const streamed = (changes: object): object => ({
  ...FINISH,
  result: { ...FINISH.result, ...changes },
});

/** No answer, or one that does not say what it cost. */
export const UNPAID: readonly Garbage[] = [
  ['nothing', undefined, 'expected object'],
  ['null', null, 'expected object'],
  ['a text', SECRET, 'expected object'],
  ['no usage', { ...GOOD, usage: undefined }, 'usage'],
  ['negative usage', withUsage({ outputTokens: -5 }), 'usage.outputTokens'],
  ['usage that is no number', withUsage({ inputTokens: Number.NaN }), 'usage.inputTokens'],
  ['endless usage', withUsage({ inputTokens: Number.POSITIVE_INFINITY }), 'usage.inputTokens'],
];

/** Answers that cannot be read but say what they cost. */
export const PAID: readonly Garbage[] = [
  ['no content', { ...GOOD, content: undefined }, 'content'],
  ['content that is no list', { ...GOOD, content: SECRET }, 'content'],
  ['a part that is nothing', withPart(undefined), 'content.1'],
  ['a part of an unknown type', withPart({ ...TEXT, type: 'banana' }), 'content.1.type'],
  ['a text part without text', withPart({ type: 'text' }), 'content.1.text'],
  ['a text that is no text', withPart({ type: 'text', text: 7 }), 'content.1.text'],
  ['a file without data', withPart({ type: 'file', mediaType: 'a/b' }), 'content.1'],
  [
    'metadata that is no JSON',
    withPart({ ...TEXT, providerMetadata: { f: () => 1 } }),
    'content.1.providerMetadata',
  ],
  ['a call without a name', withCall({ toolName: undefined }), 'content.1.call.toolName'],
  ['a call with an empty name', withCall({ toolName: '' }), 'content.1.call.toolName'],
  ['a call whose arguments are no text', withCall({ inputText: {} }), 'content.1.call.inputText'],
  ['a call that is nothing', withPart({ type: 'tool-call' }), 'content.1.call'],
  ['an unknown finish reason', { ...GOOD, finishReason: 'banana' }, 'finishReason'],
  ['no finish reason', { ...GOOD, finishReason: undefined }, 'finishReason'],
];

/** Streams of parts that make no answer. */
export const STREAMS: readonly (readonly [string, readonly unknown[], RegExp])[] = [
  ['nothing at all', [], /ended without saying/],
  ['no finish', [TEXT], /ended without saying/],
  ['a part that is nothing', [TEXT, undefined, FINISH], /no ChatStreamPart/],
  ['a part of an unknown type', [TEXT, { type: 'banana' }, FINISH], /no ChatStreamPart/],
  ['a text part without text', [TEXT, { type: 'text' }, FINISH], /'text' has no text/],
  ['more after its finish', [FINISH, TEXT], /went on after/],
  ['a finish without a result', [TEXT, { type: 'finish' }], /finishReason/],
  ['an unknown finish reason', [TEXT, streamed({ finishReason: 'banana' })], /finishReason/],
  [
    'usage that is no number',
    [TEXT, streamed({ usage: { ...USAGE, outputTokens: Number.NaN } })],
    /usage\.outputTokens/,
  ],
  [
    'a call without a name',
    [{ type: 'tool-call', call: { ...CALL, toolName: '' } }, FINISH],
    /content\.0\.call\.toolName/,
  ],
];
