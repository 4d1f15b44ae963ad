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
import { ErrorDecision } from '../../src/decisions/error-decision.ts';
import { QueryDecision, ResultsDecision } from '../../src/decisions/knowledge-decision.ts';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../src/decisions/tool-result-decision.ts';
import { TurnDecision } from '../../src/decisions/turn-decision.ts';
import { WindowDecision } from '../../src/decisions/window-decision.ts';

const request = {
  messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }],
  settings: {},
  tools: [],
};

const made: readonly (readonly [DecisionCodec<unknown>, readonly object[]])[] = [
  [turnDecisionCodec, [TurnDecision.proceed(), TurnDecision.block('no')]],
  [
    messageDecisionCodec,
    [MessageDecision.proceed(), MessageDecision.modify('new'), MessageDecision.block('no')],
  ],
  [
    requestDecisionCodec,
    [RequestDecision.proceed(), RequestDecision.modify(request), RequestDecision.block('no')],
  ],
  [
    windowDecisionCodec,
    [WindowDecision.release(0), WindowDecision.release(7), WindowDecision.block('no')],
  ],
  [
    responseDecisionCodec,
    [
      ResponseDecision.accept(),
      ResponseDecision.modify({ text: 'new' }),
      ResponseDecision.modify({ toolCalls: [{ callId: '1', toolName: 'a', input: { b: 1 } }] }),
      ResponseDecision.block('no'),
      ResponseDecision.retryWithFeedback('again'),
    ],
  ],
  [
    toolDecisionCodec,
    [
      ToolDecision.allow(),
      ToolDecision.modify({ a: [1, null, 'x'] }),
      ToolDecision.block('no'),
      ToolDecision.requiresConfirmation('sure?'),
      ToolDecision.requiresConfirmation('sure?', { expiresInMs: 10, approvers: ['ann'] }),
      ToolDecision.retryWithFeedback('again'),
      ToolDecision.abstain(),
    ],
  ],
  [
    toolResultDecisionCodec,
    [
      ToolResultDecision.keep(),
      ToolResultDecision.modify({ output: { a: false } }),
      ToolResultDecision.modify({ isError: true }),
    ],
  ],
  [queryDecisionCodec, [QueryDecision.proceed(), QueryDecision.modify('other')]],
  [
    resultsDecisionCodec,
    [
      ResultsDecision.keep(),
      ResultsDecision.modify([{ text: 't', scope: 's', source: 'x', score: 0 }]),
    ],
  ],
  [
    errorDecisionCodec,
    [
      ErrorDecision.recover(),
      ErrorDecision.abort(),
      ErrorDecision.fallback('sorry'),
      ErrorDecision.silent(),
    ],
  ],
];

const cases = made.flatMap(([codec, decisions]) =>
  decisions.map((decision) => ({
    name: `${codec.name} ${JSON.stringify(decision)}`,
    codec,
    decision,
  })),
);

test.each([
  [{ quorom: 2 }, /quorom/],
  [{ expiresMs: 5 }, /expiresMs/],
  [{ approvers: 'ann' }, /approvers/],
])('a confirmation with the option %o is no decision', (options, problem) => {
  const decision = Reflect.apply(ToolDecision.requiresConfirmation, undefined, ['sure?', options]);
  expect(toolDecisionCodec.read(decision)).toEqual({ problem: expect.stringMatching(problem) });
});

describe('decision companions', () => {
  test.each(cases)('$name is frozen', ({ decision }) => {
    expect(Object.isFrozen(decision)).toBe(true);
  });

  test.each(cases)('$name survives JSON and its codec', ({ codec, decision }) => {
    expect(codec.read(JSON.parse(JSON.stringify(decision)))).toEqual({ decision });
  });

  test('every type a codec knows has a companion', () => {
    for (const [codec, decisions] of made) {
      const types = decisions.map((decision) => ('type' in decision ? decision.type : undefined));
      expect(new Set(types)).toEqual(new Set(codec.types));
    }
  });

  test('a whole response or result fits a rewrite, of which only the changeable fields are taken', () => {
    const result = { outcome: 'succeeded' as const, isError: false, output: 1 };
    expect(ToolResultDecision.modify({ ...result, output: 2 })).toEqual({
      type: 'modify',
      result: { output: 2, isError: false },
    });
  });
});

describe('decision codecs — what is read', () => {
  test('is a frozen copy, so the giver cannot change it afterwards', () => {
    const given = { type: 'modify', input: { amount: 1 } };
    const read = toolDecisionCodec.read(given);
    given.input.amount = 1_000;
    expect(read).toEqual({ decision: { type: 'modify', input: { amount: 1 } } });
    if ('decision' in read && read.decision.type === 'modify') {
      expect(Object.isFrozen(read.decision.input)).toBe(true);
    }
  });

  test('is the constant of the companion for a move without data, however it was given', () => {
    for (const given of [ToolDecision.allow(), { type: 'allow' }, JSON.parse('{"type":"allow"}')]) {
      const read = toolDecisionCodec.read(given);
      expect('decision' in read && read.decision).toBe(ToolDecision.allow());
    }
  });

  test('is not the object of the giver even when it has only a type', () => {
    let asked = 0;
    const turncoat = {
      get type() {
        asked += 1;
        return asked === 1 ? 'abstain' : 'allow';
      },
    };
    expect(toolDecisionCodec.read(turncoat)).toEqual({ decision: { type: 'abstain' } });
  });

  test('has no lone surrogates in its texts', () => {
    expect(messageDecisionCodec.read({ type: 'modify', text: 'a\ud800' })).toEqual({
      decision: { type: 'modify', text: 'a\ufffd' },
    });
    expect(turnDecisionCodec.read({ type: 'block', reason: '\udc00' })).toEqual({
      decision: { type: 'block', reason: '\ufffd' },
    });
  });

  test('has no __proto__ key', () => {
    const given = JSON.parse('{"type":"modify","input":{"__proto__":{"isAdmin":true},"q":1}}');
    expect(toolDecisionCodec.read(given)).toEqual({
      decision: { type: 'modify', input: { q: 1 } },
    });
  });
});
