import { describe, expect, test } from 'vitest';
import {
  type DecisionCodec,
  errorDecisionCodec,
  messageDecisionCodec,
  queryDecisionCodec,
  requestDecisionCodec,
  responseDecisionCodec,
  resultsDecisionCodec,
  toolDecisionCodec,
  toolResultDecisionCodec,
  turnDecisionCodec,
  windowDecisionCodec,
} from '../../src/decisions/codec.ts';

class Allow {
  readonly type = 'allow';
}

class Block {
  readonly type = 'block';
  readonly reason = 'no';
}

const codecs: readonly DecisionCodec<unknown>[] = [
  turnDecisionCodec,
  messageDecisionCodec,
  requestDecisionCodec,
  windowDecisionCodec,
  responseDecisionCodec,
  toolDecisionCodec,
  toolResultDecisionCodec,
  queryDecisionCodec,
  resultsDecisionCodec,
  errorDecisionCodec,
];

const nowhereLegal: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['a word', 'block'],
  ['true', true],
  ['false', false],
  ['a number', 1],
  ['an array', [{ type: 'block', reason: 'no' }]],
  ['an empty object', {}],
  ['a function', () => ({ type: 'block', reason: 'no' })],
  ['a class instance without data', new Allow()],
  ['a class instance with data', new Block()],
  ['a map', new Map([['type', 'block']])],
  ['an unknown word', { type: 'banana' }],
  ['deny', { type: 'deny', reason: 'no' }],
  ['Block', { type: 'Block', reason: 'no' }],
  ['another key', { decision: 'block', reason: 'no' }],
  ['a nested decision', { type: { type: 'block', reason: 'no' } }],
  ['a wrapped decision', { hookSpecificOutput: { type: 'block', reason: 'no' } }],
  ['a number as type', { type: 1 }],
  ['__proto__ as type', { type: '__proto__' }],
  ['constructor as type', { type: 'constructor' }],
];

describe('illegal decisions', () => {
  test.each(codecs)('B09: no codec reads anything but a legal decision — $name', (codec) => {
    for (const [what, value] of nowhereLegal) {
      expect(codec.read(value), what).toHaveProperty('problem');
    }
  });

  test.each([
    ['an extra key on a bare move', toolDecisionCodec, { type: 'allow', note: 'x' }],
    ['an extra key on a block', toolDecisionCodec, { type: 'block', reason: 'no', force: true }],
    ['a block without a reason', toolDecisionCodec, { type: 'block' }],
    ['a block with an empty reason', turnDecisionCodec, { type: 'block', reason: '' }],
    ['a retry without feedback', responseDecisionCodec, { type: 'retry-with-feedback' }],
    [
      'feedback that is no text',
      toolDecisionCodec,
      { type: 'retry-with-feedback', feedback: ['x'] },
    ],
    ['a modify without a text', messageDecisionCodec, { type: 'modify' }],
    ['a text that is a number', messageDecisionCodec, { type: 'modify', text: 42 }],
    ['an input that is an array', toolDecisionCodec, { type: 'modify', input: [1] }],
    ['an input that is no JSON', toolDecisionCodec, { type: 'modify', input: { at: new Date(0) } }],
    ['a confirmation without a prompt', toolDecisionCodec, { type: 'requires-confirmation' }],
    [
      'an expiry in the past',
      toolDecisionCodec,
      { type: 'requires-confirmation', prompt: 'ok?', expiresInMs: -1 },
    ],
    [
      'nobody as approver',
      toolDecisionCodec,
      { type: 'requires-confirmation', prompt: 'ok?', approvers: [] },
    ],
    ['a request without messages', requestDecisionCodec, { type: 'modify', request: {} }],
    ['no request at all', requestDecisionCodec, { type: 'modify' }],
    ['null as request', requestDecisionCodec, { type: 'modify', request: null }],
    ['a request that is a text', requestDecisionCodec, { type: 'modify', request: 'messages' }],
    [
      'messages that are no list',
      requestDecisionCodec,
      { type: 'modify', request: { messages: 1 } },
    ],
    [
      'a misspelled field of a response',
      responseDecisionCodec,
      { type: 'modify', response: { txt: 'x' } },
    ],
    [
      'a result that is no JSON',
      toolResultDecisionCodec,
      { type: 'modify', result: { output: 1n } },
    ],
    [
      'an outcome a policy may not set',
      toolResultDecisionCodec,
      { type: 'modify', result: { outcome: 'failed' } },
    ],
    ['half a character released', windowDecisionCodec, { type: 'release', chars: 0.5 }],
    [
      'a passage without a source',
      resultsDecisionCodec,
      { type: 'modify', passages: [{ text: 't', scope: 's' }] },
    ],
  ] as const)('%s is refused', (_what, codec, value) => {
    expect(codec.read(value)).toHaveProperty('problem');
  });

  test('a move of another point is refused', () => {
    expect(turnDecisionCodec.read({ type: 'allow' })).toHaveProperty('problem');
    expect(toolDecisionCodec.read({ type: 'proceed' })).toHaveProperty('problem');
    expect(
      messageDecisionCodec.read({ type: 'retry-with-feedback', feedback: 'x' }),
    ).toHaveProperty('problem');
  });

  test('a problem says what is legal, and quotes nothing that may have been judged', () => {
    expect(toolDecisionCodec.read({ type: 'deny' })).toEqual({
      problem:
        "has type 'deny'; a ToolDecision has allow, modify, block, requires-confirmation, retry-with-feedback, abstain",
    });
    for (const value of [
      'my card is 4111',
      { type: 'my card is 4111' },
      { type: 'block', reason: 4111 },
    ]) {
      expect(JSON.stringify(toolDecisionCodec.read(value))).not.toContain('4111');
    }
  });
});
