import {
  createAgent,
  defineHooks,
  type JsonValue,
  ResponseDecision,
  scriptedModel,
  tool,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';

test.each<JsonValue>(['everything', null, 7, ['a']])(
  'a call that a policy writes with the input %j is invalid and never runs as {}',
  async (input) => {
    const ran: unknown[] = [];
    const wipe = tool({
      name: 'wipe',
      description: 'Deletes one order, or all of them',
      inputSchema: z.object({ id: z.string().optional() }),
      tier: 'auto',
      execute: (wanted) => ran.push(wanted),
    });
    const adds = defineHooks({
      name: 'adds',
      onLlmResponse: ({ text }) =>
        text === 'go on'
          ? ResponseDecision.modify({ toolCalls: [{ toolName: 'wipe', input }] })
          : undefined,
    });
    const model = scriptedModel(['go on', 'done']);
    await createAgent({ name: 'a', model, tools: [wipe], hooks: [adds] }).run({ message: 'go' });
    expect(ran).toEqual([]);
  },
);
