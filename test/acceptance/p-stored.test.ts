import { describe, expect, test } from 'vitest';
import {
  type ChatModel,
  createAgent,
  type JsonObject,
  type ModelResponse,
  memoryStore,
  type Policy,
  scriptedModel,
  type ThreadStore,
  type ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { AskFirst } from './ask-first.ts';
import { echoCall, echoTool } from './echo.ts';
import { rawModel } from './raw-model.ts';

const newPath = tempFiles();
const NOTHING = { messages: [], events: [], ledger: [], approvals: [], memory: {}, artifacts: [] };

class Witness extends AskFirst {
  readonly seen: ToolInvocation[] = [];

  override preToolUse(invocation: ToolInvocation): ToolDecision | undefined {
    this.seen.push(invocation);
    return super.preToolUse(invocation);
  }
}

function agentOn(store: ThreadStore, model: ChatModel, hooks: readonly Policy[]) {
  const { tool, ran } = echoTool();
  return { ran, agent: createAgent({ name: 'a', model, store, hooks, tools: [tool] }) };
}

const askingModel = () => scriptedModel([{ toolCalls: [echoCall('test')] }]);

describe('a turn that waits in the store', () => {
  test('P05: is JSON that comes back the same, and names its one call', async () => {
    const store = memoryStore();
    const { agent } = agentOn(store, askingModel(), [new AskFirst()]);
    await agent.run({ threadId: 't', message: 'go' });
    const state = (await store.load('t'))?.state;
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
    expect(state).toMatchObject({
      format: 1,
      threadId: 't',
      phase: {
        name: 'awaiting-approval',
        batch: { calls: [{ toolName: 'echo', approval: { status: 'open' } }] },
      },
    });
  });

  test('P05: goes on from a copy of the file in another agent, and runs what was approved', async () => {
    const path = newPath();
    const first = sqliteStore({ path });
    const asked = await agentOn(first, askingModel(), [new AskFirst()]).agent.run({
      threadId: 't',
      message: 'go',
    });
    await first.close?.();
    if (asked.status !== 'awaiting-approval') expect.unreachable();

    const second = sqliteStore({ path });
    const { agent, ran } = agentOn(second, scriptedModel(['done']), [new AskFirst()]);
    const [open] = await agent.pendingApprovals();
    expect(open).toEqual(asked.approvals[0]);
    const answers = [{ approvalId: open?.approvalId ?? '', approved: true, by: 'ann' }];
    expect(await agent.resume({ threadId: 't', answers })).toMatchObject({
      status: 'completed',
      text: 'done',
      turnId: '1',
      usage: { inputTokens: 20, outputTokens: 40 },
    });
    expect(ran).toEqual(['test']);
    await second.close?.();
  });

  test('P09: what runs is what was asked for, unless somebody changed it', async () => {
    const witness = new Witness();
    const { agent } = agentOn(memoryStore(), askingModel(), [witness]);
    const result = await agent.run({ threadId: 't', message: 'go' });
    expect(result).toMatchObject({ approvals: [{ input: { message: 'test' } }] });
    expect(witness.seen).toMatchObject([
      { requestedInput: { message: 'test' }, effectiveInput: { message: 'test' } },
    ]);
  });

  test('P09: an edited input is the effective one, and the requested one stays what the model wrote', async () => {
    const witness = new Witness();
    const model = scriptedModel([{ toolCalls: [echoCall('test')] }, 'done']);
    const { agent, ran } = agentOn(memoryStore(), model, [witness]);
    const asked = await agent.run({ threadId: 't', message: 'go' });
    if (asked.status !== 'awaiting-approval') expect.unreachable();
    const approvalId = asked.approvals[0]?.approvalId ?? '';
    const input = { message: 'edited' };
    await agent.resume({
      threadId: 't',
      answers: [{ approvalId, approved: true, by: 'ann', input }],
    });
    expect(witness.seen[1]).toMatchObject({
      requestedInput: { message: 'test' },
      effectiveInput: input,
      approval: { by: 'ann', input },
    });
    expect(ran).toEqual(['edited']);
  });

  test('P10: keeps what the provider wants back with the call', async () => {
    const providerMetadata = { provider: { signature: 'abc' } };
    const path = newPath();
    const store = sqliteStore({ path });
    const scripted = scriptedModel(['done']);
    const answer: ModelResponse = {
      content: [
        { type: 'reasoning', text: 'hm', providerMetadata },
        {
          type: 'tool-call',
          call: { id: 'c', toolName: 'echo', inputText: '{"message":"test"}', providerMetadata },
        },
      ],
      finishReason: 'tool-calls',
      usage: { inputTokens: 1, outputTokens: 1 },
    };
    const asked = await agentOn(store, rawModel(answer), [new AskFirst()]).agent.run({
      threadId: 't',
      message: 'go',
    });
    if (asked.status !== 'awaiting-approval') expect.unreachable();
    await store.close?.();

    const reopened = sqliteStore({ path });
    const approvalId = asked.approvals[0]?.approvalId ?? '';
    await agentOn(reopened, scripted, [new AskFirst()]).agent.resume({
      threadId: 't',
      answers: [{ approvalId, approved: true, by: 'ann' }],
    });
    expect(scripted.requests[0]?.messages[1]).toMatchObject({
      role: 'assistant',
      content: [{ providerMetadata }, { providerMetadata }],
    });
    await reopened.close?.();
  });

  test('P10: a state without the optional fields of later versions goes on too', async () => {
    const store = memoryStore();
    const { agent, ran } = agentOn(
      store,
      scriptedModel([{ toolCalls: [echoCall('test')] }, 'done']),
      [new AskFirst()],
    );
    const asked = await agent.run({ threadId: 't', message: 'go' });
    if (asked.status !== 'awaiting-approval') expect.unreachable();
    const stored = await store.load('t');
    const { historyDigest: _dropped, ...state } = (stored?.state ?? {}) as JsonObject;
    const { token } = await store.claim('t', { holder: 'older', ttlMs: 1_000 });
    await store.commit('t', token, stored?.version ?? 0, { ...NOTHING, state });
    await store.release('t', token);
    const approvalId = asked.approvals[0]?.approvalId ?? '';
    const answers = [{ approvalId, approved: true, by: 'ann' }];
    expect(await agent.resume({ threadId: 't', answers })).toMatchObject({ status: 'completed' });
    expect(ran).toEqual(['test']);
  });
});
