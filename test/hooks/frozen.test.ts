import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../src/decisions/request-decision.ts';
import { ToolDecision } from '../../src/decisions/tool-decision.ts';
import { defineHooks } from '../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, illegal, invocation, NOW, request } from './make-gate.ts';

/** Assigns, as a policy without types would. */
const write = (target: object, key: string): void => {
  Object.assign(target, { [key]: 'forged' });
};

describe('what a policy is given', () => {
  test('cannot be changed: an assignment throws in the policy, which has then failed', async () => {
    const { gate } = bench([
      defineHooks({ name: 'a', preToolUse: ({ effectiveInput }) => write(effectiveInput, 'id') }),
    ]);
    const call = invocation({ id: 1 });
    expect(await gate.toolUse(call, { check: acceptAll, moment: NOW }, asIs)).toMatchObject({
      type: 'failed',
      error: { kind: 'threw', cause: expect.any(TypeError) },
    });
    expect(call.effectiveInput).toEqual({ id: 1 });
  });

  test('is frozen all the way down, also when the caller did not freeze it', async () => {
    const given = structuredClone(request());
    const { gate } = bench([
      defineHooks({
        name: 'a',
        preLlmRequest: ({ messages }) => write(illegal(messages[1]?.content[0]), 'text'),
      }),
    ]);
    expect(await gate.request(given, NOW, asIs)).toMatchObject({
      type: 'failed',
      error: { kind: 'threw' },
    });
  });

  test('is frozen after a rewrite too', async () => {
    const frozen: boolean[] = [];
    const { gate } = bench([
      defineHooks({
        name: 'a',
        preToolUse: () => ToolDecision.modify({ deep: { list: [{ a: 1 }] } }),
        preLlmRequest: ({ messages }) =>
          RequestDecision.modify({ messages: [...messages, { role: 'system', content: 'note' }] }),
        onUserMessage: () => MessageDecision.modify('new'),
      }),
      defineHooks({
        name: 'b',
        preToolUse: (call) =>
          void frozen.push(
            Object.isFrozen(call),
            Object.isFrozen(illegal(call.effectiveInput['deep'])),
          ),
        preLlmRequest: (one) =>
          void frozen.push(
            Object.isFrozen(one),
            Object.isFrozen(one.messages),
            Object.isFrozen(one.messages.at(-1)),
          ),
        onUserMessage: (message) => void frozen.push(Object.isFrozen(message)),
      }),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    await gate.request(request(), NOW, asIs);
    await gate.userMessage({ text: 'x', attachments: [] }, NOW);
    expect(frozen).toEqual([true, true, true, true, true, true]);
  });

  test('the context cannot be forged, not even for the next policy', async () => {
    const seen: unknown[] = [];
    const { gate } = bench([
      defineHooks({
        name: 'a',
        onTurnStart(_turn, ctx) {
          Object.defineProperty(ctx, 'threadId', { value: 'forged' });
        },
      }),
      defineHooks({ name: 'b', onTurnStart: (_turn, ctx) => void seen.push(ctx.threadId) }),
      defineHooks({ name: 'c', onTurnStart: (_turn, ctx) => write(ctx, 'threadId') }),
    ]);
    const verdict = await gate.turnStart({ turnId: 't', isFirst: true }, NOW);
    expect(seen).toEqual(['thread-1']);
    expect(verdict).toMatchObject({ type: 'failed', error: { policy: 'c', kind: 'threw' } });
  });

  test('what all contexts share cannot be replaced either', async () => {
    const { gate } = bench([
      defineHooks({
        name: 'a',
        onTurnStart(_turn, ctx) {
          Object.defineProperty(Object.getPrototypeOf(ctx), 'threadId', { value: 'forged' });
        },
      }),
    ]);
    expect(await gate.turnStart({ turnId: 't', isFirst: true }, NOW)).toMatchObject({
      type: 'failed',
      error: { kind: 'threw' },
    });
  });

  test('the context shows the facts of the run and the moment', async () => {
    const seen: unknown[] = [];
    const { gate } = bench([
      defineHooks<{ tenant: string }>({
        name: 'a',
        onTurnStart: (_turn, ctx) =>
          void seen.push(
            ctx.turnId,
            ctx.step,
            ctx.attempt,
            ctx.purpose,
            ctx.model,
            ctx.channel,
            ctx.context.tenant,
          ),
      }),
    ]);
    await gate.turnStart({ turnId: 't', isFirst: true }, { step: 3, attempt: 2, purpose: 'judge' });
    expect(seen).toEqual(['turn-1', 3, 2, 'judge', 'test-model', 'chat', 'acme']);
  });
});
