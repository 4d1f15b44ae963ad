import { type ChatModel, ModelError, ResponseDecision, scriptedModel } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../acceptance/modes.ts';
import { answer, LONG, scene, typesOf } from './scene.ts';

const usage = { inputTokens: 10, outputTokens: 20 };
const gist = { text: 'the gist', usage };
const second = { text: 'second', usage };

describe.each(MODES)('what a compaction costs, in $name', ({ turn }) => {
  test('H16: counts in the turn and in the thread', async () => {
    const { agent, store, heard } = scene({
      script: [answer('short answer'), second],
      summaries: [gist],
      prices: { scripted: { input: 1e6, output: 1e6 }, writer: { input: 0, output: 1e5 } },
    });
    await turn(agent, { threadId: 't', message: LONG });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ usage: { inputTokens: 20, outputTokens: 40 }, cost: 32 });
    expect((await store.load('t'))?.state['totals']).toMatchObject({
      usage: { inputTokens: 20, outputTokens: 40 },
      cost: 32,
      steps: 2,
    });
    const responded = heard.filter(({ type }) => type === 'llm.responded');
    expect(responded).toMatchObject([{}, { purpose: 'compaction', cost: 2, usage }, { cost: 30 }]);
    expect(responded[2]).not.toHaveProperty('purpose');
  });

  test('a model that answers under another name has the price of the one that was asked', async () => {
    const writer: ChatModel = {
      id: 'writer',
      stream: (...args) => scriptedModel([gist]).stream(...args),
      generate: async () => ({
        content: [{ type: 'text', text: 'the gist' }],
        model: 'writer-of-today',
        finishReason: 'stop',
        usage,
      }),
    };
    const { agent } = scene({
      script: [answer('short answer'), answer('second')],
      compaction: { model: writer },
      prices: { scripted: { input: 1e6, output: 1e6 }, writer: { input: 0, output: 1e5 } },
    });
    await turn(agent, { threadId: 't', message: LONG });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ cost: 2 });
  });

  test('H17: counts when the compaction fails', async () => {
    const down = new ModelError('overloaded', { where: 'w', what: 'busy', fix: 'wait' }, { usage });
    for (const summary of [{ text: 'x'.repeat(401), usage }, down]) {
      const { agent } = scene({ script: [answer('short answer'), second], summaries: [summary] });
      await turn(agent, { threadId: 't', message: LONG });
      const result = await turn(agent, { threadId: 't', message: 'next' });
      expect(result).toMatchObject({
        status: 'completed',
        usage: { inputTokens: 20, outputTokens: 40 },
      });
    }
  });

  test('H17: and when a policy refuses what came of it', async () => {
    const { agent } = scene({
      script: [answer('short answer'), second],
      summaries: [gist],
      hooks: [
        {
          name: 'no',
          onLlmResponse: (_response, { purpose }) =>
            purpose === 'compaction' ? ResponseDecision.block('no') : undefined,
        },
      ],
    });
    await turn(agent, { threadId: 't', message: LONG });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({
      status: 'completed',
      usage: { inputTokens: 20, outputTokens: 40 },
    });
  });

  test.each([
    ['given', gist],
    ['failed', { text: 'x'.repeat(401), usage }],
  ])(
    'a limit that it reaches ends the turn before the main call, the summary %s',
    async (how, summary) => {
      const { agent, model, writer, store, heard } = scene({
        script: [answer('short answer'), second],
        summaries: [summary],
        limits: { tokens: 25 },
      });
      await turn(agent, { threadId: 't', message: LONG });
      const result = await turn(agent, { threadId: 't', message: 'next' });
      expect(result).toMatchObject({ status: 'limited', limit: 'tokens', usage });
      expect([model.calls, writer.calls]).toEqual([1, 1]);
      // A message that no request passed with is not stored; a summary that was paid for is.
      expect(await store.readMessages('t')).toHaveLength(2);
      const { state } = (await store.load('t')) ?? { state: {} };
      expect('summary' in state).toBe(how === 'given');
      expect(typesOf(heard, 'turn.started', 'turn.finished')).toHaveLength(4);
      expect(typesOf(heard, 'step.started', 'step.finished')).toHaveLength(4);
    },
  );

  test('the step it interrupts is not counted twice', async () => {
    const { agent } = scene({
      script: [answer('short answer'), second],
      summaries: [gist],
      limits: { steps: 1, thread: { steps: 2 } },
    });
    await turn(agent, { threadId: 't', message: LONG });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'completed', steps: 1 });
  });

  test('the commit that stores it is the one that the main call needs anyway', async () => {
    let commits = 0;
    const played = scene({ script: [answer('short answer'), second], summaries: [gist] });
    const { store } = played;
    const real = store.commit.bind(store);
    store.commit = (...args) => {
      commits += 1;
      return real(...args);
    };
    await turn(played.agent, { threadId: 't', message: LONG });
    expect(commits).toBe(2);
    await turn(played.agent, { threadId: 't', message: 'next' });
    // One more than a turn without a compaction: that the call for the summary may start.
    expect(commits).toBe(5);
  });
});
