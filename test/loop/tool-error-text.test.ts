import { createAgent, scriptedModel, ToolError, tool } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

async function outputOf(thrown: unknown): Promise<unknown> {
  const work = tool({
    name: 'work',
    description: 'Works',
    inputSchema: z.object({}),
    sideEffects: 'none',
    execute: () => {
      throw thrown;
    },
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'work' }] }, 'done']);
  const { messages } = await createAgent({ name: 'a', model, tools: [work] }).run({
    message: 'go',
  });
  return messages[2]?.role === 'tool' ? messages[2].content[0]?.output : expect.unreachable();
}

describe('the text of an error that a tool throws', () => {
  test.each([
    ['client_secret=hunter2', 'hunter2'],
    ['{"access_token":"hunter2"}', 'hunter2'],
    ['AWS_SECRET_ACCESS_KEY=hunter2', 'hunter2'],
    ['Authorization: Token hunter2hunter2', 'hunter2'],
    ['postgres://user:p@hunter2@host/db', 'hunter2'],
    ['bad key AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
    ['jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'eyJzdWIiOiIxIn0'],
    ['github_pat_11ABCDEFG0123456789', '11ABCDEFG0123456789'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg', 'MIIEvQIBADANBg'],
  ])('reaches no model, whatever it holds: %s', async (text, secret) => {
    expect(secret).not.toBe('');
    expect(await outputOf(new Error(text))).toEqual({
      error: 'work failed before completing. Do not claim success.',
    });
  });

  test.each([[undefined], [{ a: 1 }], ['\ud800']])(
    'is well-formed text even when a ToolError was given %j',
    async (forModel) => {
      const output = await outputOf(new ToolError(forModel as never));
      expect(output).toEqual({ error: expect.any(String) });
      expect(
        Object.values(output as object)
          .join()
          .isWellFormed(),
      ).toBe(true);
    },
  );
});
