import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AgentEvent,
  type AgentOptions,
  createAgent,
  defineHooks,
  hostTool,
  ResponseDecision,
  type RunResult,
  type ScriptEntry,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { MODES } from './modes.ts';
import { onEveryStore } from './on-every-store.ts';
import { expectStatus } from './play.ts';

/*
 * There is no summary of its own beside the record of a turn: what the rows ask of one is in its stored events, the
 * response of each step in `llm.responded`, and the turn as a whole from `turn.started` to `turn.finished`.
 */

const look = tool({
  name: 'look',
  description: 'Looks',
  inputSchema: z.object({}),
  sideEffects: 'none',
  execute: () => 'seen',
});
const scan = hostTool({
  name: 'scan',
  description: 'Scans',
  inputSchema: z.object({}),
  sideEffects: 'none',
});
const LOOK: ScriptEntry = { toolCalls: [{ name: 'look' }] };
const TOOL_STEP = {
  responseId: 'msg_1',
  model: 'mock-model',
  finishReason: 'tool-calls',
  usage: { inputTokens: 10, outputTokens: 20 },
};

function agentOf(store: ThreadStore, script: readonly ScriptEntry[]) {
  const model = scriptedModel(script, { id: 'mock-model' });
  return { model, agent: createAgent({ name: 'a', model, tools: [look, scan], store }) };
}

function wallTime(events: readonly AgentEvent[]): number {
  const [start] = ofType(events, 'turn.started');
  const [end] = ofType(events, 'turn.finished');
  return (end?.at ?? Number.NaN) - (start?.at ?? Number.NaN);
}

await onEveryStore((open) => {
  test('S02: a step that goes on tells its response, how many calls it asked for and why it stopped', async () => {
    const store = open();
    const { agent } = agentOf(store, [LOOK, 'done']);
    const stepped = await agent.runStep({ threadId: 't', message: 'go' });
    expectStatus(stepped, 'continues');
    expect(stepped).toMatchObject({ steps: 1, usage: { inputTokens: 10, outputTokens: 20 } });
    const responded = ofType(await store.readEvents('t'), 'llm.responded');
    expect(responded).toMatchObject([{ ...TOOL_STEP, toolCalls: 1, turnId: '1', step: 1 }]);
  });

  describe.each(MODES)('$name', ({ turn }) => {
    const input = { threadId: 't', message: 'go' };

    test('S03: a step whose calls are with the host tells both calls and what it used, and is stored when it is told', async () => {
      const store = open();
      const both = { toolCalls: [{ name: 'scan' }, { name: 'scan' }] };
      const { agent } = agentOf(store, [both]);
      const result = expectStatus(await turn(agent, input), 'awaiting-tools');
      expect(result.calls.map(({ callId, toolName }) => [callId, toolName])).toEqual([
        ['1.1.0', 'scan'],
        ['1.1.1', 'scan'],
      ]);
      expect(result.usage).toEqual(TOOL_STEP.usage);
      const responded = ofType(await store.readEvents('t'), 'llm.responded');
      expect(responded).toMatchObject([{ ...TOOL_STEP, toolCalls: 2 }]);
    });

    test('S04: what tells of a turn is plain JSON, the same from the store as it was heard', async () => {
      const store = open();
      const { agent } = agentOf(store, ['done']);
      const heard: AgentEvent[] = [];
      agent.on('*', (event) => heard.push(event));
      expectStatus(await turn(agent, input), 'completed');
      const kept = ['llm.responded', 'turn.finished'] as const;
      const stored = await store.readEvents('t');
      for (const type of kept) {
        const [event] = ofType(stored, type);
        expect(event).toBeDefined();
        expect(JSON.parse(JSON.stringify(event))).toEqual(event);
        expect(ofType(heard, type)).toEqual([event]);
      }
      expect(ofType(stored, 'llm.responded')).toMatchObject([
        { responseId: 'msg_1', model: 'mock-model', finishReason: 'stop', toolCalls: 0 },
      ]);
      expect(ofType(stored, 'turn.finished')).toMatchObject([
        { status: 'completed', steps: 1, usage: { inputTokens: 10, outputTokens: 20 } },
      ]);
    });

    test('S06: a turn that is cancelled before its first call tells of no response, and of its end', async () => {
      const store = open();
      const { agent, model } = agentOf(store, ['never']);
      const heard: AgentEvent[] = [];
      agent.on('*', (event) => heard.push(event));
      const result = await turn(agent, { ...input, signal: AbortSignal.abort() });
      expectStatus(result, 'cancelled');
      expect(result).toMatchObject({
        threadId: 't',
        steps: 0,
        usage: { inputTokens: 0, outputTokens: 0 },
      });
      expect(model.calls).toBe(0);
      expect(ofType(heard, 'llm.responded')).toEqual([]);
      expect(ofType(heard, 'turn.finished')).toMatchObject([
        { status: 'cancelled', steps: 0, usage: { inputTokens: 0, outputTokens: 0 } },
      ]);
    });

    test('S07: from its start to its end a turn tells no more time than has passed, and what it waited', async () => {
      const store = open();
      const model = scriptedModel(['done'], { delayMs: 60 });
      const agent = createAgent({ name: 'a', model, store });
      const before = performance.now();
      expectStatus(await turn(agent, input), 'completed');
      const passed = performance.now() - before;
      const events = await store.readEvents('t');
      expect(wallTime(events)).toBeGreaterThanOrEqual(55);
      expect(wallTime(events)).toBeLessThanOrEqual(passed + 50);
      const [responded] = ofType(events, 'llm.responded');
      expect(responded?.latencyMs).toBeGreaterThanOrEqual(55);
      expect(responded?.latencyMs).toBeLessThanOrEqual(passed + 50);
    });

    test('S08: a step that waited for a person is the same step when it goes on', async () => {
      const store = open();
      const model = scriptedModel([LOOK, 'done'], { id: 'mock-model' });
      const ask = defineHooks({
        name: 'ask',
        preToolUse: ({ approval }) =>
          approval === undefined ? ToolDecision.requiresConfirmation('May it?') : undefined,
      });
      const agent = createAgent({ name: 'a', model, tools: [look], hooks: [ask], store });
      const waiting = expectStatus(await turn(agent, input), 'awaiting-approval');
      const paused = ofType(await store.readEvents('t'), 'llm.responded');
      expect(paused).toMatchObject([{ ...TOOL_STEP, toolCalls: 1, step: 1 }]);
      const answers = waiting.approvals.map(({ approvalId }) => ({
        approvalId,
        approved: true,
        by: 'me',
      }));
      const result = await agent.resume({ threadId: 't', answers });
      expect(result).toMatchObject({ status: 'completed', turnId: waiting.turnId, steps: 2 });
      const events = await store.readEvents('t');
      const responded = ofType(events, 'llm.responded');
      expect(responded[0]).toEqual(paused[0]);
      expect(responded.map(({ step, responseId }) => [step, responseId])).toEqual([
        [1, 'msg_1'],
        [2, 'msg_2'],
      ]);
      const [called] = ofType(events, 'tool.called');
      expect(called).toMatchObject({ turnId: waiting.turnId, step: 1 });
    });
  });
});

