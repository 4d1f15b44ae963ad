import { describe, expect, test } from 'vitest';
import { createAgent } from '../../src/agent/create-agent.ts';
import { scriptedModel } from '../../src/models/scripted.ts';

const agent = createAgent({ name: 'a', model: scriptedModel([]) });

describe('a call of the agent without an object', () => {
  test.each([
    ['run', 'Pass { message }. It may also hold: threadId, supersede, state, output, context'],
    ['runStep', 'Pass { threadId }. It may also hold: message, supersede, state, output, context'],
    ['resume', 'Pass { threadId }. It may also hold: answers, output, context'],
    ['submitToolResults', 'Pass { threadId, results }. It may also hold: output, context'],
  ] as const)('agent.%s says what is required, and what may be left out', async (method, said) => {
    await expect(agent[method]('x' as never)).rejects.toMatchObject({
      code: 'invalid-input',
      message: expect.stringContaining(said),
    });
  });

  test('agent.cancel requires nothing', async () => {
    await expect(agent.cancel('t', 'x' as never)).rejects.toThrow(
      'Pass an object, or nothing. It may also hold: context',
    );
  });
});
