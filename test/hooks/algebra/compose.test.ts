import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MessageDecision } from '../../../src/decisions/message-decision.ts';
import { ToolDecision } from '../../../src/decisions/tool-decision.ts';
import { ToolResultDecision } from '../../../src/decisions/tool-result-decision.ts';
import type { AgentHooks } from '../../../src/hooks/agent-hooks.ts';
import { compose } from '../../../src/hooks/compose.ts';
import { defineHooks, Policy } from '../../../src/hooks/policy.ts';
import { acceptAll, asIs, bench, invocation, NOW, response, sleep } from '../make-gate.ts';

const outgoing = { text: '>', isFinal: true };
const append = (name: string, order?: 'first' | 'last') =>
  defineHooks({
    name,
    ...(order !== undefined && { order }),
    onOutgoingMessage: ({ text }, { recheck }) =>
      recheck ? undefined : MessageDecision.modify(text + name),
    postToolUse: (_invocation, { output }) =>
      ToolResultDecision.modify({ output: `${output}${name}` }),
  });

/** Who was asked at each point, and what came of it. */
const playsOf = async (hooks: readonly AgentHooks[]) => {
  const { gate, decided } = bench(hooks);
  const result = { outcome: 'succeeded', isError: false, output: '>' } as const;
  return [
    await gate.outgoing(outgoing, NOW),
    await gate.toolResult(invocation(), result, NOW),
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    decided(),
  ];
};

