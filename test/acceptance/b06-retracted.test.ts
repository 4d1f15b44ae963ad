import { describe, expect, test } from 'vitest';
import {
  type AgentEvent,
  type AgentHooks,
  type ChatResponse,
  createAgent,
  defineHooks,
  MessageDecision,
  memoryStore,
  ResponseDecision,
  type ScriptEntry,
  scriptedModel,
  ToolDecision,
} from '../../src/index.ts';
import { ofType } from './evidence.ts';
import { counted, expectStatus } from './play.ts';

const WORD = 'xyzzy';
const has = ({ text }: { readonly text: string }): boolean => text.includes(WORD);
const answer = { text: `the word is ${WORD}`, toolCalls: [{ name: 'look' }] };

const response = (decision: ResponseDecision) => (given: ChatResponse) =>
  has(given) ? decision : undefined;

/** Each way to take back what a live stream has shown: the policy, and the point it is told of. */
const GUARDS: readonly (readonly [how: string, point: string, hooks: AgentHooks])[] = [
  [
    'blocks at onLlmResponse',
    'onLlmResponse',
    { onLlmResponse: response(ResponseDecision.block('x')) },
  ],
  [
    'retries at onLlmResponse',
    'onLlmResponse',
    { onLlmResponse: response(ResponseDecision.retryWithFeedback('x')) },
  ],
  [
    'rewrites at onLlmResponse',
    'onLlmResponse',
    { onLlmResponse: response(ResponseDecision.modify({ text: 'hm' })) },
  ],
  [
    'retries at preToolUse',
    'preToolUse',
    { preToolUse: () => ToolDecision.retryWithFeedback('x') },
  ],
  [
    'blocks at onOutgoingMessage',
    'onOutgoingMessage',
    { onOutgoingMessage: (text) => (has(text) ? MessageDecision.block('x') : undefined) },
  ],
  [
    'rewrites at onOutgoingMessage',
    'onOutgoingMessage',
    { onOutgoingMessage: (text) => (has(text) ? MessageDecision.modify('hm') : undefined) },
  ],
];

function live(script: readonly ScriptEntry[], hooks: readonly AgentHooks[]) {
  return createAgent({
    name: 'a',
    model: scriptedModel(script),
    store: memoryStore(),
    tools: [counted('look', { sideEffects: 'none' }).tool],
    streaming: 'live',
    hooks,
  });
}

async function read(events: AsyncIterable<AgentEvent>): Promise<readonly AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('B06: what a live stream has shown', () => {
  test.each(GUARDS)(
    'is taken back once by a policy that %s, before anything else is shown',
    async (how, point, hook) => {
      const hooks = [defineHooks({ name: 'guard', ...hook })];
      const agent = live([answer, 'done'], hooks);
      const stream = agent.stream({ threadId: 't', message: 'go' });
      const events = await read(stream);
      await stream.result;
      // Of a rewrite the event says only where it was.
      const by = how.startsWith('rewrites') ? {} : { by: 'guard' };
      expect(ofType(events, 'text.retracted')).toMatchObject([{ ...by, point }]);
      const retracted = events.findIndex(({ type }) => type === 'text.retracted');
      const before = events.slice(0, retracted);
      expect(before.map(({ type }) => type)).toContain('llm.delta');
      expect(before.map(({ type }) => type)).not.toContain('message.outgoing');
      expect(ofType(before, 'llm.requested')).toHaveLength(1);
    },
  );

  test('is not taken back when nobody objects', async () => {
    const events = await read(live([answer, 'done'], []).stream({ threadId: 't', message: 'go' }));
    expect(ofType(events, 'text.retracted')).toEqual([]);
    expect(ofType(events, 'message.outgoing').map(({ text }) => text)).toEqual([
      answer.text,
      'done',
    ]);
  });

  test('is taken back when the call fails after its first pieces', async () => {
    const agent = createAgent({
      name: 'a',
      model: {
        id: 'm',
        generate: () => Promise.reject(new Error('not used')),
        async *stream() {
          yield { type: 'text', text: WORD } as const;
          throw new Error('socket hang up');
        },
      },
      streaming: 'live',
    });
    const events = await read(agent.stream({ threadId: 't', message: 'go' }));
    expect(ofType(events, 'text.retracted')).toMatchObject([{ point: 'model' }]);
    const types = events.map(({ type }) => type);
    expect(types.indexOf('text.retracted')).toBeLessThan(types.indexOf('message.outgoing'));
  });

  test('beside a batch that ends unsaid is taken back too: a failed policy, a denied call, a message in its place', async () => {
    const broken = defineHooks({
      name: 'broken',
      preToolUse() {
        throw new Error('broken');
      },
    });
    const failed = await read(live([answer], [broken]).stream({ threadId: 't', message: 'go' }));
    expect(ofType(failed, 'text.retracted')).toHaveLength(1);

    const asks = defineHooks({
      name: 'asks',
      preToolUse: () => ToolDecision.requiresConfirmation('May it?'),
      onOutgoingMessage: (text) => (has(text) ? MessageDecision.block('x') : undefined),
    });
    for (const way of ['resume', 'supersede', 'cancel'] as const) {
      const agent = live([answer, 'done'], [asks]);
      const heard: AgentEvent[] = [];
      agent.on('*', (event) => heard.push(event));
      const first = await agent.stream({ threadId: 't', message: 'go' }).result;
      const [asked] = expectStatus(first, 'awaiting-approval').approvals;
      expect(ofType(heard, 'text.retracted')).toEqual([]);
      const answers = [{ approvalId: asked?.approvalId ?? '', approved: true, by: 'ann' }];
      if (way === 'resume') await agent.streamResume({ threadId: 't', answers }).result;
      if (way === 'cancel') await agent.cancel('t');
      if (way === 'supersede') {
        await agent.stream({ threadId: 't', message: 'on', supersede: true }).result;
      }
      expect(ofType(heard, 'text.retracted'), way).toHaveLength(1);
    }
  });
});
