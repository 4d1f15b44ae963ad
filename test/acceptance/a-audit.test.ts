import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import {
  type AgentEvent,
  type AgentHooks,
  type AgentOptions,
  createAgent,
  defineHooks,
  hostTool,
  type RunResult,
  scriptedModel,
  type ThreadStore,
  ToolDecision,
  tool,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { failingStore } from './failing-store.ts';
import { MODES } from './modes.ts';
import { onEveryStore } from './on-every-store.ts';
import { expectStatus } from './play.ts';
import { resultsIn } from './traces.ts';

/** What the record says of one call, in order. */
function record(events: readonly AgentEvent[], callId = '1.1.0'): readonly string[] {
  return events
    .filter(
      (event) =>
        /^(tool|approval|hook)\./.test(event.type) && 'callId' in event && event.callId === callId,
    )
    .map(({ type }) => type);
}

const INPUT = { message: 'hi' };
const inputSchema = z.object({ message: z.string() });

/** An agent with a tool `echo` and a tool of the host `scan`; the model asks for one of them. */
function scene(store: ThreadStore, hooks: readonly AgentHooks[], more: Partial<AgentOptions> = {}) {
  const ran: unknown[] = [];
  const echo = tool({
    name: 'echo',
    description: 'Echoes',
    inputSchema,
    sideEffects: 'none',
    execute: (input) => {
      ran.push(input);
      return input.message;
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'echo', input: INPUT }] }, 'done'], {
    id: 'mock-model',
  });
  const agent = createAgent({ name: 'a', model, tools: [echo], store, hooks, ...more });
  return { agent, ran };
}

function policy(name: string, preToolUse: NonNullable<AgentHooks['preToolUse']>): AgentHooks {
  return defineHooks({ name, preToolUse });
}

function approvalOf(result: RunResult) {
  const [approval] = expectStatus(result, 'awaiting-approval').approvals;
  if (approval === undefined) throw new Error('nothing is asked');
  return approval;
}

/** A tool the host runs, which a model asks for once. */
function hosted(store: ThreadStore, tier: 'auto' | 'confirm') {
  const scan = hostTool({ name: 'scan', description: 'Scans', inputSchema, tier });
  const model = scriptedModel([{ toolCalls: [{ name: 'scan', input: INPUT }] }, 'done']);
  return createAgent({ name: 'a', model, tools: [scan], store });
}

