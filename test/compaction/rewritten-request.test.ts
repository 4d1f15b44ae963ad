import { type ChatRequest, defineHooks, ModelError, RequestDecision, textOf } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { MODES } from '../acceptance/modes.ts';
import { answer, read, scene } from './scene.ts';

const overflow = new ModelError('context-overflow', { where: 'm', what: 'long', fix: 'shorten' });

/** Puts this in the place of the latest message of the user, for each call. */
function replacing(text: string, seen: ChatRequest[] = []) {
  return defineHooks({
    name: 'replaces',
    preLlmRequest: (request, { purpose }) => {
      if (purpose !== 'main') return undefined;
      seen.push(request);
      const content = [{ type: 'text', text } as const];
      return RequestDecision.modify({
        ...request,
        messages: [...request.messages.slice(0, -1), { role: 'user', content }],
      });
    },
  });
}

describe.each(MODES)('X6: a request that a policy has rewritten, in $name', ({ turn }) => {
  test('X6: goes out as it is, and nothing is compacted for it, however long it is', async () => {
    const long = 'l'.repeat(500);
    const { agent, model, writer } = scene({
      script: [answer('short answer'), answer('second')],
      hooks: [replacing(long)],
    });
    await turn(agent, { threadId: 't', message: 'm'.repeat(60) });
    await turn(agent, { threadId: 't', message: 'next' });
    expect(writer.calls).toBe(0);
    expect(read(model, 1)).toEqual([
      `user: ${'m'.repeat(60)}`,
      'assistant: short answer',
      `user: ${long}`,
    ]);
  });

  test('X6: that is too long for the provider is made shorter and rewritten again', async () => {
    const seen: ChatRequest[] = [];
    const { agent, model, store } = scene({
      script: [answer('first'), overflow, answer('there')],
      summaries: ['the gist'],
      compaction: { maxTokens: 10_000, keepTokens: 5_000 },
      hooks: [replacing('rewritten', seen)],
    });
    await turn(agent, { threadId: 't', message: 'an old question '.repeat(10) });
    const result = await turn(agent, { threadId: 't', message: 'next' });
    expect(result).toMatchObject({ status: 'completed', text: 'there', steps: 2 });
    expect(read(model, 1).at(-1)).toBe('user: rewritten');
    expect(read(model, 2)).toEqual(['summary: the gist', 'assistant: first', 'user: rewritten']);
    expect(seen).toHaveLength(3);
    expect((await store.readMessages('t')).map(textOf)).toContain('next');
    expect((await store.readMessages('t')).map(textOf)).not.toContain('rewritten');
  });
});
