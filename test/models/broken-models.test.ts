import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { ModelError } from '../../src/errors/model-error.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { ChatModel, ModelCallOptions } from '../../src/models/port.ts';

const bug = new Error('provider blew up with sk-secret-123456');

async function play(model: ChatModel, mode: 'run' | 'stream') {
  const agent = createAgent({ name: 'desk', model });
  const events: AgentEvent[] = [];
  agent.on('*', (event) => {
    events.push(event);
  });
  const result =
    mode === 'run'
      ? await agent.run({ message: 'hi' })
      : await agent.stream({ message: 'hi' }).result;
  await agent.settled();
  return { result, events };
}

const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};
const broken: readonly (readonly [string, () => never])[] = [
  ['an error', throwing(bug)],
  ['a text', throwing('provider blew up')],
  ['nothing', throwing(undefined)],
];

describe.each(['run', 'stream'] as const)('by %s', (mode) => {
  test.each(broken)(
    'T11: a model that throws %s where nobody expects it is a failed run with a cause',
    async (_, blow) => {
      const { result, events } = await play({ id: 'm', generate: blow, stream: blow }, mode);
      if (result.status !== 'failed') throw new Error(result.status);
      expect(result.error).toMatchObject({ name: 'ModelError', code: 'model-failed' });
      expect(result.error.message).not.toContain('blew up');
      expect(JSON.stringify(events)).not.toContain('blew up');
      expect(events.at(-1)).toMatchObject({ type: 'turn.finished', status: 'failed' });
    },
  );

  test('what a model tells of retries after its answer is heard by nobody', async () => {
    let kept: ModelCallOptions | undefined;
    const usage = { inputTokens: 1, outputTokens: 1 };
    const model: ChatModel = {
      id: 'm',
      generate: async (_, options) => {
        kept = options;
        return { content: [{ type: 'text', text: 'ok' }], finishReason: 'stop', usage };
      },
      async *stream(_, options) {
        kept = options;
        yield { type: 'text', text: 'ok' };
        yield { type: 'finish', result: { finishReason: 'stop', usage } };
      },
    };
    const { result, events } = await play(model, mode);
    expect(result).toMatchObject({ status: 'completed', text: 'ok' });
    const before = events.length;
    kept?.onRetry?.({ attempt: 2, delayMs: 0, reason: 'late' });
    expect(events).toHaveLength(before);
  });

  test('what failed attempts have cost counts for the turn', async () => {
    const text = { where: 'w', what: 'x', fix: 'y' };
    const paid = new ModelError('network', text, { usage: { inputTokens: 9, outputTokens: 3 } });
    const blow = throwing(paid);
    const { result } = await play({ id: 'm', generate: blow, stream: blow }, mode);
    expect(result).toMatchObject({ status: 'failed', usage: { inputTokens: 9, outputTokens: 3 } });
  });
});
