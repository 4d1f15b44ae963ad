import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  createAgent,
  memoryStore,
  type Policy,
  scriptedModel,
} from '../../src/index.ts';
import { AskFirst } from './ask-first.ts';
import { echoCall, echoTool } from './echo.ts';
import { hear, ofType, outputs, transcript, types } from './evidence.ts';
import { MODES } from './modes.ts';

function setUp(
  messages: readonly string[],
  hooks: readonly Policy[],
  options: Partial<AgentOptions> = {},
) {
  const toolCalls = messages.map((message) => echoCall(message));
  const model = scriptedModel([{ toolCalls }, 'done']);
  const store = memoryStore();
  const { tool, ran } = echoTool();
  const agent = createAgent({ name: 'a', model, store, hooks, tools: [tool], ...options });
  return { agent, model, store, ran, heard: hear(agent) };
}

describe.each(MODES)('a batch that a person has to look at ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };

  /** Runs to the pause and gives the ids of what is asked. */
  async function pause(agent: Parameters<typeof turn>[0]): Promise<readonly string[]> {
    const result = await turn(agent, input);
    if (result.status !== 'awaiting-approval') expect.unreachable();
    return result.approvals.map(({ approvalId }) => approvalId);
  }

  const yes = (approvalId = '') => ({
    threadId: 't',
    answers: [{ approvalId, approved: true, by: 'ann' }],
  });

  test('P01: all approvals of it are returned together, and it runs when the last is answered (our rule)', async () => {
    const { agent, model, ran } = setUp(['one', 'two'], [new AskFirst()]);
    const [first, second] = await pause(agent);
    expect([first, second]).toEqual([expect.any(String), expect.any(String)]);

    const half = await agent.resume(yes(second));
    expect(half).toMatchObject({
      status: 'awaiting-approval',
      turnId: '1',
      approvals: [{ approvalId: first }],
    });
    expect(ran).toEqual([]);
    expect(model.calls).toBe(1);

    expect(await agent.resume(yes(first))).toMatchObject({ status: 'completed', text: 'done' });
    expect(ran).toEqual(['one', 'two']);
    expect(model.calls).toBe(2);
  });

  test('P01 twin: without the policy it runs at once', async () => {
    const { agent, ran } = setUp(['one', 'two'], []);
    expect(await turn(agent, input)).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['one', 'two']);
  });

  test('P01: each call is asked for and answered in one event each', async () => {
    const { agent, heard } = setUp(['one', 'two'], [new AskFirst()]);
    for (const id of await pause(agent)) await agent.resume(yes(id));
    expect(ofType(heard, 'approval.requested').map(({ callId }) => callId)).toEqual([
      '1.1.0',
      '1.1.1',
    ]);
    expect(ofType(heard, 'approval.answered')).toMatchObject([
      { callId: '1.1.0', approved: true, by: 'ann', edited: false },
      { callId: '1.1.1', approved: true, by: 'ann', edited: false },
    ]);
  });

  test('P02: the turn stays open over every pause, and is finished once, when it is done', async () => {
    const { agent, store, heard } = setUp(['one', 'two'], [new AskFirst()]);
    const [first, second] = await pause(agent);
    expect(types(heard)).not.toContain('turn.finished');
    expect(transcript(await store.readMessages('t'))).toEqual(['user: go']);
    await agent.resume(yes(first));
    expect(types(heard)).not.toContain('turn.finished');
    await agent.resume(yes(second));
    expect(ofType(heard, 'turn.finished')).toMatchObject([{ turnId: '1', status: 'completed' }]);
    expect(ofType(await store.readEvents('t'), 'turn.started')).toHaveLength(1);
  });

  test('P06: siblings of a call that waits run neither before it nor twice', async () => {
    const { agent, ran } = setUp(['a', 'b', 'c'], [new AskFirst(['b'])]);
    const waiting = await turn(agent, input);
    expect(waiting).toMatchObject({
      status: 'awaiting-approval',
      approvals: [{ callId: '1.1.1' }],
    });
    expect(ran).toEqual([]);
    if (waiting.status !== 'awaiting-approval') expect.unreachable();
    const result = await agent.resume(yes(waiting.approvals[0]?.approvalId));
    expect(result).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['a', 'b', 'c']);
    expect(outputs(result.messages)).toEqual(['Echo: a', 'Echo: b', 'Echo: c']);
  });

  test('P06: a call that is not approved does not run, and its siblings do', async () => {
    const { agent, ran, heard } = setUp(['a', 'b', 'c'], [new AskFirst(['b'])]);
    const [approvalId = ''] = await pause(agent);
    const answers = [{ approvalId, approved: false, by: 'ann', reason: 'not today' }];
    const result = await agent.resume({ threadId: 't', answers });
    expect(ran).toEqual(['a', 'c']);
    expect(outputs(result.messages)).toEqual(['Echo: a', 'Not approved: not today', 'Echo: c']);
    expect(ofType(heard, 'tool.refused')).toMatchObject([{ outcome: 'denied', by: 'ann' }]);
  });

  test('P07: a limit that the paused step has used up ends the turn after its tools, without a model call', async () => {
    const { agent, model, ran } = setUp(['a'], [new AskFirst()], { limits: { tokens: 25 } });
    const [id] = await pause(agent);
    expect(await agent.resume(yes(id))).toMatchObject({
      status: 'limited',
      limit: 'tokens',
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect(ran).toEqual(['a']);
    expect(model.calls).toBe(1);
  });

  test('P07 twin: without the limit the model is called again', async () => {
    const { agent, model } = setUp(['a'], [new AskFirst()]);
    const [id] = await pause(agent);
    expect(await agent.resume(yes(id))).toMatchObject({ status: 'completed' });
    expect(model.calls).toBe(2);
  });
});
