import { describe, expect, test } from 'vitest';
import {
  defineHooks,
  scriptedModel,
  ToolDecision,
  ToolResultDecision,
  toolResultsOf,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { counted, expectStatus, illegal, MODES, play, sleep, stores } from './play.ts';
import { expectSound, placesOf } from './traces.ts';

const call = { toolCalls: [{ name: 'look', input: { id: 'a' } }] };
const redacts = defineHooks({
  name: 'redacts',
  options: { postToolUse: { failure: 'closed' } },
  postToolUse: () => ToolResultDecision.modify({ output: 'redacted' }),
});

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test('M-114, U-X9: a rewritten result is what is stored and what the model reads, and the old one is nowhere', async () => {
      const look = counted('look', { execute: () => ({ ssn: 'xyzzy' }) });
      const model = scriptedModel([call, 'done', 'again']);
      const played = await play(mode, {
        store: open(),
        model,
        tools: [look.tool],
        hooks: [redacts],
      });
      const { messages } = expectStatus(played.result, 'completed');
      expect(messages.flatMap(toolResultsOf)).toMatchObject([
        { output: 'redacted', outcome: 'succeeded', isError: false },
      ]);
      await played.agent.run({ threadId: 't', message: 'more' });
      expect(model.requests.map((request) => JSON.stringify(request).includes('redacted'))).toEqual(
        [false, true, true],
      );
      expect(JSON.stringify(model.requests)).not.toContain('xyzzy');
      expect(await placesOf('xyzzy', played)).toEqual([]);
    });

    test('M-114: so is one that was recorded when its call ended, beside others that must run once', async () => {
      const store = failingStore(open(), () => false);
      const look = counted('look', { execute: () => 'xyzzy' });
      const model = scriptedModel([{ toolCalls: [{ name: 'look' }, { name: 'look' }] }, 'done']);
      const played = await play(mode, { store, model, tools: [look.tool], hooks: [redacts] });
      expectStatus(played.result, 'completed');
      expect(look.inputs).toHaveLength(2);
      expect(JSON.stringify(store.written)).not.toContain('xyzzy');
      expect(await placesOf('xyzzy', played)).toEqual([]);
    });
  });

  test('M-115: whether a result is an error to the model may be changed, what was done may not', async () => {
    const look = counted('look', { execute: () => Promise.reject(new Error('none found')) });
    const calms = defineHooks({
      name: 'calms',
      postToolUse: (_call, { isError }) =>
        isError
          ? ToolResultDecision.modify({ isError: false, output: 'nothing there' })
          : undefined,
    });
    const model = scriptedModel([call, 'done']);
    const played = await play(mode, { model, tools: [look.tool], hooks: [calms] });
    const { messages } = expectStatus(played.result, 'completed');
    expect(messages.flatMap(toolResultsOf)).toMatchObject([
      { isError: false, output: 'nothing there', outcome: 'failed' },
    ]);
    const words = defineHooks({
      name: 'words',
      postToolUse: () => ToolResultDecision.modify({ output: 'in other words' }),
    });
    const same = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [words],
    });
    expect(expectStatus(same.result, 'completed').messages.flatMap(toolResultsOf)).toMatchObject([
      { isError: true, output: 'in other words', outcome: 'failed' },
    ]);
    const lies = defineHooks({
      name: 'lies',
      options: { postToolUse: { failure: 'closed' } },
      postToolUse: () => illegal({ type: 'modify', result: { outcome: 'succeeded' } }),
    });
    const other = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [lies],
    });
    expect(ofType(other.heard, 'hook.failed')).toMatchObject([{ kind: 'illegal' }]);
    expect(expectStatus(other.result, 'completed').messages.flatMap(toolResultsOf)).toMatchObject([
      { isError: true, outcome: 'failed' },
    ]);
  });

  test('M-116: results that come in another order, each rewritten, keep their calls', async () => {
    const waits = ['slow', 'quick'].map((name) =>
      counted(name, {
        sideEffects: 'none',
        parallel: true,
        execute: () => sleep(name === 'slow' ? 20 : 1).then(() => name),
      }),
    );
    const tags = defineHooks({
      name: 'tags',
      postToolUse: ({ toolName, callId }, { output }) =>
        ToolResultDecision.modify({ output: `${callId} ${toolName} ${String(output)}` }),
    });
    const calls = [
      { name: 'slow', id: 'x' },
      { name: 'quick', id: 'y' },
    ];
    const model = scriptedModel([{ toolCalls: calls }, 'done'], { strict: true });
    const played = await play(mode, { model, tools: waits.map(({ tool }) => tool), hooks: [tags] });
    const { messages } = expectStatus(played.result, 'completed');
    expect(messages.flatMap(toolResultsOf)).toMatchObject([
      { callId: '1.1.0', providerCallId: 'x', output: '1.1.0 slow slow' },
      { callId: '1.1.1', providerCallId: 'y', output: '1.1.1 quick quick' },
    ]);
  });

  test('M-118, U-AA11: of a tool that throws the policy gets the error as a result, and of one that was refused nothing', async () => {
    const seen: unknown[] = [];
    const watches = defineHooks({
      name: 'watches',
      preToolUse: ({ toolName }) => (toolName === 'wipe' ? ToolDecision.block('no') : undefined),
      postToolUse: (_call, result) => {
        seen.push(result);
      },
    });
    const reports = counted('reports', { execute: () => ({ error: 'card declined' }) });
    const fails = counted('fails', { execute: () => Promise.reject(new Error('down')) });
    const calls = ['reports', 'fails', 'wipe', 'nothing'].map((name) => ({ name }));
    const played = await play(mode, {
      model: scriptedModel([{ toolCalls: calls }, 'done']),
      tools: [reports.tool, fails.tool, counted('wipe').tool],
      hooks: [watches],
      maxParallelTools: 1,
    });
    expectStatus(played.result, 'completed');
    expect(seen).toEqual([
      { outcome: 'failed', isError: true, output: { error: 'card declined' } },
      {
        outcome: 'failed',
        isError: true,
        output: { error: 'fails failed before completing. Do not claim success.' },
      },
    ]);
    expect(ofType(played.heard, 'tool.failed')).toMatchObject([
      { toolName: 'reports' },
      { toolName: 'fails' },
    ]);
    expect(ofType(played.heard, 'tool.refused')).toMatchObject([
      { toolName: 'wipe' },
      { toolName: 'nothing' },
    ]);
  });

  test('U-Z4, U-Z10: one that throws keeps the result as it was, and the others go on from there', async () => {
    const look = counted('look');
    const appends = (name: string, fails = false) =>
      defineHooks({
        name,
        postToolUse: (_call, { output }) => {
          if (fails) throw new Error('boom');
          return ToolResultDecision.modify({ output: `${String(output)} ${name}` });
        },
      });
    const hooks = [appends('first'), appends('second', true), appends('third')];
    const played = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks,
    });
    const { messages } = expectStatus(played.result, 'completed');
    expect(messages.flatMap(toolResultsOf)).toMatchObject([
      { output: 'look done third first', outcome: 'succeeded' },
    ]);
    expect(ofType(played.heard, 'hook.failed')).toMatchObject([{ policy: 'second', open: true }]);
    expect(await placesOf('boom', played)).toEqual([]);
  });

  test('U-X9: what a policy gives is kept, also where it is null', async () => {
    const look = counted('look');
    const empties = defineHooks({
      name: 'empties',
      postToolUse: () => ToolResultDecision.modify({ output: null }),
    });
    const played = await play(mode, {
      model: scriptedModel([call, 'done']),
      tools: [look.tool],
      hooks: [empties],
    });
    expect(expectStatus(played.result, 'completed').messages.flatMap(toolResultsOf)).toMatchObject([
      { output: null, isError: false },
    ]);
    await expectSound(played);
  });

  test('X28, X30: the result of a call that waited for a person is judged like any other', async () => {
    const look = counted('look', { tier: 'confirm', execute: () => 'xyzzy' });
    const model = scriptedModel([call, 'done']);
    const played = await play(mode, { model, tools: [look.tool], hooks: [redacts] });
    const { approvals } = expectStatus(played.result, 'awaiting-approval');
    const answers = approvals.map(({ approvalId }) => ({ approvalId, approved: true, by: 'ann' }));
    const result = await played.agent.resume({ threadId: 't', answers });
    expectStatus(result, 'completed');
    expect(JSON.stringify(model.requests[1])).toContain('redacted');
    expect(await placesOf('xyzzy', { ...played, result })).toEqual([]);
  });
});
