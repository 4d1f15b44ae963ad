import { describe, expect, test, vi } from 'vitest';
import { MessageDecision } from '../../../src/decisions/message-decision.ts';
import { RequestDecision } from '../../../src/decisions/request-decision.ts';
import { ResponseDecision } from '../../../src/decisions/response-decision.ts';
import { ToolDecision } from '../../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../../src/decisions/tool-result-decision.ts';
import { TurnDecision } from '../../../src/decisions/turn-decision.ts';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import { compileHooks } from '../../../src/hooks/compile.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { defineHooks } from '../../../src/hooks/policy.ts';
import { shadow } from '../../../src/hooks/shadow.ts';
import { withTimeout } from '../../../src/hooks/with-timeout.ts';
import {
  acceptAll,
  asIs,
  bench,
  illegal,
  invocation,
  NOW,
  request,
  response,
  sleep,
} from '../make-gate.ts';

const text = { text: 'hi', isFinal: true };
const result = { outcome: 'succeeded', isError: false, output: 'raw' } as const;

/** Asks at every point, and says whether anything is other than without policies. */
const playsOf = async (hooks: readonly AgentHooks[]) => {
  const run = bench(hooks);
  const { gate } = run;
  const ids: string[] = [];
  const newCallId = (): string => {
    ids.push('new');
    return 'new';
  };
  const verdicts = [
    await gate.turnStart({ turnId: 't', isFirst: true }, NOW),
    await gate.userMessage({ text: 'hi', attachments: [] }, NOW),
    await gate.request(request(), NOW, asIs),
    await gate.response(response([{ type: 'text', text: 'hi' }]), { newCallId, moment: NOW }, asIs),
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    await gate.toolResult(invocation(), result, NOW),
    await gate.outgoing(text, NOW),
  ];
  gate.close();
  return { ...run, verdicts, ids };
};

const refuses: AgentHooks = {
  name: 'trial',
  onTurnStart: () => TurnDecision.block('no'),
  onUserMessage: () => MessageDecision.block('no'),
  preLlmRequest: () => RequestDecision.block('no'),
  onLlmResponse: () => ResponseDecision.retryWithFeedback('again'),
  preToolUse: () => ToolDecision.requiresConfirmation('sure?'),
  onOutgoingMessage: () => MessageDecision.block('no'),
};
const rewrites: AgentHooks = {
  name: 'trial',
  onUserMessage: () => MessageDecision.modify('other'),
  preLlmRequest: () =>
    RequestDecision.modify({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }],
    }),
  onLlmResponse: () =>
    ResponseDecision.modify({ text: 'other', toolCalls: [{ toolName: 'new', input: {} }] }),
  preToolUse: () => ToolDecision.modify({ id: 2 }),
  postToolUse: () => ToolResultDecision.modify({ output: 'other' }),
  onOutgoingMessage: () => MessageDecision.modify('other'),
};
const broken = (): never => {
  throw new TypeError('no');
};
const POINTS = [
  'onTurnStart',
  'onUserMessage',
  'preLlmRequest',
  'onLlmResponse',
  'preToolUse',
  'postToolUse',
  'onOutgoingMessage',
] as const;
const everywhere = (method: () => unknown): AgentHooks =>
  illegal({ name: 'trial', ...Object.fromEntries(POINTS.map((point) => [point, method])) });
const closed = (policy: AgentHooks): AgentHooks => ({
  ...policy,
  options: Object.fromEntries(POINTS.map((point) => [point, { failure: 'closed' }])),
});

const later = (policy: AgentHooks): AgentHooks =>
  illegal(
    Object.fromEntries(
      Object.entries(policy).map(([key, value]) => [
        key,
        typeof value === 'function'
          ? async (...args: readonly unknown[]) => {
              await sleep(1);
              return value(...args);
            }
          : value,
      ]),
    ),
  );

