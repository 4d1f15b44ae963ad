import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { TurnDecision } from '../../src/decisions/turn-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW } from './make-gate.ts';

describe('the record of decisions', () => {
  test('has every explicit decision, and no silence', async () => {
    const { gate, decided } = bench([
      defineHooks({
        name: 'a',
        onTurnStart: () => TurnDecision.proceed(),
        preToolUse: () => ToolDecision.abstain(),
      }),
      defineHooks({
        name: 'b',
        onTurnStart: () => undefined,
        preToolUse: () => ToolDecision.allow(),
      }),
    ]);
    await gate.turnStart({ turnId: 't', isFirst: true }, NOW);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(decided()).toEqual(['a proceed', 'a abstain', 'b allow']);
  });

  test('says who, what, why and how long', async () => {
    const { gate, recorded } = bench([
      defineHooks({ name: 'a', version: '2', preToolUse: () => ToolDecision.block('too much') }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect({ ...recorded[0] }).toEqual({
      type: 'hook.decided',
      policy: 'a',
      version: '2',
      point: 'preToolUse',
      decision: 'block',
      reason: 'too much',
      callId: '1.1.0',
      toolName: 'refund',
      durationMs: expect.any(Number),
      digest: 'hmac-preToolUse-1',
    });
  });

  test('has the prompt of a confirmation, and never feedback or a rewrite', async () => {
    const { gate, recorded } = bench([
      defineHooks({ name: 'a', preToolUse: () => ToolDecision.requiresConfirmation('sure?') }),
      defineHooks({ name: 'b', preToolUse: () => ToolDecision.retryWithFeedback('my feedback') }),
      defineHooks({ name: 'c', onUserMessage: () => MessageDecision.modify('my rewrite') }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    await gate.userMessage({ text: 'x', attachments: [] }, NOW);
    expect(recorded[0]).toMatchObject({ reason: 'sure?' });
    expect(JSON.stringify(recorded)).not.toMatch(/my feedback|my rewrite/);
  });

  test('makes a digest once for each decision, of what that policy judged', async () => {
    const { gate, recorded, digested } = bench([
      defineHooks({ name: 'a', preToolUse: () => ToolDecision.modify({ id: 2 }) }),
      defineHooks({ name: 'b', preToolUse: () => ToolDecision.allow() }),
    ]);
    await gate.toolUse(invocation({ id: 1 }), { check: acceptAll, moment: NOW }, asIs);
    expect(recorded).toMatchObject([
      { policy: 'a', digest: 'hmac-preToolUse-1' },
      { policy: 'b', digest: 'hmac-preToolUse-2' },
    ]);
    expect(digested).toMatchObject([{ effectiveInput: { id: 1 } }, { effectiveInput: { id: 2 } }]);
  });

  test('copies and JSON have the digest', async () => {
    const { gate, recorded } = bench([
      defineHooks({ name: 'a', onTurnStart: () => TurnDecision.proceed() }),
    ]);
    await gate.turnStart({ turnId: 't', isFirst: true }, NOW);
    expect(JSON.parse(JSON.stringify(recorded[0]))).toEqual({ ...recorded[0] });
    expect(JSON.parse(JSON.stringify(recorded[0]))).toHaveProperty('digest', 'hmac-onTurnStart-1');
  });
});