/** Every reason for which a response may end; `error` is no response, but a failed call. */
const REASONS = ['stop', 'length', 'tool-calls', 'content-filter', 'other'] as const;

test.each(REASONS)('S10: the reason %s is told under its own name', async (finishReason) => {
  const model = scriptedModel([{ text: 'done', finishReason }]);
  const agent = createAgent({ name: 'a', model });
  const heard: AgentEvent[] = [];
  agent.on('llm.responded', (event) => heard.push(event));
  await agent.run({ threadId: 't', message: 'go' });
  expect(heard).toMatchObject([{ finishReason }]);
});

/** One scene for every way in which a run can end. */
const ENDS: Readonly<Record<RunResult['status'], () => Promise<RunResult>>> = {
  completed: async () => ending({ script: ['done'] }),
  continues: async () => scene({ script: [LOOK] }).runStep({ threadId: 't', message: 'go' }),
  'awaiting-approval': async () => ending({ script: [LOOK], hooks: [asks] }),
  'awaiting-tools': async () => ending({ script: [{ toolCalls: [{ name: 'scan' }] }] }),
  blocked: async () => ending({ script: ['bad'], hooks: [blocks] }),
  limited: async () => ending({ script: [LOOK, 'never'], limits: { steps: 1 } }),
  refused: async () => ending({ script: [{ text: 'no', finishReason: 'content-filter' }] }),
  cancelled: async () => ending({ script: ['never'] }, AbortSignal.abort()),
  failed: async () => ending({ script: [new Error('down')] }),
};

const asks = defineHooks({
  name: 'asks',
  preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
});
const blocks = defineHooks({
  name: 'blocks',
  onLlmResponse: () => ResponseDecision.block('not that'),
});

type Options = Partial<AgentOptions> & { readonly script: readonly ScriptEntry[] };

function scene({ script, ...options }: Options) {
  return createAgent({ name: 'a', model: scriptedModel(script), tools: [look, scan], ...options });
}

function ending(options: Options, signal?: AbortSignal): Promise<RunResult> {
  const input = { threadId: 't', message: 'go' };
  return scene(options).run({ ...input, ...(signal !== undefined && { signal }) });
}

test.each(Object.entries(ENDS))(
  'S10: a run that ends %s tells the same facts of its turn as any other, as JSON',
  async (status, end) => {
    const result = await end();
    expect(result.status).toBe(status);
    const { threadId, turnId, steps, usage, messages } = result;
    expect([threadId, turnId]).toEqual(['t', '1']);
    const called = status === 'cancelled' || status === 'failed' ? 0 : 1;
    expect(steps).toBe(status === 'cancelled' ? 0 : 1);
    expect(usage).toEqual({ inputTokens: 10 * called, outputTokens: 20 * called });
    expect(JSON.parse(JSON.stringify({ threadId, turnId, steps, usage, messages }))).toEqual({
      threadId,
      turnId,
      steps,
      usage,
      messages,
    });
  },
);
