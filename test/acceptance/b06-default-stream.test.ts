import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  type AgentHooks,
  createAgent,
  defineHooks,
  MessageDecision,
  memoryStore,
  ResponseDecision,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { counted } from './play.ts';

const WORD = 'xyzzy';
const guards: readonly (readonly [string, AgentHooks])[] = [
  [
    'onLlmResponse',
    defineHooks({ name: 'guard', onLlmResponse: () => ResponseDecision.block('banned') }),
  ],
  [
    'preToolUse',
    defineHooks({
      name: 'guard',
      preToolUse: () => ToolDecision.retryWithFeedback('say it nicer'),
    }),
  ],
  [
    'onOutgoingMessage',
    defineHooks({
      name: 'guard',
      onOutgoingMessage: ({ text }) =>
        text.includes(WORD) ? MessageDecision.modify('[hidden]') : undefined,
    }),
  ],
];

async function streamed(hooks: readonly AgentHooks[]): Promise<string> {
  const answer = { text: `the word is ${WORD}`, toolCalls: [{ name: 'look' }] };
  const agent = createAgent({
    name: 'clerk',
    model: scriptedModel([answer, 'done']),
    store: memoryStore(),
    tools: [counted('look', { sideEffects: 'none' }).tool],
    hooks,
  });
  const events: AgentEvent[] = [];
  const stream = agent.stream({ threadId: 't', message: 'hello' });
  for await (const event of stream) events.push(event);
  await stream.result;
  return JSON.stringify(events);
}

describe('B06: a stream that nobody chose a mode for', () => {
  test.each(guards)('holds what a policy at %s could take back', async (_point, guard) => {
    expect(await streamed([guard])).not.toContain(WORD);
  });

  test('without such a policy lets the pieces out', async () => {
    const events = await streamed([]);
    expect(events).toContain('llm.delta');
    expect(events).toContain(WORD);
  });
});
