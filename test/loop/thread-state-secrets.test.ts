import { inspect } from 'node:util';
import {
  createAgent,
  defineHooks,
  memoryStore,
  scriptedModel,
  type ToolContext,
  tool,
  toolResultsOf,
} from 'agent-hooks';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { illegal } from '../acceptance/play.ts';

const SECRET = 'hunter2-canary';
const OTHER = 'canary-hunter3';

/** Refuses with a text that quotes what it was given, as a careless rule does. */
const stateSchema = z.object({
  token: z
    .string()
    .refine((text) => !text.startsWith('canary'), {
      error: ({ input }) => `refused ${String(input)}`,
    })
    .optional(),
  byKey: z.record(z.string(), z.number()).optional(),
});
type State = z.infer<typeof stateSchema>;

test('a value of the state is in no event, error or warning, nor in what the model and the history hold', async () => {
  const caught: unknown[] = [];
  const careless = tool({
    name: 'careless',
    description: 'Sets what it must not',
    inputSchema: z.object({}),
    tier: 'auto',
    execute: (_input, { state }: ToolContext<unknown, State>) => {
      state.set('token', SECRET);
      const attempts: readonly (() => void)[] = [
        () => state.set('token', OTHER),
        () => state.set('byKey', illegal({ [OTHER]: OTHER })),
        () => state.set(illegal(OTHER), 'x' as never),
        () => state.set('token', illegal(new Map([[OTHER, OTHER]]))),
      ];
      for (const attempt of attempts) {
        try {
          attempt();
        } catch (error) {
          caught.push(error);
        }
      }
      state.set('token', OTHER);
    },
  });
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listen);
  const store = memoryStore();
  const reads = defineHooks<unknown, State>({
    name: 'reads',
    postToolUse: (_call, _result, { state }) => void state.token,
  });
  const model = scriptedModel([{ toolCalls: [{ name: 'careless' }] }, 'done']);
  const agent = createAgent({
    name: 'desk',
    model,
    stateSchema,
    tools: [careless],
    hooks: [reads],
    store,
  });
  const heard: unknown[] = [];
  agent.on('*', (event) => heard.push(event));
  const result = await agent.run({ threadId: 't', message: 'go', state: { byKey: { a: 1 } } });
  const refused: unknown = await agent
    .run({ threadId: 't', message: 'go', state: { token: OTHER } })
    .catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', listen);

  expect(caught).toHaveLength(4);
  expect(result.messages.flatMap(toolResultsOf)[0]).toMatchObject({ outcome: 'failed' });
  expect(result.state).toMatchObject({ token: SECRET });
  const { state: _told, ...rest } = result;
  const records = {
    heard,
    caught,
    refused,
    warnings,
    rest,
    requests: model.requests,
    events: await store.readEvents('t'),
    messages: await store.readMessages('t'),
  };
  const seen = inspect(records, {
    depth: 20,
    showHidden: true,
    maxStringLength: null,
    maxArrayLength: null,
  });
  expect(seen).toContain('its schema refuses the value (custom)');
  expect(seen).not.toMatch(/canary/);
});
