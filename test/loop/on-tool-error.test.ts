import {
  type AgentHooks,
  type AgentHooksError,
  defineHooks,
  ErrorDecision,
  memoryStore,
  type ScriptEntry,
  scriptedModel,
  ToolCallError,
  ToolDecision,
  ToolError,
  ToolResultDecision,
  toolCallsOf,
  toolResultsOf,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { ofType, types } from '../acceptance/evidence.ts';
import { agentFor, counted, expectStatus, MODES, play, sleep } from '../acceptance/play.ts';
import { dyingStore } from './desk.ts';

const SORRY = 'Sorry, something went wrong. Please try again.';
const KEY = 'sk-live-0123456789abcdef';

type Answer = ReturnType<NonNullable<AgentHooks['onError']>>;

function answering(answer: (error: AgentHooksError) => Answer) {
  const seen: AgentHooksError[] = [];
  const hooks = defineHooks({
    name: 'keeper',
    onError: (error) => {
      seen.push(error);
      return answer(error);
    },
  });
  return { hooks, seen };
}

const GOING_ON: readonly (readonly [string, () => Answer])[] = [
  ['true', () => true],
  ['recover', () => ErrorDecision.recover()],
  ['nothing', () => undefined],
];

/** With the text that is shown. */
const ENDING: readonly (readonly [string, () => Answer, string])[] = [
  ['false', () => false, SORRY],
  ['abort', () => ErrorDecision.abort(), SORRY],
  ['fallback', () => ErrorDecision.fallback('The bank is closed.'), 'The bank is closed.'],
  ['silent', () => ErrorDecision.silent(), ''],
];

/** One tool that works and one that does not, in one batch. */
function scene(hooks: readonly AgentHooks[], script?: readonly ScriptEntry[]) {
  const works = counted('works');
  const breaks = counted('breaks', {
    execute: () => {
      throw new Error(`no connection, key ${KEY}`);
    },
  });
  const batch = { toolCalls: [{ name: 'breaks' }, { name: 'works' }] };
  const model = scriptedModel(script ?? [batch, 'Sorted out.']);
  return { model, hooks, store: memoryStore(), tools: [works.tool, breaks.tool], works, breaks };
}

describe.each(MODES)('a tool call that fails (%s)', (mode) => {
  test.each(GOING_ON)(
    'X24: %s lets the model read the result, and no tool runs again',
    async (_name, answer) => {
      const { hooks, seen } = answering(answer);
      const { works, breaks, ...set } = scene([hooks]);
      const { result, heard, store } = await play(mode, set);
      expect(result).toMatchObject({ status: 'completed', text: 'Sorted out.', steps: 2 });
      expect([works.inputs.length, breaks.inputs.length]).toEqual([1, 1]);
      expect(seen).toHaveLength(1);
      const [failed, succeeded] = result.messages.flatMap(toolResultsOf);
      expect(failed).toMatchObject({ outcome: 'failed', isError: true });
      expect(succeeded).toMatchObject({ outcome: 'succeeded', output: 'works done' });
      expect(set.model.requests[1]?.messages.at(-1)).toEqual(result.messages[2]);
      expect(ofType(heard, 'error.raised')).toEqual([]);
      // It is not the model that has to be asked again, so nothing of the cap is used up.
      expect((await store.load('t'))?.state).not.toHaveProperty('recoveries');
    },
  );

  test.each(ENDING)(
    'X24: %s ends the turn, and every call of the batch keeps its result',
    async (_name, answer, text) => {
      const { hooks } = answering(answer);
      const { works, breaks, ...set } = scene([hooks]);
      const { result, heard, store } = await play(mode, set);
      const failed = expectStatus(result, 'failed');
      expect(failed).toMatchObject({ text, steps: 1 });
      expect(failed.error).toMatchObject({
        name: 'ToolCallError',
        toolName: 'breaks',
        callId: '1.1.0',
      });
      expect([works.inputs.length, breaks.inputs.length]).toEqual([1, 1]);
      expect(set.model.calls).toBe(1);
      const messages = await store.readMessages('t');
      const calls = messages.flatMap(toolCallsOf).map(({ callId }) => callId);
      expect(messages.flatMap(toolResultsOf)).toMatchObject([
        { callId: calls[0], outcome: 'failed' },
        { callId: calls[1], outcome: 'succeeded' },
      ]);
      const shown = ofType(heard, 'message.outgoing');
      expect(shown).toMatchObject(text === '' ? [] : [{ text, fallback: 'error', isFinal: true }]);
      expect(JSON.stringify(messages)).not.toContain('The bank is closed.');
      expect(ofType(heard, 'error.raised')).toMatchObject([
        { code: 'tool-failed', name: 'ToolCallError' },
      ]);
      expect(types(heard).filter((type) => type === 'turn.finished')).toHaveLength(1);
      const ledger = await store.readLedger('t', calls);
      expect(ledger.map(({ status }) => status)).toEqual(['finished', 'finished']);
    },
  );

  test('X22: the next turn of such a thread is one a provider accepts', async () => {
    const { hooks } = answering(() => false);
    const { works, breaks, ...set } = scene([hooks]);
    const strict = scriptedModel(
      [{ toolCalls: [{ name: 'breaks' }, { name: 'works' }] }, 'hello'],
      {
        strict: true,
      },
    );
    const { agent } = await play(mode, { ...set, model: strict });
    expect(await agent.run({ threadId: 't', message: 'again' })).toMatchObject({ text: 'hello' });
    expect([works.inputs.length, breaks.inputs.length]).toEqual([1, 1]);
  });

  test('X24: the policy gets a typed error with the call in it, after postToolUse and without a secret', async () => {
    const order: string[] = [];
    const { hooks, seen } = answering(() => undefined);
    const watch = defineHooks({
      name: 'watch',
      postToolUse: (invocation, result) => {
        order.push(`post ${invocation.toolName}`);
        return result.outcome === 'failed'
          ? ToolResultDecision.modify({ output: 'It did not work.' })
          : undefined;
      },
      onError: () => void order.push('error'),
    });
    const { works: _works, breaks: _breaks, ...set } = scene([hooks, watch]);
    const { heard } = await play(mode, set);
    const [error] = seen;
    expect(ToolCallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      code: 'tool-failed',
      toolName: 'breaks',
      callId: '1.1.0',
      forModel: 'It did not work.',
    });
    expect(error?.message).toMatch(/^tool 'breaks', call '1\.1\.0': the call failed\./);
    expect(JSON.stringify(seen) + JSON.stringify(heard)).not.toContain(KEY);
    expect(order.toSorted()).toEqual(['error', 'post breaks', 'post works']);
    expect(order.at(-1)).toBe('error');
  });

  test('X24: an answer is recorded with the call it is about', async () => {
    const { hooks } = answering(() => true);
    const { works: _works, breaks: _breaks, ...set } = scene([hooks]);
    const { heard } = await play(mode, set);
    expect(ofType(heard, 'hook.decided')).toMatchObject([
      {
        policy: 'keeper',
        point: 'onError',
        decision: 'recover',
        callId: '1.1.0',
        toolName: 'breaks',
      },
    ]);
  });

  test('X24: each failed call is asked about, in their order, and the strictest answer counts', async () => {
    const { hooks, seen } = answering((error) => {
      if (!ToolCallError.isInstance(error)) return undefined;
      return error.callId === '1.1.1' ? ErrorDecision.fallback('second') : true;
    });
    const batch = { toolCalls: [{ name: 'breaks' }, { name: 'breaks' }, { name: 'breaks' }] };
    const { works: _works, breaks, ...set } = scene([hooks], [batch, 'done']);
    const { result } = await play(mode, set);
    expect(seen.map((error) => Reflect.get(error, 'callId'))).toEqual(['1.1.0', '1.1.1', '1.1.2']);
    expect(result).toMatchObject({ status: 'failed', text: 'second', error: { callId: '1.1.1' } });
    expect(breaks.inputs).toHaveLength(3);
  });

  test('X24: a call that did not run, or worked, is none that failed', async () => {
    const { hooks, seen } = answering(() => false);
    const gate = defineHooks({
      name: 'gate',
      preToolUse: ({ toolName }) => (toolName === 'breaks' ? ToolDecision.block('no') : undefined),
    });
    const batch = { toolCalls: [{ name: 'breaks' }, { name: 'works' }, { name: 'missing' }] };
    const { works: _works, breaks: _breaks, ...set } = scene([hooks, gate], [batch, 'done']);
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(seen).toEqual([]);
  });

  test('X24: one of unknown outcome is none that failed either', async () => {
    const { hooks, seen } = answering(() => false);
    const lost = counted('lost', {
      execute: () => {
        throw new ToolError('Nobody can read this', { code: 'unreadable-output' });
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'lost' }] }, 'done']);
    const set = { model, hooks: [hooks], tools: [lost.tool], store: memoryStore() };
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'completed', text: 'done' });
    expect(result.messages.flatMap(toolResultsOf)).toMatchObject([{ outcome: 'unknown' }]);
    expect(seen).toEqual([]);
  });

  test('X24: nobody is asked about a call that failed in a turn that was cancelled meanwhile', async () => {
    const controller = new AbortController();
    const { hooks, seen } = answering(() => true);
    const gone = counted('gone', {
      execute: () => {
        controller.abort();
        throw new Error('gone');
      },
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'gone' }] }, 'done']);
    const set = { model, hooks: [hooks], tools: [gone.tool], store: memoryStore() };
    const { result } = await play(mode, set, { signal: controller.signal });
    expect(result.status).toBe('cancelled');
    expect(result.messages.flatMap(toolResultsOf)).toMatchObject([{ outcome: 'failed' }]);
    expect(seen).toMatchObject([{ code: 'turn-cancelled' }]);
  });

  test('Z8: a policy that throws over it ends the turn, and every call keeps its result', async () => {
    const { hooks } = answering(() => {
      throw new Error('boom');
    });
    const { works: _works, breaks: _breaks, ...set } = scene([hooks]);
    const { result, heard } = await play(mode, set);
    expect(result).toMatchObject({ status: 'failed', text: SORRY, error: { code: 'tool-failed' } });
    expect(result.messages.flatMap(toolResultsOf)).toHaveLength(2);
    expect(ofType(heard, 'hook.failed')).toMatchObject([
      { policy: 'keeper', point: 'onError', kind: 'threw', callId: '1.1.0', toolName: 'breaks' },
    ]);
  });

  test('X24: a cancel while a policy thinks about it keeps what the tools did', async () => {
    const controller = new AbortController();
    const hooks = defineHooks({
      name: 'slow',
      onError: ({ code }) => {
        if (code !== 'tool-failed') return undefined;
        setTimeout(() => controller.abort(), 5);
        return new Promise<boolean>(() => undefined);
      },
    });
    const { works: _works, breaks: _breaks, ...set } = scene([hooks]);
    const { result, store } = await play(mode, set, { signal: controller.signal });
    expect(result.status).toBe('cancelled');
    const messages = await store.readMessages('t');
    expect(messages.flatMap(toolResultsOf).map(({ outcome }) => outcome)).toEqual([
      'failed',
      'succeeded',
    ]);
    expect(set.model.calls).toBe(1);
  });

  test('X24: a tool that says itself what went wrong is asked about too, in its words', async () => {
    const { hooks, seen } = answering(() => undefined);
    const says = counted('says', {
      execute: () => {
        throw new ToolError('The account is closed.');
      },
    });
    const slow = counted('slow', {
      sideEffects: 'none',
      timeoutMs: 5,
      execute: () => sleep(1_000),
    });
    const model = scriptedModel([{ toolCalls: [{ name: 'says' }, { name: 'slow' }] }, 'done']);
    const tools = [says.tool, slow.tool];
    await play(mode, { model, hooks: [hooks], tools, store: memoryStore() });
    expect(seen).toMatchObject([
      { toolName: 'says', forModel: 'The account is closed. Do not claim success.' },
      { toolName: 'slow', forModel: 'Tool timed out. Do not claim success.' },
    ]);
  });

  test('X24: after a tool error, a model error still has all its recoveries', async () => {
    const { hooks } = answering(() => true);
    const down = new Error('down');
    const {
      works: _works,
      breaks: _breaks,
      ...set
    } = scene(
      [hooks],
      [{ toolCalls: [{ name: 'breaks' }] }, ...Array.from({ length: 8 }, () => down), 'done'],
    );
    const { result } = await play(mode, set);
    expect(result).toMatchObject({ status: 'completed', text: 'done', steps: 10 });
  });
});

