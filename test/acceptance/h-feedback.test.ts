import { describe, expect, test } from 'vitest';
import {
  type ChatResponse,
  createAgent,
  memoryStore,
  Policy,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  ToolDecision,
  type ToolInvocation,
} from '../../src/index.ts';
import { echoCall, echoTool } from './echo.ts';
import { hear, ofType, readable, shown, transcript } from './evidence.ts';
import { MODES } from './modes.ts';

const FEEDBACK = 'answer without the code word';

class RejectSecretText extends Policy {
  override onLlmResponse(response: ChatResponse): ResponseDecision | undefined {
    return JSON.stringify(response).includes('secret')
      ? ResponseDecision.retryWithFeedback(FEEDBACK)
      : undefined;
  }
}

class RejectSecretCalls extends Policy {
  override preToolUse({ effectiveInput }: ToolInvocation): ToolDecision | undefined {
    return effectiveInput['message'] === 'secret'
      ? ToolDecision.retryWithFeedback(FEEDBACK)
      : undefined;
  }
}

function setUp(hooks: readonly Policy[], script: readonly ScriptEntry[]) {
  const model = scriptedModel(script);
  const store = memoryStore();
  const echo = echoTool();
  const agent = createAgent({ name: 'a', model, store, hooks, tools: [echo.tool] });
  return { model, store, agent, ran: echo.ran, heard: hear(agent) };
}

describe.each(MODES)('feedback ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };

  test('H08: the rejected text is shown to nobody and readable nowhere, and what it cost counts', async () => {
    const { agent, store, heard } = setUp([new RejectSecretText()], ['the secret', 'all fine']);
    expect(await turn(agent, input)).toMatchObject({
      status: 'completed',
      text: 'all fine',
      steps: 2,
      usage: { inputTokens: 20, outputTokens: 40 },
    });
    expect(shown(heard)).not.toContain('secret');
    const kept = (await readable(store, 't')) + JSON.stringify(heard);
    expect(kept).not.toContain('secret');
    expect(transcript(await store.readMessages('t'))).toEqual(['user: go', 'assistant: all fine']);
  });

  test('H08 twin: without the policy the text is shown and stored', async () => {
    const { agent, store, heard } = setUp([], ['the secret', 'all fine']);
    await turn(agent, input);
    expect(shown(heard)).toContain('the secret');
    expect(await readable(store, 't')).toContain('the secret');
  });

  test.each([
    ['onLlmResponse', new RejectSecretText()],
    ['preToolUse', new RejectSecretCalls()],
  ])(
    'H09: at %s the next request holds the feedback and no trace of the call, and no store keeps either (our rule)',
    async (point, policy) => {
      const script = [{ toolCalls: [echoCall('secret')] }, 'all fine'];
      const { agent, model, store, ran, heard } = setUp([policy], script);
      expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'all fine' });

      expect(model.calls).toBe(2);
      const [asked, note, ...more] = model.requests[1]?.messages ?? [];
      expect(more).toEqual([]);
      expect(asked).toMatchObject({ role: 'user', content: [{ text: 'go' }] });
      expect(note?.role).toBe('user');
      expect(JSON.stringify(note)).toContain(FEEDBACK);
      expect(JSON.stringify(model.requests[1])).not.toMatch(/call_1|secret/);

      const kept = (await readable(store, 't')) + JSON.stringify(heard);
      expect(kept).not.toContain(FEEDBACK);
      expect(kept).not.toContain('secret');
      expect(ran).toEqual([]);
      expect(ofType(heard, 'llm.rejected')).toMatchObject([{ point, by: policy.constructor.name }]);
    },
  );

  test('H09 twin: without a policy the tool runs, and the next request shows its call', async () => {
    const script = [{ toolCalls: [echoCall('secret')] }, 'all fine'];
    const { agent, model, store, ran } = setUp([], script);
    await turn(agent, input);
    expect(ran).toEqual(['secret']);
    expect(JSON.stringify(model.requests[1])).toMatch(/call_1.*secret/);
    expect(await readable(store, 't')).toContain('secret');
  });

  test('H09: a note is delivered once, and gone from the request after it', async () => {
    const script = ['a secret', { toolCalls: [echoCall('hi')] }, 'done'];
    const { agent, model } = setUp([new RejectSecretText()], script);
    await turn(agent, input);
    const withNote = model.requests.map((request) => JSON.stringify(request).includes(FEEDBACK));
    expect(withNote).toEqual([false, true, false]);
  });
});
