import { describe, expect, test } from 'vitest';
import {
  type AgentOptions,
  type ChatResponse,
  createAgent,
  memoryStore,
  Policy,
  ResponseDecision,
  ResponseRetryCapError,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { echoCall, echoTool } from './echo.ts';
import { hear, ofType, shown, transcript } from './evidence.ts';
import { MODES } from './modes.ts';

const FEEDBACK = 'try something else';

class RejectText extends Policy {
  readonly #text: string;

  constructor(text: string) {
    super();
    this.#text = text;
  }

  override onLlmResponse({ text }: ChatResponse): ResponseDecision | undefined {
    return text === this.#text ? ResponseDecision.retryWithFeedback(FEEDBACK) : undefined;
  }
}

class RejectCalls extends Policy {
  override preToolUse(): ToolDecision {
    return ToolDecision.retryWithFeedback(FEEDBACK);
  }
}

function bad(times: number): readonly string[] {
  return Array.from({ length: times }, () => 'bad');
}

function setUp(script: readonly string[], options: Partial<AgentOptions> = {}) {
  const model = scriptedModel(script);
  const store = memoryStore();
  const hooks = [new RejectText('bad')];
  const agent = createAgent({ name: 'a', model, store, hooks, ...options });
  return { model, store, agent, heard: hear(agent) };
}

describe.each(MODES)('the retry cap ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };
  const capped = (streak: number) => ({
    status: 'failed',
    error: { code: 'response-retry-cap', policy: 'RejectText', point: 'onLlmResponse', streak },
  });

  test('H11: eight rejections in a row end the run, and the eighth is the last call', async () => {
    const { agent, model, store, heard } = setUp(bad(9));
    const result = await turn(agent, input);
    expect(result).toMatchObject({ ...capped(8), steps: 8, usage: { outputTokens: 160 } });
    if (result.status !== 'failed') expect.unreachable();
    expect(result.error).toBeInstanceOf(ResponseRetryCapError);
    expect(result.error.message).toMatch(/RejectText.*onLlmResponse.*8 responses in a row/);

    expect(model.calls).toBe(8);
    const notes = model.requests.map(({ messages }) => messages.length - 1);
    expect(notes).toEqual([0, 1, 1, 1, 1, 1, 1, 1]);
    expect(ofType(heard, 'step.finished').map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 8 }, () => 'rejected'),
    );
    expect(ofType(heard, 'turn.finished')).toHaveLength(1);
    expect(transcript(await store.readMessages('t'))).toEqual(['user: go']);
    expect(shown(heard)).not.toContain('bad');
  });

  test('H11 twin: without the policy the first answer is delivered', async () => {
    const { agent, model, heard } = setUp(bad(9), { hooks: [] });
    expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'bad' });
    expect(model.calls).toBe(1);
    expect(shown(heard)).toContain('bad');
  });

  test('H11: holds for rejected tool calls too, none of which runs', async () => {
    const echo = echoTool();
    const script = Array.from({ length: 9 }, () => ({ toolCalls: [echoCall('hi')] }));
    const model = scriptedModel(script);
    const agent = createAgent({ name: 'a', model, hooks: [new RejectCalls()], tools: [echo.tool] });
    expect(await turn(agent, input)).toMatchObject({
      status: 'failed',
      error: { code: 'response-retry-cap', policy: 'RejectCalls', point: 'preToolUse', streak: 8 },
    });
    expect(model.calls).toBe(8);
    expect(echo.ran).toEqual([]);
  });

  test('H11 twin: without the policy the tool runs', async () => {
    const echo = echoTool();
    const model = scriptedModel([{ toolCalls: [echoCall('hi')] }, 'done']);
    const agent = createAgent({ name: 'a', model, tools: [echo.tool] });
    expect(await turn(agent, input)).toMatchObject({ status: 'completed' });
    expect(echo.ran).toEqual(['hi']);
  });

  test('H11: the cap wins over a step limit that is reached with it', async () => {
    const { agent, model } = setUp(bad(4), { maxResponseRetries: 3, limits: { steps: 3 } });
    expect(await turn(agent, input)).toMatchObject(capped(3));
    expect(model.calls).toBe(3);
  });

  test('H10: a rejected answer is paid for, and the token limit ends the run after it', async () => {
    const { agent, model, heard } = setUp(bad(9), { limits: { tokens: 25 } });
    expect(await turn(agent, input)).toMatchObject({
      status: 'limited',
      limit: 'tokens',
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect(model.calls).toBe(1);
    expect(ofType(heard, 'turn.finished')).toMatchObject([{ status: 'limited' }]);
  });

  test('H10 twin: without the limit the rejections go on to the cap', async () => {
    const { agent, model } = setUp(bad(9));
    expect(await turn(agent, input)).toMatchObject(capped(8));
    expect(model.calls).toBe(8);
  });

  test('H13: an accepted answer ends the streak, and eight more rejections are needed', async () => {
    const { agent, model } = setUp([...bad(8), 'good', ...bad(7), 'good again', ...bad(9)]);
    expect(await turn(agent, input)).toMatchObject(capped(8));
    expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'good', steps: 1 });
    expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'good again' });
    expect(await turn(agent, input)).toMatchObject(capped(8));
    expect(model.calls).toBe(25);
  });

  test('H26: the streak stays after the cap, so the next rejection ends the next run at once (our rule)', async () => {
    const { agent, model } = setUp(bad(10));
    expect(await turn(agent, input)).toMatchObject(capped(8));
    expect(await turn(agent, input)).toMatchObject({ ...capped(9), steps: 1 });
    expect(model.calls).toBe(9);
  });

  test("H26: with resetStreakOn 'user-message' the next run starts at none", async () => {
    const { agent, model } = setUp(bad(17), { resetStreakOn: 'user-message' });
    expect(await turn(agent, input)).toMatchObject(capped(8));
    expect(await turn(agent, input)).toMatchObject(capped(8));
    expect(model.calls).toBe(16);
  });
});