describe('a tool that fails after a crash', () => {
  const setUp = async (hooks: readonly AgentHooks[]) => {
    let now = 1_000;
    const disk = memoryStore({ now: () => now });
    const fails = () =>
      counted('fails', {
        sideEffects: 'none',
        execute: () => {
          throw new Error('no');
        },
      }).tool;
    const call: ScriptEntry = { toolCalls: [{ name: 'fails' }] };
    // Two commits: the message, and the calls. What came of them is lost.
    const first = {
      model: scriptedModel([call]),
      tools: [fails()],
      store: dyingStore(disk, 2),
    };
    await play('run', first).catch((error: unknown) => error);
    now += 60_000;
    const model = scriptedModel(['hello']);
    return { model, hooks, tools: [fails()], store: disk };
  };

  test('X24: when the turn goes on, the policies are asked about the call that was made again', async () => {
    const { hooks, seen } = answering(() => ErrorDecision.fallback('Closed.'));
    const set = await setUp([hooks]);
    const agent = agentFor('run', set);
    const result = await agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'failed', text: 'Closed.', error: { callId: '1.1.0' } });
    expect(seen).toHaveLength(1);
  });

  test('X22: when a new message came, the old turn is closed with its result and the new one runs', async () => {
    const { hooks, seen } = answering(() => ErrorDecision.fallback('Closed.'));
    const set = await setUp([hooks]);
    const { result, store } = await play('run', set, { message: 'again' });
    expect(result).toMatchObject({ status: 'completed', text: 'hello', turnId: '2' });
    expect(seen).toEqual([]);
    const messages = await store.readMessages('t');
    expect(messages.flatMap(toolResultsOf)).toMatchObject([{ outcome: 'failed' }]);
  });
});