describe.each([
  ['at once', (policy: AgentHooks) => policy],
  ['later', later],
])('shadow — a policy that answers %s', (_pace, paced) => {
  test('enforces no refusal, and every one is recorded', async () => {
    const trial = await playsOf([shadow(paced(refuses))]);
    expect(trial.verdicts).toEqual((await playsOf([])).verdicts);
    expect(trial.recorded.map((body) => body.type === 'hook.decided' && body.decision)).toEqual([
      'block',
      'block',
      'block',
      'retry-with-feedback',
      'requires-confirmation',
      'block',
    ]);
    expect(trial.recorded.every((body) => 'shadow' in body && body.shadow)).toBe(true);
  });

  test('applies no rewrite, uses up no id, and every one is recorded', async () => {
    const trial = await playsOf([shadow(paced(rewrites))]);
    expect(trial.verdicts).toEqual((await playsOf([])).verdicts);
    expect(trial.ids).toEqual([]);
    expect(trial.recorded).toHaveLength(6);
    expect(trial.recorded).toMatchObject(
      trial.recorded.map(() => ({ type: 'hook.decided', decision: 'modify', shadow: true })),
    );
  });

  test('no failure of it ends anything, however it is set, and every one is recorded', async () => {
    for (const method of [broken, () => 'yes', () => ({ type: 'allow', extra: 1 })]) {
      const trial = await playsOf([shadow(paced(closed(everywhere(method))))]);
      expect(trial.verdicts).toEqual((await playsOf([])).verdicts);
      expect(trial.failures()).toHaveLength(POINTS.length);
      expect(trial.failures()).toMatchObject(
        POINTS.map((point) => ({ point, shadow: true, open: false })),
      );
    }
  });

  test('a rewrite that would not fit is told as the failure it would be', async () => {
    const bad = defineHooks({ name: 'trial', preToolUse: () => ToolDecision.modify({ id: 2 }) });
    const { gate, failures } = bench([shadow(paced(bad))]);
    const verdict = await gate.toolUse(
      invocation(),
      { check: () => ({ problem: 'id: too large' }), moment: NOW },
      asIs,
    );
    expect(verdict).toMatchObject({ type: 'judged', verdict: { type: 'no-opinion' } });
    expect(failures()).toMatchObject([{ kind: 'invalid-rewrite', shadow: true }]);
  });

  test('is asked in its place, and again about a rewrite that comes after it', async () => {
    const seen: unknown[] = [];
    const trial = paced(
      defineHooks({
        name: 'trial',
        preToolUse({ effectiveInput }, { recheck }) {
          seen.push([effectiveInput['id'], recheck]);
          return ToolDecision.modify({ id: 9 });
        },
      }),
    );
    const sets = (id: number) =>
      defineHooks({ name: `sets-${id}`, preToolUse: () => ToolDecision.modify({ id }) });
    const { gate, failures, decided } = bench([sets(5), shadow(trial)]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        invocation: { effectiveInput: { id: 5 } },
      },
    );
    expect(seen).toEqual([[5, false]]);
    expect(decided()).toEqual(['sets-5 modify', 'trial modify']);
    const again = bench([shadow(trial), sets(5)]);
    expect(
      await again.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({
      invocation: { effectiveInput: { id: 5 } },
    });
    expect(again.decided()).toEqual(['trial modify', 'sets-5 modify', 'trial modify again']);
    expect([failures(), again.failures()]).toEqual([[], []]);
  });

  test('is not asked where an enforced policy before it has ended the chain', async () => {
    const blocks = defineHooks({
      name: 'blocks',
      onOutgoingMessage: () => MessageDecision.block('no'),
    });
    const { gate, decided } = bench([blocks, shadow(paced(refuses))]);
    await gate.outgoing(text, NOW);
    expect(decided()).toEqual(['blocks block']);
  });

  test('keeps its memory, under the name it will be enforced by', async () => {
    const counts = defineHooks({
      name: 'counts',
      preToolUse(_invocation, { memory }) {
        memory.set('asked', Number(memory.get('asked') ?? 0) + 1);
      },
    });
    const trial = bench([shadow(paced(counts))]);
    await trial.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(trial.memory.get('counts')).toEqual({ asked: 1 });
  });
});

describe('shadow — time and streams', () => {
  test('forces no hold of a stream, unless something enforced beside it does', () => {
    const holds = (...hooks: readonly AgentHooks[]) => compileHooks(hooks, 'default').holdsStream;
    expect(holds(refuses)).toBe(true);
    expect(holds(shadow(refuses))).toBe(false);
    expect(holds(shadow(compose('g', refuses)))).toBe(false);
    expect(holds(shadow(refuses), defineHooks({ name: 'b', preToolUse: () => undefined }))).toBe(
      true,
    );
  });

  test('delays no longer than its limit, and what it says later is told as late', async () => {
    let answered = false;
    const slow = defineHooks({
      name: 'slow',
      async preToolUse() {
        await sleep(50);
        answered = true;
        return ToolDecision.block('no');
      },
    });
    const { gate, failures } = bench([withTimeout(shadow(slow), 10)]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      { type: 'judged' },
    );
    expect(answered).toBe(false);
    await vi.waitFor(() => expect(failures()).toHaveLength(2));
    expect(failures()).toMatchObject([
      { kind: 'timed-out', shadow: true },
      { late: true, shadow: true },
    ]);
  });

  test('a cancel cuts it off like any other', async () => {
    const hangs = defineHooks({
      name: 'hangs',
      preToolUse: () => new Promise<undefined>(() => undefined),
    });
    const { gate, cancel } = bench([shadow(hangs)]);
    const judging = gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    cancel.cancel();
    expect(await judging).toEqual({ type: 'cancelled' });
  });

  test('a result is recorded as it is when a cancel cuts its trial off', async () => {
    const hangs = defineHooks({
      name: 'hangs',
      options: { postToolUse: { failure: 'closed' } },
      postToolUse: () => new Promise<undefined>(() => undefined),
    });
    const { gate, cancel } = bench([shadow(hangs)]);
    const looking = gate.toolResult(invocation(), result, NOW);
    cancel.cancel();
    expect(await looking).toEqual(result);
  });

  test('watching events stays what it is', () => {
    const heard: string[] = [];
    const { gate } = bench([shadow({ name: 'a', onEvent: ({ type }) => heard.push(type) })]);
    gate.observe({ type: 'step.started', threadId: 't', turnId: 'u', step: 1, at: 0, seq: 1 });
    expect(heard).toEqual(['step.started']);
  });
});
