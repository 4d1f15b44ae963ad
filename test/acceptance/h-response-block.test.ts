import { describe, expect, test } from 'vitest';
import {
  createAgent,
  memoryStore,
  Policy,
  ResponseDecision,
  scriptedModel,
} from '../../src/index.ts';
import { hear, readable, shown, transcript, types } from './evidence.ts';
import { MODES } from './modes.ts';

class BlockAnswers extends Policy {
  override onLlmResponse(): ResponseDecision {
    return ResponseDecision.block('x');
  }
}

describe.each(MODES)('a blocked response ($name)', ({ turn }) => {
  const input = { threadId: 't', message: 'go' };
  const setUp = (hooks: readonly Policy[]) => {
    const store = memoryStore();
    const model = scriptedModel(['the answer']);
    const agent = createAgent({ name: 'a', model, store, hooks });
    return { store, agent, heard: hear(agent) };
  };

  test('H27: ends the turn blocked with its reason; the message stays, the answer does not, and both are paid', async () => {
    const { agent, store, heard } = setUp([new BlockAnswers()]);
    expect(await turn(agent, input)).toMatchObject({
      status: 'blocked',
      by: 'BlockAnswers',
      point: 'onLlmResponse',
      reason: 'x',
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect(transcript(await store.readMessages('t'))).toEqual(['user: go']);
    expect((await readable(store, 't')) + shown(heard)).not.toContain('the answer');
    expect((await store.load('t'))?.state['totals']).toMatchObject({
      steps: 1,
      usage: { inputTokens: 10, outputTokens: 20 },
    });
    expect(types(heard).slice(-2)).toEqual(['step.finished', 'turn.finished']);
  });

  test('H27 twin: without the policy the answer is stored and shown', async () => {
    const { agent, store, heard } = setUp([]);
    expect(await turn(agent, input)).toMatchObject({ status: 'completed', text: 'the answer' });
    expect(transcript(await store.readMessages('t'))).toEqual([
      'user: go',
      'assistant: the answer',
    ]);
    expect(shown(heard)).toContain('the answer');
  });
});
