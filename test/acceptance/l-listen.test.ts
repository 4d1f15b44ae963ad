import { describe, expect, test } from 'vitest';
import {
  type Agent,
  defineHooks,
  OperationError,
  type RunResult,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { Bank, callTransfer, updates } from './bank.ts';
import { agentFor, counted, expectStatus, MODES, type Played, play, stores } from './play.ts';
import { resultsIn } from './traces.ts';

const script = () => scriptedModel([{ toolCalls: [callTransfer()] }, 'done'], { strict: true });
const progress = ({ type = 'progress', revision = 1, operationId = 'o' } = {}) => ({
  type,
  operationId,
  revision,
});
const ready = { ...progress({ type: 'ready', revision: 2 }), snapshot: { euros: 5 } };

function answer(agent: Agent, paused: RunResult, given: { approved: boolean; input?: never }) {
  const { approvals } = expectStatus(paused, 'awaiting-approval');
  const answers = approvals.map(({ approvalId }) => ({ approvalId, by: 'boss', ...given }));
  return agent.resume({ threadId: 't', answers });
}

const results = async ({ store }: Played) => resultsIn(await store.readMessages('t'));

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('L01: what was prepared is shown, approved and carried out, and nothing is cancelled', async () => {
      const bank = new Bank();
      const scene = { model: script(), tools: [bank.tool()], store: open() };
      const played = await play(mode, scene);
      const { approvals } = expectStatus(played.result, 'awaiting-approval');
      const prepared = { operationId: '1.1.0', revision: 2, snapshot: { euros: 5 } };
      expect(approvals).toMatchObject([{ prepared }]);
      expect(bank.log).toEqual([]);
      const again = agentFor(mode, { ...scene, model: scriptedModel(['done']) });
      expectStatus(await answer(again, played.result, { approved: true }), 'completed');
      expect(await results(played)).toMatchObject({ '1.1.0': { output: 'sent 5' } });
      expect([bank.log, bank.cancelled]).toEqual([['send 5'], []]);
    });

    test('L02: a person says no, and the operation is cancelled once', async () => {
      const bank = new Bank();
      const played = await play(mode, { model: script(), tools: [bank.tool()], store: open() });
      expectStatus(await answer(played.agent, played.result, { approved: false }), 'completed');
      expect([bank.log, bank.cancelled]).toEqual([
        [],
        [{ operationId: '1.1.0', reason: 'refused' }],
      ]);
    });
  });

  test.each([
    [
      'L03: expires while it is prepared',
      [progress(), { type: 'expired', operationId: 'o' }],
      [/expired/, 'expired'] as const,
    ],
    [
      'L04: the updates end before it is ready',
      [progress()],
      [/ended before operation became ready/, 'failed'] as const,
    ],
    [
      'L05: more updates than may come',
      Array.from({ length: 241 }, () => progress()),
      [/exceeded max updates/, 'failed'] as const,
    ],
    [
      'L06: the updates break off',
      [progress(), new Error('gone')],
      [/failed before completing/, 'failed'] as const,
    ],
    [
      'a revision goes back',
      [progress({ revision: 3 }), ready],
      [/cannot be read/, 'failed'] as const,
    ],
    [
      'another operation',
      [progress({ operationId: 'p' }), ready],
      [/cannot be read/, 'failed'] as const,
    ],
    [
      'no revision',
      [progress(), { ...ready, revision: undefined }],
      [/cannot be read/, 'failed'] as const,
    ],
    [
      'an unknown kind',
      [progress(), { ...ready, type: 'done' }],
      [/cannot be read/, 'failed'] as const,
    ],
    ['no JSON', [progress(), null], [/cannot be read/, 'failed'] as const],
    [
      'ready when its time is over',
      [progress(), { ...ready, expiresAt: 1 }],
      [/expired/, 'expired'] as const,
    ],
  ])(
    '%s: only that call fails, and its operation is cancelled',
    async (_name, given, [says, reason]) => {
      const bank = new Bank();
      const look = counted('look', { sideEffects: 'none' });
      const model = scriptedModel([{ toolCalls: [callTransfer(), { name: 'look' }] }, 'done']);
      const tools = [bank.tool({ tier: 'auto', listen: () => updates(...given) }), look.tool];
      const played = await play(mode, { model, tools });
      expectStatus(played.result, 'completed');
      const { '1.1.0': failed, '1.1.1': looked } = await results(played);
      expect(failed).toMatchObject({
        outcome: 'failed',
        output: { error: expect.stringMatching(says) },
      });
      expect(looked).toMatchObject({ outcome: 'succeeded' });
      const id = given.find((each) => 'operationId' in (each ?? {})) as { operationId: string };
      expect(bank.cancelled).toEqual([{ operationId: id.operationId, reason }]);
      expect(bank.log).toEqual([]);
    },
  );

  test('L07: a revision that is not what the bank has by now is not carried out', async () => {
    const bank = new Bank();
    const change = defineHooks({
      name: 'change',
      preToolUse: ({ prepared }) => bank.revise(prepared?.operationId ?? '', 99) as undefined,
    });
    const scene = { model: script(), tools: [bank.tool({ tier: 'auto' })], hooks: [change] };
    const played = await play(mode, scene);
    expectStatus(played.result, 'completed');
    expect(bank.log).toEqual([]);
    expect(await results(played)).toMatchObject({ '1.1.0': { outcome: 'failed' } });
  });

  test('L08: beside a plain call, both run when the person has answered', async () => {
    const bank = new Bank();
    const look = counted('look');
    const model = scriptedModel([{ toolCalls: [callTransfer(), { name: 'look' }] }, 'done']);
    const played = await play(mode, { model, tools: [bank.tool(), look.tool] });
    expect(look.inputs).toEqual([]);
    expectStatus(await answer(played.agent, played.result, { approved: true }), 'completed');
    const ends = played.heard.filter(({ type }) => type === 'tool.succeeded');
    expect(ends).toMatchObject([{ callId: '1.1.0' }, { callId: '1.1.1' }]);
    expect([bank.log, look.inputs.length, bank.cancelled]).toEqual([['send 5'], 1, []]);
  });

  test('policies judge what was prepared, and updates are heard', async () => {
    const bank = new Bank();
    const seen: ToolInvocation['prepared'][] = [];
    const cap = defineHooks({
      name: 'cap',
      preToolUse: ({ prepared }) => {
        seen.push(prepared);
        return ToolDecision.block('too much');
      },
    });
    const scene = { model: script(), tools: [bank.tool({ tier: 'auto' })], hooks: [cap] };
    const played = await play(mode, scene);
    expect(seen).toEqual([{ operationId: '1.1.0', revision: 2, snapshot: { euros: 5 } }]);
    expect(played.heard.filter(({ type }) => type === 'tool.progress')).toMatchObject([
      { callId: '1.1.0', data: { type: 'progress', revision: 1, message: 'asking' } },
      { callId: '1.1.0', data: { type: 'ready', revision: 2, snapshot: { euros: 5 } } },
    ]);
    expect(bank.cancelled).toEqual([{ operationId: '1.1.0', reason: 'refused' }]);
  });
});

test('L06: by steps, a broken stream ends the step and not the turn', async () => {
  const bank = new Bank();
  const listen = () => updates(progress(), new Error('gone'));
  const agent = agentFor('run', { model: script(), tools: [bank.tool({ tier: 'auto', listen })] });
  const first = await agent.runStep({ threadId: 't', message: 'go' });
  expectStatus(first, 'continues');
  expect(bank.cancelled).toEqual([{ operationId: 'o', reason: 'failed' }]);
  expectStatus(await agent.runStep({ threadId: 't' }), 'completed');
});

test('a code of its own for each way an operation fails', () => {
  const error = new OperationError('operation-stale');
  expect(error).toMatchObject({ name: 'OperationError', code: 'operation-stale' });
  expect(OperationError.isInstance(error)).toBe(true);
});
