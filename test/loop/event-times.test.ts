import { createAgent, memoryStore, RequestDecision, scriptedModel, tool } from 'agent-hooks';
import { afterEach, expect, test, vi } from 'vitest';
import * as z from 'zod';

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['no opinion', (): undefined => undefined],
  ['an opinion', () => RequestDecision.proceed()],
] as const)(
  'what follows a policy with %s that took its time is stamped after it',
  async (_name, say) => {
    vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
    const answered: number[] = [];
    const store = memoryStore();
    const look = tool({
      name: 'look',
      description: 'Looks',
      inputSchema: z.object({}),
      sideEffects: 'none',
      execute: () => ({ seen: true }),
    });
    const agent = createAgent({
      name: 'a',
      store,
      tools: [look],
      model: scriptedModel([
        { toolCalls: [{ name: 'look' }] },
        { toolCalls: [{ name: 'look' }] },
        'ok',
      ]),
      hooks: [
        {
          name: 'slow',
          preLlmRequest: () => {
            // As one that reads a large file, without a wait.
            vi.advanceTimersByTime(200);
            answered.push(Date.now());
            return say();
          },
        },
      ],
    });
    await agent.run({ threadId: 't', message: 'go' });
    const events = await store.readEvents('t');
    const asked = events.filter(({ type }) => type === 'llm.requested');
    expect(answered).toHaveLength(3);
    expect(asked.map(({ at }) => at)).toEqual(answered);
  },
);
