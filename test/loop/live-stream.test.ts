import { type AgentEvent, createAgent, type ModelResponse, memoryStore } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { desk, dyingStore } from './desk.ts';

const CUT = new Error('the connection was lost');

/** A model whose stream breaks off after some text, or that never answers otherwise. */
function breaking(texts: readonly string[]) {
  return {
    id: 'breaking',
    generate: async (): Promise<ModelResponse> => {
      throw CUT;
    },
    async *stream() {
      for (const text of texts) yield { type: 'text', text } as const;
      throw CUT;
    },
  };
}

describe('live streaming', () => {
  test('text of an answer that breaks off is retracted, and no message holds it', async () => {
    const agent = createAgent({ name: 'desk', model: breaking(['The balance ', 'is 7']) });
    const heard: AgentEvent[] = [];
    const stream = agent.stream({ threadId: 't', message: 'go' });
    for await (const event of stream) heard.push(event);
    const types = heard.map(({ type }) => type);
    expect(types.filter((type) => type === 'llm.delta')).toHaveLength(2);
    expect(types.indexOf('text.retracted')).toBeGreaterThan(types.lastIndexOf('llm.delta'));
    expect(types.filter((type) => type === 'text.retracted')).toHaveLength(1);
    const result = await stream.result;
    expect(result.status).toBe('failed');
    expect(JSON.stringify(result.messages)).not.toContain('balance');
  });

  test('an answer that breaks off before any text has nothing to retract', async () => {
    const agent = createAgent({ name: 'desk', model: breaking([]) });
    const types: string[] = [];
    for await (const event of agent.stream({ message: 'go' })) types.push(event.type);
    expect(types).not.toContain('text.retracted');
    expect(types.at(-1)).toBe('turn.finished');
  });
});

describe('a store that fails', () => {
  test('a claim that fails is a failed result, and nothing of a turn is heard', async () => {
    const { agent } = desk({ script: ['hello'], store: dyingStore(memoryStore(), 0) });
    const heard: string[] = [];
    agent.on('*', ({ type }) => void heard.push(type));
    expect(await agent.run({ message: 'go' })).toMatchObject({
      status: 'failed',
      error: { code: 'store-failed' },
    });
    expect(heard).toEqual([]);
  });

  test('L6: when only commits fail, every start has its end', async () => {
    const disk = memoryStore();
    const store = {
      ...Object.fromEntries(
        (
          [
            'claim',
            'renew',
            'release',
            'load',
            'readMessages',
            'readEvents',
            'readLedger',
            'recordLate',
            'readArtifact',
          ] as const
        ).map((name) => [name, Reflect.get(disk, name).bind(disk)]),
      ),
      commit: () => {
        throw new Error('disk full');
      },
    };
    const { agent } = desk({ script: ['hello'], store: store as never });
    const heard: string[] = [];
    agent.on('*', ({ type }) => void heard.push(type));
    const result = await agent.run({ message: 'go' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'store-failed' } });
    for (const noun of ['turn', 'step']) {
      expect(heard.filter((type) => type.startsWith(`${noun}.`))).toEqual([
        `${noun}.started`,
        `${noun}.finished`,
      ]);
    }
  });
});