describe('compose — a group is its members in their place', () => {
  test('U-Y1: each member builds on what the one before it left', async () => {
    const { gate, decided } = bench([compose(append('a'), compose(append('b'), append('c')))]);
    expect(await gate.outgoing(outgoing, NOW)).toMatchObject({ value: { text: '>abc' } });
    expect(decided()).toEqual(['a modify', 'b modify', 'c modify']);
  });

  test('U-Y3: results go last to first, within the group and around it', async () => {
    const { gate } = bench([append('a'), compose(append('b'), append('c')), append('d')]);
    const result = { outcome: 'succeeded', isError: false, output: '>' } as const;
    expect(await gate.toolResult(invocation(), result, NOW)).toMatchObject({ output: '>dcba' });
  });

  test('U-Y4: a member that returns nothing keeps the value for the next', async () => {
    const silent = defineHooks({ name: 'silent', onOutgoingMessage: () => undefined });
    const { gate } = bench([compose(append('a'), silent, append('b'))]);
    expect(await gate.outgoing(outgoing, NOW)).toMatchObject({ value: { text: '>ab' } });
  });

  test('U-Y5: a Block of a member ends the chain, also for what comes after the group', async () => {
    const asked: string[] = [];
    const hears = (name: string) =>
      defineHooks({ name, onOutgoingMessage: () => void asked.push(name) });
    const blocks = defineHooks({ name: 'b', onOutgoingMessage: () => MessageDecision.block('no') });
    const { gate } = bench([compose(hears('a'), blocks, hears('c')), hears('d')]);
    expect(await gate.outgoing(outgoing, NOW)).toMatchObject({ type: 'block', policy: 'b' });
    expect(asked).toEqual(['a']);
  });

  test('U-Y8: a shared group comes before what is added to it, and does not change with it', async () => {
    const list = [append('a'), append('b')];
    const shared = compose(...list);
    list.push(append('x'));
    const { gate } = bench([compose(shared, append('c'))]);
    expect(await gate.outgoing(outgoing, NOW)).toMatchObject({ value: { text: '>abc' } });
  });

  test('a member that is to be first or last of the agent is so in a group too', async () => {
    const { gate } = bench([
      append('b'),
      compose(append('d', 'last'), append('a', 'first')),
      append('c'),
    ]);
    expect(await gate.outgoing(outgoing, NOW)).toMatchObject({ value: { text: '>abcd' } });
  });

  test('however policies are grouped, what happens is what happens without groups', async () => {
    const verdicts = [
      undefined,
      ToolDecision.allow(),
      ToolDecision.block('no'),
      ToolDecision.retryWithFeedback('again'),
      ToolDecision.requiresConfirmation('sure?'),
      ToolDecision.modify({ id: 2 }),
    ];
    const policies = fc
      .array(
        fc.record({
          verdict: fc.constantFrom(...verdicts),
          order: fc.constantFrom(undefined, 'first' as const, 'last' as const),
          speaks: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      )
      .map((all) =>
        all.map(({ verdict, order, speaks }, index) => ({
          ...(speaks && append(`p${index}`)),
          name: `p${index}`,
          ...(order !== undefined && { order }),
          preToolUse: () => verdict,
        })),
      );
    await fc.assert(
      fc.asyncProperty(policies, fc.array(fc.nat(5), { maxLength: 6 }), async (list, cuts) => {
        const grouped = cuts.reduce<readonly AgentHooks[]>((hooks, cut) => {
          const at = cut % hooks.length;
          return [
            ...hooks.slice(0, at),
            compose(...hooks.slice(at, at + 2)),
            ...hooks.slice(at + 2),
          ];
        }, list);
        expect(await playsOf(grouped)).toEqual(await playsOf(list));
      }),
    );
  });
});

describe('compose — what every member keeps', () => {
  test('a rewrite in the group is judged again by the members before it', async () => {
    const guard = defineHooks({
      name: 'guard',
      preToolUse: ({ effectiveInput }) =>
        effectiveInput['id'] === 2 ? ToolDecision.block('not 2') : ToolDecision.allow(),
    });
    const rewrites = defineHooks({
      name: 'rewrites',
      preToolUse: () => ToolDecision.modify({ id: 2 }),
    });
    const { gate, decided } = bench([compose(guard, rewrites)]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'block', policy: 'guard' },
      },
    );
    expect(decided()).toEqual(['guard allow', 'rewrites modify', 'guard block again']);
  });

  test('M-X23: a guard behind a rewriter of the group sees what was put in', async () => {
    const rewriter = defineHooks({
      name: 'rewriter',
      onOutgoingMessage: ({ text }) =>
        MessageDecision.modify(`${text.replace(' badword', '')} badword`),
    });
    const guard = defineHooks({
      name: 'guard',
      onOutgoingMessage: ({ text }) =>
        text.includes('badword') ? MessageDecision.block('a bad word') : undefined,
    });
    const { gate } = bench([compose('words', rewriter, guard)]);
    expect(await gate.outgoing(outgoing, NOW)).toMatchObject({
      type: 'block',
      policy: 'words/guard',
    });
  });

  test('its own failure setting: a closed member ends the chain, an open one does not', async () => {
    const fails = (name: string, failure: 'closed' | 'open') =>
      defineHooks({
        name,
        options: { preToolUse: { failure } },
        preToolUse: () => {
          throw new Error('broken');
        },
      });
    const open = bench([compose(fails('a', 'open'), append('b'))]);
    expect(
      await open.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({
      type: 'judged',
    });
    const closed = bench([compose(fails('a', 'open'), fails('b', 'closed'))]);
    expect(
      await closed.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({
      type: 'failed',
      error: { policy: 'b' },
    });
  });

  test('its own time limit', async () => {
    const slow = (name: string, timeoutMs: number) =>
      defineHooks({
        name,
        options: { preToolUse: { timeoutMs, failure: 'open' } },
        async preToolUse() {
          await sleep(40);
          return ToolDecision.allow();
        },
      });
    const { gate, decided, failures } = bench([compose(slow('a', 5), slow('b', 5000))]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(decided()).toEqual(['b allow']);
    expect(failures().map(({ policy, late }) => [policy, late])).toEqual([
      ['a', undefined],
      ['a', true],
    ]);
    gate.close();
  });

  test('its own memory, under the name of its group', async () => {
    const counts = (name: string) =>
      defineHooks({
        name,
        preToolUse(_invocation, { memory }) {
          memory.set('asked', Number(memory.get('asked') ?? 0) + 1);
        },
      });
    const { gate, memory } = bench([
      compose('desk', counts('a'), compose('inner', counts('b'))),
      compose(counts('c')),
    ]);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs);
    expect(Object.fromEntries(memory)).toEqual({
      'desk/a': { asked: 2 },
      'desk/inner/b': { asked: 2 },
      c: { asked: 2 },
    });
  });

  test('its own version and the rule that a place is no name', async () => {
    const asks = { preToolUse: () => ToolDecision.requiresConfirmation('sure?') };
    const { gate } = bench([compose('g', defineHooks({ ...asks, name: 'a', version: '7' }))]);
    expect(await gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs)).toMatchObject(
      {
        verdict: { type: 'confirm', requirements: [{ policy: 'g/a', version: '7' }] },
      },
    );
    const unnamed = bench([compose('g', defineHooks(asks))]);
    expect(
      await unnamed.gate.toolUse(invocation(), { check: acceptAll, moment: NOW }, asIs),
    ).toMatchObject({
      type: 'failed',
      error: { kind: 'illegal', policy: 'g/policy-1' },
    });
  });

  test('U-AB8: methods keep their this', async () => {
    class Counts extends Policy {
      asked = 0;
      override onLlmResponse(): undefined {
        this.asked += 1;
      }
    }
    const counts = new Counts();
    const { gate } = bench([compose('g', compose(counts))]);
    await gate.response(response([]), { newCallId: () => 'new', moment: NOW }, asIs);
    expect(counts.asked).toBe(1);
  });

  test('U-AB2: what each member wants to hear', () => {
    const heard: string[] = [];
    const listens = (name: string, events?: readonly ('tool.*' | 'step.started')[]) =>
      defineHooks({
        name,
        ...(events !== undefined && { events }),
        onEvent: ({ type }) => heard.push(`${name} ${type}`),
      });
    const { gate } = bench([compose('g', listens('all'), listens('tools', ['tool.*']))]);
    const stamp = { threadId: 't', turnId: 'u', step: 1, at: 0, seq: 1 };
    gate.observe({ ...stamp, type: 'step.started' });
    gate.observe({ ...stamp, type: 'tool.started', callId: '1', toolName: 'x', source: 'model' });
    expect(heard).toEqual(['all step.started', 'all tool.started', 'tools tool.started']);
  });
});
