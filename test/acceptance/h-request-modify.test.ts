import { describe, expect, test } from 'vitest';
import {
  type ChatRequest,
  createAgent,
  type Message,
  memoryStore,
  Policy,
  RequestDecision,
  scriptedModel,
  textOf,
} from '../../src/index.ts';
import { hear, ofType, transcript } from './evidence.ts';
import { MODES } from './modes.ts';

class HideCardNumbers extends Policy {
  asked = 0;

  override preLlmRequest(request: ChatRequest): RequestDecision {
    this.asked += 1;
    return RequestDecision.modify({ ...request, messages: request.messages.map(hideCard) });
  }
}

function hideCard(message: Message): Message {
  if (message.role !== 'user') return message;
  const text = textOf(message).replace(/\d{4}/g, '****');
  return { role: 'user', content: [{ type: 'text', text }] };
}

function setUp(hooks: readonly Policy[], script: readonly string[]) {
  const model = scriptedModel(script);
  const store = memoryStore();
  const agent = createAgent({ name: 'a', model, store, hooks });
  return { model, store, agent, heard: hear(agent) };
}

describe.each(MODES)('a rewritten request ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'my card is 4111' };

  test('H04: is what the model gets, while the thread keeps what the user wrote', async () => {
    const { agent, model, store } = setUp([new HideCardNumbers()], ['noted']);
    expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'noted' });
    expect(transcript(model.requests[0]?.messages ?? [])).toEqual(['user: my card is ****']);
    expect(transcript(await store.readMessages('t'))).toEqual([
      'user: my card is 4111',
      'assistant: noted',
    ]);
  });

  test('H04 twin: without the policy the number is sent', async () => {
    const { agent, model } = setUp([], ['noted']);
    await turn(agent, input);
    expect(JSON.stringify(model.requests[0])).toContain('4111');
  });

  test('H04: is asked for once per call, also when the same request is sent again', async () => {
    const policy = new HideCardNumbers();
    const { agent, model, heard } = setUp([policy], ['', 'noted']);
    expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'noted' });
    expect(policy.asked).toBe(1);
    expect(model.requests).toHaveLength(2);
    expect(model.requests[1]?.messages).toEqual(model.requests[0]?.messages);
    expect(ofType(heard, 'llm.retrying')).toMatchObject([{ reason: 'empty-response' }]);
  });
});
