import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { TurnDecision } from '../../src/decisions/turn-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW, request, response } from './make-gate.ts';

describe('precedence — points with one verdict', () => {
  test('the first block ends the chain at a turn start', async () => {
    const asked: string[] = [];
    const { gate } = bench([
      defineHooks({ name: 'a', onTurnStart: () => TurnDecision.proceed() }),
      defineHooks({ name: 'b', onTurnStart: () => TurnDecision.block('closed') }),
      defineHooks({ name: 'c', onTurnStart: () => void asked.push('c') }),
    ]);
    const verdict = await gate.turnStart({ turnId: 't', isFirst: false }, NOW);
    expect(verdict).toEqual({ type: 'block', policy: 'b', reason: 'closed' });
    expect(asked).toEqual([]);
  });

  test('the first block ends the chain for texts and requests', async () => {
    const { gate } = bench([
      defineHooks({
        name: 'a',
        onUserMessage: () => MessageDecision.block('in'),
        preLlmRequest: () => RequestDecision.block('request'),
        onOutgoingMessage: () => MessageDecision.block('out'),
      }),
    ]);
    const message = { text: 'x', attachments: [] };
    expect(await gate.userMessage(message, NOW)).toMatchObject({ type: 'block', reason: 'in' });
    expect(await gate.request(request(), NOW, asIs)).toMatchObject({
      type: 'block',
      reason: 'request',
    });
    expect(await gate.outgoing({ text: 'x', isFinal: true }, NOW)).toMatchObject({ reason: 'out' });
  });

  test('the first retry ends the chain of a response, even before a block', async () => {
    const { gate, decided } = bench([
      defineHooks({
        name: 'a',
        onLlmResponse: () => ResponseDecision.retryWithFeedback('shorter'),
      }),
      defineHooks({ name: 'b', onLlmResponse: () => ResponseDecision.block('no') }),
    ]);
    expect(
      await gate.response(response([]), { newCallId: () => 'new', moment: NOW }, asIs),
    ).toEqual({
      type: 'retry-with-feedback',
      feedback: [{ policy: 'a', feedback: 'shorter' }],
    });
    expect(decided()).toEqual(['a retry-with-feedback']);
  });
});

describe('precedence — the tool gate', () => {
  const all = {
    allow: ToolDecision.allow(),
    confirm: ToolDecision.requiresConfirmation('sure?'),
    retry: ToolDecision.retryWithFeedback('again'),
    block: ToolDecision.block('no'),
    abstain: ToolDecision.abstain(),
    nothing: undefined,
  };
  type Name = keyof typeof all;
  const verdictOf = async (...names: readonly Name[]) => {
    const { gate, decided } = bench(
      names.map((name, index) =>
        defineHooks({ name: `${name}-${index}`, preToolUse: () => all[name] }),
      ),
    );
    const verdict = await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    return {
      type: verdict.type === 'judged' ? verdict.verdict.type : verdict.type,
      asked: decided().length,
    };
  };

  test('everyone is asked, also after a block', async () => {
    expect(await verdictOf('block', 'allow', 'retry', 'confirm')).toEqual({
      type: 'block',
      asked: 4,
    });
  });

  test('block beats retry beats confirmation beats allow beats nothing', async () => {
    expect((await verdictOf('retry', 'block')).type).toBe('block');
    expect((await verdictOf('confirm', 'retry', 'allow')).type).toBe('retry-with-feedback');
    expect((await verdictOf('allow', 'confirm')).type).toBe('confirm');
    expect((await verdictOf('nothing', 'allow', 'abstain')).type).toBe('run');
  });

  test('nobody with an opinion leaves it to the tier', async () => {
    expect((await verdictOf('nothing', 'abstain')).type).toBe('no-opinion');
  });
});
