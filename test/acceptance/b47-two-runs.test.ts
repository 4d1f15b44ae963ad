import { describe, expect, test } from 'vitest';
import { type Agent, type RunResult, scriptedModel, ThreadBusyError } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { hear, transcript } from './evidence.ts';
import { agentFor, counted, expectStatus, MODES, type Mode, sleep, stores } from './play.ts';
import { expectSound } from './traces.ts';

const script = [{ toolCalls: [{ name: 'look' }] }, 'done', 'and more'];

function begin(mode: Mode, agent: Agent, message: string): Promise<RunResult> {
  const input = { threadId: 't', message };
  if (mode === 'runStep') return agent.runStep(input);
  return mode === 'run' ? agent.run(input) : agent.stream(input).result;
}

async function whole(mode: Mode, agent: Agent): Promise<RunResult> {
  const result = await begin(mode, agent, 'hello');
  return result.status === 'continues' ? agent.runStep({ threadId: 't' }) : result;
}

describe.each(MODES)('%s', (mode) => {
  describe.each(stores())('%s store', (_name, open) => {
    test.each(['the same agent', 'another agent'] as const)(
      'B47: a run on a thread that %s is running is refused, and the history stays whole',
      async (who) => {
        const refused: unknown[] = [];
        const look = counted('look', {
          sideEffects: 'none',
          execute: async () => {
            const second = who === 'the same agent' ? agent : other;
            for (const each of MODES)
              await begin(each, second, 'too').catch((error) => refused.push(error));
          },
        });
        const model = scriptedModel(script, { strict: true });
        const store = open();
        const scene = { store, model, tools: [look.tool] };
        const [agent, other] = [agentFor(mode, scene), agentFor('run', scene)];
        const heard = hear(agent);
        const result = await whole(mode, agent);
        expectStatus(result, 'completed');
        expect(refused).toEqual(MODES.map(() => expect.any(ThreadBusyError)));
        expect(model.calls).toBe(2);
        expectStatus(await begin('run', other, 'now'), 'completed');
        expect(transcript(await store.readMessages('t'))).toEqual([
          'user: hello',
          'assistant: ',
          'tool: ',
          'assistant: done',
          'user: now',
          'assistant: and more',
        ]);
        await expectSound({ agent, store, result, heard, streamed: heard });
      },
    );
  });

  test('B47: of two that begin at the same moment one is refused', async () => {
    const model = scriptedModel(['one', 'two'], { delayMs: 5 });
    const agent = agentFor(mode, { model });
    const both = await Promise.allSettled(['a', 'b'].map((text) => begin(mode, agent, text)));
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(model.calls).toBe(1);
  });

  test('B47, one after the other: both run', async () => {
    const model = scriptedModel(['one', 'two']);
    const agent = agentFor(mode, { model });
    expectStatus(await begin(mode, agent, 'a'), 'completed');
    expectStatus(await begin(mode, agent, 'b'), 'completed');
  });
});

test('B47: two handles on one file keep each other out as well', async () => {
  const path = tempFiles()();
  const [one, two] = [sqliteStore({ path }), sqliteStore({ path })];
  const slow = () => sleep(20).then(() => 'one');
  const running = agentFor('run', { store: one, model: scriptedModel([slow]) });
  const first = running.run({ threadId: 't', message: 'a' });
  const waiting = agentFor('run', { store: two, model: scriptedModel(['two']) });
  const second = { threadId: 't', message: 'b' };
  await expect(waiting.run(second)).rejects.toThrow(ThreadBusyError);
  expectStatus(await first, 'completed');
  expectStatus(await waiting.run(second), 'completed');
  expect(transcript(await two.readMessages('t'))).toEqual([
    'user: a',
    'assistant: one',
    'user: b',
    'assistant: two',
  ]);
  await Promise.all([one.close?.(), two.close?.()]);
});
