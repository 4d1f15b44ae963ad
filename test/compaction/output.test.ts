import { expect, test } from 'vitest';
import * as z from 'zod';
import { answer, LONG, scene } from './scene.ts';

const NONE = { inputTokens: 0, outputTokens: 0 };
const schema = z.object({ name: z.string() });

test('what a final answer has to fit outlives a compaction, and is not asked of the summary', async () => {
  const { agent, model, writer } = scene({
    script: [
      answer('short answer'),
      { toolCalls: [{ name: 'look' }], usage: NONE },
      { toolCalls: [{ name: 'final_answer', input: { name: 'Ada' } }], usage: NONE },
    ],
    summaries: ['the gist'],
  });
  await agent.run({ threadId: 't', message: LONG });
  const result = await agent.run({ threadId: 't', message: 'Who am I?', output: schema });
  expect(result).toMatchObject({ status: 'completed', output: { name: 'Ada' } });
  expect(writer.requests[0]?.tools).toEqual([]);
  expect(writer.requests[0]).not.toHaveProperty('outputSchema');
  expect(model.requests[1]?.tools.map(({ name }) => name)).toContain('final_answer');
});
