import { describe, expect, test } from 'vitest';
import {
  type AgentHooks,
  defineHooks,
  MessageDecision,
  RequestDecision,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { counted, expectStatus, MODES, play } from './play.ts';
import { expectSound, placesOf, resultsIn } from './traces.ts';

const says = (name: string, decision: ToolDecision) =>
  defineHooks({ name, preToolUse: () => decision });
const block = says('blocks', ToolDecision.block('never'));
const retry = says('retries', ToolDecision.retryWithFeedback('plugh'));
const ask = says('asks', ToolDecision.requiresConfirmation('May it?'));
const allow = says('allows', ToolDecision.allow());

/** Says something else of each call of a batch. */
const perCall = (name: string, ...decisions: readonly (ToolDecision | 'fail')[]) =>
  defineHooks({
    name,
    preToolUse({ batch }) {
      const decision = decisions[batch.index];
      if (decision === 'fail') throw new Error('broken');
      return decision;
    },
  });

const one = [{ toolCalls: [{ name: 'charge', input: { id: 'a' } }] }, 'done'];
const two = [{ toolCalls: [{ name: 'charge' }, { name: 'charge' }] }, 'done'];

/** Both orders of the same policies: who is asked first must not matter. */
const orders = (...hooks: readonly AgentHooks[]) => [hooks, hooks.toReversed()];

describe.each(MODES)('%s', (mode) => {
  const scene = (script: Parameters<typeof scriptedModel>[0], hooks: readonly AgentHooks[]) => {
    const charge = counted('charge');
    const model = scriptedModel(script);
    return { charge, model, played: play(mode, { model, tools: [charge.tool], hooks }) };
  };

  test('P13: of several policies on one call a Block wins, whoever is asked first', async () => {
    for (const other of [retry, ask, allow]) {
      for (const hooks of orders(block, other)) {
        const { charge, played } = scene(one, hooks);
        const { result, store, heard } = await played;
        expectStatus(result, 'completed');
        expect(charge.inputs).toEqual([]);
        expect(resultsIn(await store.readMessages('t'))['1.1.0']?.outcome).toBe('blocked');
        expect(heard.map(({ type }) => type)).not.toContain('llm.rejected');
      }
    }
  });

  test('H09: of several policies on one call a retry wins over a question and an Allow, and nobody is asked', async () => {
    for (const other of [ask, allow]) {
      for (const hooks of orders(retry, other)) {
        const { charge, model, played } = scene(one, hooks);
        const { result, heard } = await played;
        expectStatus(result, 'completed');
        expect(charge.inputs).toEqual([]);
        expect(JSON.stringify(model.requests[1])).toContain('plugh');
        expect(heard.map(({ type }) => type)).not.toContain('approval.requested');
      }
    }
  });

  test('P06: of several policies on one call a question wins over an Allow', async () => {
    for (const hooks of orders(ask, allow)) {
      const { charge, played } = scene(one, hooks);
      const { approvals } = expectStatus((await played).result, 'awaiting-approval');
      expect(approvals[0]?.requirements.map(({ policy }) => policy)).toEqual(['asks']);
      expect(charge.inputs).toEqual([]);
    }
  });

  test('P13: over a batch a failure stops it, also when another call was to be retried or asked about', async () => {
    const retried = ToolDecision.retryWithFeedback('plugh');
    const asked = ToolDecision.requiresConfirmation('May it?');
    for (const other of [retried, asked]) {
      const { charge, model, played } = scene(two, [perCall('mixed', other, 'fail')]);
      const result = expectStatus((await played).result, 'failed');
      expect(result.error).toMatchObject({ code: 'hook-failed', policy: 'mixed' });
      expect(charge.inputs).toEqual([]);
      expect(model.calls).toBe(1);
      await expectSound(await played);
    }
  });

  test('H09: over a batch a retry drops the answer, also when another call was blocked or asked about', async () => {
    const retried = ToolDecision.retryWithFeedback('plugh');
    const asked = ToolDecision.requiresConfirmation('May it?');
    for (const other of [ToolDecision.block('never'), asked, ToolDecision.allow()]) {
      for (const decisions of [
        [other, retried],
        [retried, other],
      ]) {
        const { charge, model, played } = scene(two, [perCall('mixed', ...decisions)]);
        const { result, heard, store } = await played;
        expectStatus(result, 'completed');
        expect(charge.inputs).toEqual([]);
        expect(JSON.stringify(model.requests[1])).toContain('plugh');
        expect(resultsIn(await store.readMessages('t'))).toEqual({});
        expect(heard.map(({ type }) => type)).not.toContain('approval.requested');
      }
    }
  });

  test('H09: the feedback of several policies is joined in their order, each named and cut at 500 characters', async () => {
    const long = says('first', ToolDecision.retryWithFeedback('a'.repeat(600)));
    const short = says('second', ToolDecision.retryWithFeedback('plugh'));
    const { model, played } = scene(one, [long, short]);
    expectStatus((await played).result, 'completed');
    const note = JSON.stringify(model.requests[1]?.messages.at(-1));
    expect(note).toContain(
      JSON.stringify(`[first] ${'a'.repeat(500)}\n[second] plugh`).slice(1, -1),
    );
    expect(await placesOf('plugh', await played)).toEqual([]);
  });

  test('P13: a call that a later policy rewrote is shown again to those asked before it, who can still block', async () => {
    const cap = defineHooks({
      name: 'cap',
      preToolUse: ({ effectiveInput }) =>
        effectiveInput['id'] === 'all' ? ToolDecision.block('not all of it') : undefined,
    });
    const raise = defineHooks({
      name: 'raise',
      preToolUse: () => ToolDecision.modify({ id: 'all' }),
    });
    const { charge, played } = scene(one, [cap, raise]);
    expectStatus((await played).result, 'completed');
    expect(charge.inputs).toEqual([]);
    const answered = resultsIn(await (await played).store.readMessages('t'));
    expect(answered['1.1.0']).toEqual({ outcome: 'blocked', output: 'Blocked: not all of it' });
    const without = scene(one, [raise]);
    await without.played;
    expect(without.charge.inputs).toEqual([{ id: 'all' }]);
  });

  test('P13: two policies that keep rewriting each other are a hook failure, and nothing runs', async () => {
    const to = (name: string, id: string) =>
      defineHooks({ name, preToolUse: () => ToolDecision.modify({ id }) });
    const { charge, played } = scene(one, [to('left', 'l'), to('right', 'r')]);
    const { error } = expectStatus((await played).result, 'failed');
    expect(error).toMatchObject({ policy: 'left', kind: 'changed-on-recheck' });
    expect(charge.inputs).toEqual([]);
  });

  test('H01, B02, B05: a Block counts whatever a policy after it says', async () => {
    const guards: readonly (readonly [string, AgentHooks])[] = [
      [
        'onUserMessage',
        defineHooks({ name: 'no', onUserMessage: () => MessageDecision.block('x') }),
      ],
      [
        'preLlmRequest',
        defineHooks({ name: 'no', preLlmRequest: () => RequestDecision.block('x') }),
      ],
      [
        'onLlmResponse',
        defineHooks({ name: 'no', onLlmResponse: () => ResponseDecision.block('x') }),
      ],
      [
        'onOutgoingMessage',
        defineHooks({ name: 'no', onOutgoingMessage: () => MessageDecision.block('x') }),
      ],
    ];
    const yes = defineHooks({
      name: 'yes',
      onUserMessage: () => MessageDecision.proceed(),
      preLlmRequest: () => RequestDecision.proceed(),
      onLlmResponse: () => ResponseDecision.accept(),
      onOutgoingMessage: () => MessageDecision.proceed(),
    });
    for (const [point, no] of guards) {
      for (const hooks of orders(no, yes)) {
        const { played } = scene(['hi'], hooks);
        expect(expectStatus((await played).result, 'blocked')).toMatchObject({ by: 'no', point });
      }
    }
  });

  test('H11: a retry counts whatever a policy after it says', async () => {
    const no = defineHooks({
      name: 'no',
      onLlmResponse: ({ text }) =>
        text === 'bad' ? ResponseDecision.retryWithFeedback('x') : undefined,
    });
    const yes = defineHooks({ name: 'yes', onLlmResponse: () => ResponseDecision.accept() });
    for (const hooks of orders(no, yes)) {
      const { played } = scene(['bad', 'good'], hooks);
      expect(expectStatus((await played).result, 'completed').text).toBe('good');
    }
  });
});
