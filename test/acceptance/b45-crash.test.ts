import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { memoryStore, scriptedModel, type ThreadStore } from '../../src/index.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { agentFor, counted, expectStatus, type Played, play } from './play.ts';
import { expectAnswered, expectPairs, expectSound, resultsIn } from './traces.ts';

// A process takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const newPath = tempFiles();

/** A store as it is found a while after a process that held a thread has ended. */
function later(path: string): ThreadStore {
  return sqliteStore({ path, now: () => Date.now() + 60_000 });
}

async function killInTool(path: string, sideEffects: string): Promise<void> {
  const script = join(import.meta.dirname, 'processes', 'hang-in-tool.ts');
  const child: ChildProcess = spawn(process.execPath, [script, path, sideEffects], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (child.stdout === null) throw new Error('the child has no output');
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'exit');
}

describe('a process that is killed while a tool runs', () => {
  test('B45: the next message goes on with a whole history, and the tool is not run again', async () => {
    const path = newPath();
    await killInTool(path, 'once');
    const store = later(path);
    const charge = counted('charge');
    const model = scriptedModel(['what now?'], { strict: true });
    const agent = agentFor('run', { store, model, tools: [charge.tool] });
    const result = await agent.run({ threadId: 't', message: 'still there?' });
    expect(expectStatus(result, 'completed').text).toBe('what now?');
    expect(charge.inputs).toEqual([]);
    const messages = await store.readMessages('t');
    expect(resultsIn(messages)['1.1.0']?.outcome).toBe('unknown');
    expect(JSON.stringify(model.requests[0])).toContain('Outcome unknown');
    expectAnswered(messages);
    expectPairs(await store.readEvents('t'));
    await store.close?.();
  });

  test('B45: resumed, a tool that only reads runs again, and one that must run once does not', async () => {
    for (const sideEffects of ['none', 'once'] as const) {
      const path = newPath();
      await killInTool(path, sideEffects);
      const store = later(path);
      const charge = counted('charge', { sideEffects });
      const model = scriptedModel(['done'], { strict: true });
      const agent = agentFor('run', { store, model, tools: [charge.tool] });
      expectStatus(await agent.resume({ threadId: 't' }), 'completed');
      expect(charge.inputs).toHaveLength(sideEffects === 'none' ? 1 : 0);
      expectAnswered(await store.readMessages('t'));
      expectPairs(await store.readEvents('t'));
      await store.close?.();
    }
  });
});

describe('B13: starts and ends are paired', () => {
  const script = [{ toolCalls: [{ name: 'look' }] }, 'done', 'and more'];
  const look = counted('look', { sideEffects: 'none' });

  async function afterOneStep(): Promise<Played> {
    const scene = { model: scriptedModel(script), tools: [look.tool] };
    const started = await play('run', { ...scene, model: scriptedModel(['hi']) });
    const agent = agentFor('runStep', { ...scene, store: started.store });
    const heard = [...started.heard];
    agent.on('*', (event) => heard.push(event));
    const result = await agent.runStep({ threadId: 't', message: 'look it up' });
    expectStatus(result, 'continues');
    return { ...started, agent, heard };
  }

  test('when a turn is cancelled between two steps', async () => {
    const played = await afterOneStep();
    const result = expectStatus(await played.agent.cancel('t'), 'cancelled');
    expect(result.steps).toBe(1);
    await expectSound(played);
  });

  test('when a message ends a turn between two steps', async () => {
    const played = await afterOneStep();
    await played.agent.run({ threadId: 't', message: 'never mind' });
    await expectSound(played);
  });

  test('when a turn goes on after it stopped between two steps', async () => {
    const played = await afterOneStep();
    expectStatus(await played.agent.runStep({ threadId: 't' }), 'completed');
    await expectSound(played);
  });

  test.each(['resume', 'run', 'cancel'] as const)(
    'when a process ends in the second model call, and then %s',
    async (how) => {
      let time = 1_000;
      const store = memoryStore({ now: () => time });
      const dies = scriptedModel([script[0] ?? '', () => new Promise(() => undefined)]);
      const lost = agentFor('run', { store, model: dies, tools: [look.tool] });
      void lost.run({ threadId: 't', message: 'look it up' });
      while (dies.calls < 2) await new Promise((resolve) => setImmediate(resolve));
      time += 60_000;
      const agent = agentFor('run', { store, model: scriptedModel(['done']), tools: [look.tool] });
      if (how === 'resume') expectStatus(await agent.resume({ threadId: 't' }), 'completed');
      if (how === 'run') {
        expectStatus(await agent.run({ threadId: 't', message: 'again' }), 'completed');
      }
      if (how === 'cancel') expectStatus(await agent.cancel('t'), 'cancelled');
      expectPairs(await store.readEvents('t'));
      expectAnswered(await store.readMessages('t'));
    },
  );
});
