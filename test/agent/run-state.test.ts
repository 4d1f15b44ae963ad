import {
  type AgentHooks,
  defineHooks,
  MessageDecision,
  RequestDecision,
  scriptedModel,
  TurnDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { answersTo } from '../acceptance/approve.ts';
import { counted, illegal } from '../acceptance/play.ts';
import { calling, changes, type State, stateDesk, stateTool } from '../loop/state-desk.ts';

const DEFAULTS = { visits: 0, customer: null };

describe('run({ state })', () => {
  test('sets first values, and new ones later; what is left out stays', async () => {
    const { agent, heard } = stateDesk({ script: ['one', 'two', 'three', 'four'] });
    const run = (state?: object) =>
      agent.run({ threadId: 't', message: 'go', ...(state !== undefined && { state }) });
    expect((await run({ day: 'monday', visits: 2 })).state).toEqual({
      ...DEFAULTS,
      day: 'monday',
      visits: 2,
    });
    expect((await run({ visits: 3 })).state).toMatchObject({ day: 'monday', visits: 3 });
    expect((await run({ day: undefined })).state).toMatchObject({ day: 'monday', visits: 3 });
    expect((await run()).state).toMatchObject({ day: 'monday', visits: 3 });
    expect(changes(heard)).toEqual([['day', 'visits'], ['visits']]);
  });

  test('is in effect for the first policy that is asked, and told of after the start of the turn', async () => {
    const seen: unknown[] = [];
    const reads = defineHooks<unknown, State>({
      name: 'r',
      onTurnStart: (_turn, ctx) => void seen.push(ctx.state.day),
    });
    const { agent, heard } = stateDesk({ script: ['hi'], hooks: [reads] });
    await agent.run({ message: 'go', state: { day: 'monday' } });
    expect(seen).toEqual(['monday']);
    expect(heard.slice(0, 2).map(({ type }) => type)).toEqual(['turn.started', 'state.changed']);
  });

  test.each([
    ['onTurnStart', { onTurnStart: () => TurnDecision.block('no') }],
    ['onUserMessage', { onUserMessage: () => MessageDecision.block('no') }],
    ['preLlmRequest', { preLlmRequest: () => RequestDecision.block('no') }],
    [
      'a failing policy',
      {
        onTurnStart: () => {
          throw new Error('no');
        },
      },
    ],
  ] as const)('holds also when the turn is ended by %s', async (_what, hook) => {
    const hooks: AgentHooks<unknown, State>[] = [{ name: 'no', ...hook }];
    const { agent, store } = stateDesk({ script: [], hooks });
    const result = await agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
    expect(result.state).toEqual({ ...DEFAULTS, day: 'monday' });
    expect(await store.readMessages('t')).toEqual([]);
    expect((await store.load('t'))?.state['values']).toEqual({ day: 'monday' });
  });

  test.each([
    [
      'a value the schema refuses',
      { visits: 'three' },
      'agent.run: state.visits: its schema refuses the value (invalid_type: number)',
    ],
    ['null where it is not named', { day: null }, 'agent.run: state.day'],
    ['a field it does not have', { dya: 'monday' }, "Did you mean 'day'?"],
    [
      '__proto__',
      JSON.parse('{"__proto__":{"isAdmin":true}}'),
      'has a field that `stateSchema` has not',
    ],
    ['constructor', { constructor: 'x' }, 'has a field that `stateSchema` has not'],
    ['a list', [], 'no object of plain JSON'],
    ['a date', { day: new Date(0) }, 'no object of plain JSON'],
    ['no object', 'monday', 'no object of plain JSON'],
    ['null', null, 'no object of plain JSON'],
    ['a map', new Map(), 'no object of plain JSON'],
  ])('throws for %s before anything runs', async (_what, state, message) => {
    const { agent, store, model, heard } = stateDesk({ script: ['hi'] });
    const refused = {
      name: 'ConfigError',
      code: 'invalid-input',
      message: expect.stringContaining(message),
    };
    await expect(
      agent.run({ threadId: 't', message: 'go', state: illegal(state) }),
    ).rejects.toMatchObject(refused);
    expect([await store.load('t'), model.requests, heard]).toEqual([undefined, [], []]);
  });

  test('of several values sets all or none', async () => {
    const { agent, store } = stateDesk({ script: ['hi', 'hi'] });
    await agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
    const wrong = { day: 'tuesday', visits: illegal('x') };
    await expect(agent.run({ threadId: 't', message: 'go', state: wrong })).rejects.toThrow(
      'visits',
    );
    expect((await store.load('t'))?.state['values']).toEqual({ day: 'monday' });
  });

  test('works in stream and runStep alike, and a step without a message takes none', async () => {
    const put = stateTool('put', ({ state }) => state.get('day') ?? 'none');
    const { agent } = stateDesk({ script: ['hi', calling('put'), 'done'], tools: [put] });
    const streamed = await agent.stream({ threadId: 's', message: 'go', state: { day: 'monday' } })
      .result;
    expect(streamed.state).toMatchObject({ day: 'monday' });
    const step = await agent.runStep({ threadId: 'x', message: 'go', state: { day: 'friday' } });
    expect(step).toMatchObject({ status: 'continues', state: { day: 'friday' } });
    await expect(agent.runStep({ threadId: 'x', state: { day: 'sunday' } })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    expect(await agent.runStep({ threadId: 'x' })).toMatchObject({
      status: 'completed',
      state: { day: 'friday' },
    });
    await expect(agent.resume(illegal({ threadId: 'x', state: {} }))).rejects.toMatchObject({
      code: 'unknown-option',
    });
  });

  test('is refused by an agent without a schema', async () => {
    const { agent } = stateDesk({ script: ['hi'], more: { stateSchema: illegal(undefined) } });
    await expect(agent.run({ message: 'go', state: {} })).rejects.toThrow('no `stateSchema`');
  });

  test('sets nothing while an approval is open; with supersede it does', async () => {
    const pay = counted('pay', { tier: 'confirm' });
    const model = scriptedModel([{ toolCalls: [{ name: 'pay' }] }, 'hi']);
    const { agent, store } = stateDesk({ script: [], more: { model, tools: [pay.tool] } });
    const paused = await agent.run({ threadId: 't', message: 'go', state: { day: 'monday' } });
    expect(answersTo(paused, true)).toHaveLength(1);
    const next = { threadId: 't', message: 'more', state: { day: 'tuesday' } };
    await expect(agent.run(next)).rejects.toMatchObject({ code: 'pending-approval' });
    expect((await store.load('t'))?.state['values']).toEqual({ day: 'monday' });
    expect((await agent.run({ ...next, supersede: true })).state).toMatchObject({ day: 'tuesday' });
  });
});