await onEveryStore((open) => {
  describe.each(MODES)('$name', ({ turn }) => {
    const input = { threadId: 't', message: 'go' };

    test('A01: a call that succeeds is told as asked for, started and done, once each, beside the model that asked', async () => {
      const store = open();
      const { agent, ran } = scene(store, []);
      expectStatus(await turn(agent, input), 'completed');
      const events = await store.readEvents('t');
      expect(record(events)).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
      expect(ofType(events, 'tool.called')).toMatchObject([
        { callId: '1.1.0', toolName: 'echo', requestedInput: INPUT },
      ]);
      expect(ofType(events, 'tool.succeeded')).toMatchObject([{ toolName: 'echo' }]);
      expect(ofType(events, 'llm.responded')[0]).toMatchObject({
        model: 'mock-model',
        toolCalls: 1,
        step: ofType(events, 'tool.called')[0]?.step,
      });
      expect(ran).toEqual([INPUT]);
    });

    test('A02: a call that a policy blocks is told as refused, with who and why, and never as started', async () => {
      const store = open();
      const deny = policy('deny', () => ToolDecision.block('policy denied'));
      const { agent, ran } = scene(store, [deny]);
      expectStatus(await turn(agent, input), 'completed');
      const events = await store.readEvents('t');
      expect(record(events)).toEqual(['hook.decided', 'tool.called', 'tool.refused']);
      expect(ofType(events, 'tool.refused')).toMatchObject([
        { outcome: 'blocked', by: 'deny', reason: 'policy denied', toolName: 'echo' },
      ]);
      expect(ofType(events, 'hook.decided')).toMatchObject([
        { policy: 'deny', point: 'preToolUse', decision: 'block', reason: 'policy denied' },
      ]);
      expect(ran).toEqual([]);
    });

    test('A03: a call that waits for a person is told as asked about, with the prompt, and as nothing more', async () => {
      const store = open();
      const ask = policy('ask', () => ToolDecision.requiresConfirmation('please?'));
      const { agent, ran } = scene(store, [ask]);
      const approval = approvalOf(await turn(agent, input));
      const events = await store.readEvents('t');
      expect(record(events)).toEqual(['hook.decided', 'approval.requested']);
      expect(ofType(events, 'approval.requested')).toMatchObject([
        { approvalId: approval.approvalId, toolName: 'echo', prompts: ['please?'] },
      ]);
      expect(ran).toEqual([]);
    });

    test('A09: a call that is blocked at resume is told as asked about, answered and refused', async () => {
      const store = open();
      const ask = policy('ask', ({ approval }) =>
        approval === undefined
          ? ToolDecision.requiresConfirmation('please?')
          : ToolDecision.block('policy changed'),
      );
      const { agent, ran } = scene(store, [ask]);
      const { approvalId } = approvalOf(await turn(agent, input));
      const answers = [{ approvalId, approved: true, by: 'me' }];
      expectStatus(await agent.resume({ threadId: 't', answers }), 'completed');
      const events = await store.readEvents('t');
      expect(record(events)).toEqual([
        'hook.decided',
        'approval.requested',
        'approval.answered',
        'hook.decided',
        'tool.called',
        'tool.refused',
      ]);
      expect(ofType(events, 'tool.refused')).toMatchObject([
        { callId: '1.1.0', outcome: 'blocked', by: 'ask' },
      ]);
      expect(ofType(events, 'tool.refused')[0]?.reason).toContain('policy changed');
      expect(ran).toEqual([]);
    });

    test('A09 twin: approved and not blocked, it is told as started and done', async () => {
      const store = open();
      const ask = policy('ask', ({ approval }) =>
        approval === undefined ? ToolDecision.requiresConfirmation('please?') : undefined,
      );
      const { agent, ran } = scene(store, [ask]);
      const { approvalId } = approvalOf(await turn(agent, input));
      const answers = [{ approvalId, approved: true, by: 'me' }];
      expectStatus(await agent.resume({ threadId: 't', answers }), 'completed');
      expect(record(await store.readEvents('t')).slice(-2)).toEqual([
        'tool.started',
        'tool.succeeded',
      ]);
      expect(ran).toEqual([INPUT]);
    });

    test('A06: a call that the host ran is told like one of our own, once its result is in', async () => {
      const store = open();
      const agent = hosted(store, 'auto');
      const { calls } = expectStatus(await turn(agent, input), 'awaiting-tools');
      expect(record(await store.readEvents('t'))).not.toContain('tool.succeeded');
      const results = calls.map(({ callId }) => ({ callId, output: 'external' }));
      expectStatus(await agent.submitToolResults({ threadId: 't', results }), 'completed');
      const events = await store.readEvents('t');
      expect(record(events)).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
      expect(ofType(events, 'tool.succeeded')).toMatchObject([{ toolName: 'scan' }]);
    });

    test('A11: results of the host that could not be stored are taken when they come again, and told once', async () => {
      const inner = open();
      let isDown = false;
      const agent = hosted(
        failingStore(inner, () => isDown),
        'auto',
      );
      const { calls } = expectStatus(await turn(agent, input), 'awaiting-tools');
      const results = calls.map(({ callId }) => ({ callId, output: 'external' }));
      isDown = true;
      expect(await agent.submitToolResults({ threadId: 't', results })).toMatchObject({
        status: 'failed',
        error: { code: 'store-failed' },
      });
      expect(record(await inner.readEvents('t'))).not.toContain('tool.succeeded');
      isDown = false;
      expectStatus(await agent.submitToolResults({ threadId: 't', results }), 'completed');
      const events = await inner.readEvents('t');
      expect(record(events)).toEqual(['tool.called', 'tool.started', 'tool.succeeded']);
      expect(Object.values(resultsIn(await inner.readMessages('t')))).toEqual([
        { outcome: 'succeeded', output: 'external' },
      ]);
    });

    test('A07: that the host ran a call somebody had to confirm stays in the record, with who did', async () => {
      const store = open();
      const agent = hosted(store, 'confirm');
      const approval = approvalOf(await turn(agent, input));
      expect(approval).toMatchObject({ toolName: 'scan' });
      const answers = [{ approvalId: approval.approvalId, approved: true, by: 'me' }];
      const waiting = await agent.resume({ threadId: 't', answers });
      const { calls } = expectStatus(waiting, 'awaiting-tools');
      const results = calls.map(({ callId }) => ({ callId, output: 'external' }));
      expectStatus(await agent.submitToolResults({ threadId: 't', results }), 'completed');
      const events = await store.readEvents('t');
      expect(record(events)).toEqual([
        'approval.requested',
        'approval.answered',
        'tool.called',
        'tool.started',
        'tool.succeeded',
      ]);
      expect(ofType(events, 'approval.answered')).toMatchObject([
        { callId: '1.1.0', approved: true, by: 'me' },
      ]);
      expect(await store.findApproval(approval.approvalId)).toMatchObject({ status: 'approved' });
    });
  });
});
