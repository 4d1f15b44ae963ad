import {
  type AgentEvent,
  type ChatModel,
  type ChatStreamPart,
  createAgent,
  defineHooks,
  MessageDecision,
  ToolDecision,
} from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { callPay, desk } from './desk.ts';

const usage = { inputTokens: 1, outputTokens: 1 };
const text: ChatStreamPart = { type: 'text', text: 'half an answ' };
const finish = (finishReason: 'content-filter' | 'error' | 'stop'): ChatStreamPart => ({
  type: 'finish',
  result: { finishReason, usage },
});

const ENDINGS: readonly (readonly [string, readonly ChatStreamPart[]])[] = [
  ['is cut off', [text]],
  ['ends in an error', [text, finish('error')]],
  ['is refused by the provider', [text, finish('content-filter')]],
];

const streaming = (answers: readonly (readonly ChatStreamPart[])[]): ChatModel => {
  let next = 0;
  return {
    id: 'm',
    generate: () => Promise.reject(new Error('not used')),
    async *stream() {
      yield* answers[next++] ?? [];
    },
  };
};

async function typesOf(events: AsyncIterable<AgentEvent>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of events) types.push(type);
  return types;
}

describe('text that was shown live and does not count is retracted', () => {
  test.each(ENDINGS)('when the answer %s', async (_name, parts) => {
    const agent = createAgent({ name: 'a', model: streaming([parts]), streaming: 'live' });
    const types = await typesOf(agent.stream({ message: 'go' }));
    expect(types).toContain('llm.delta');
    expect(types).toContain('text.retracted');
  });

  test('when the answer holds nothing but thoughts and is asked for again', async () => {
    const thoughts: ChatStreamPart = { type: 'reasoning', text: 'hm' };
    const answers = [
      [thoughts, finish('stop')],
      [{ ...text, text: 'hello' }, finish('stop')],
    ];
    const agent = createAgent({ name: 'a', model: streaming(answers), streaming: 'live' });
    const types = await typesOf(agent.stream({ message: 'go' }));
    expect(types.indexOf('text.retracted')).toBeLessThan(types.lastIndexOf('llm.delta'));
    expect(types).toContain('text.retracted');
  });

  test('when it stood beside calls that waited for a person, and is blocked at resume', async () => {
    const policy = defineHooks({
      name: 'p',
      preToolUse: () => ToolDecision.requiresConfirmation('ok?'),
      onOutgoingMessage: ({ text }) =>
        text === 'a banned word' ? MessageDecision.block('banned') : undefined,
    });
    const { agent } = desk({
      script: [{ text: 'a banned word', toolCalls: [callPay(5)] }, 'done'],
      hooks: [policy],
      more: { streaming: 'live' },
    });
    const heard: string[] = [];
    agent.on('*', ({ type }) => heard.push(type));
    const stream = agent.stream({ threadId: 't', message: 'go' });
    const paused = await stream.result;
    if (paused.status !== 'awaiting-approval') throw new Error(paused.status);
    const approvalId = paused.approvals[0]?.approvalId ?? '';
    await agent.resume({ threadId: 't', answers: [{ approvalId, approved: true, by: 'boss' }] });
    expect(heard).toContain('llm.delta');
    expect(heard).toContain('text.retracted');
  });
});

test('thoughts that were shown live before calls of which none runs count with their step', async () => {
  const toolCalls = [{ name: 'nobody', input: {} }];
  const { agent } = desk({
    script: [{ reasoning: 'Hm.', toolCalls }, 'done'],
    more: { streaming: 'live' },
  });
  const types = await typesOf(agent.stream({ threadId: 't', message: 'go' }));
  expect(types).toContain('llm.delta');
  expect(types).not.toContain('tool.started');
  expect(types).not.toContain('text.retracted');
});
