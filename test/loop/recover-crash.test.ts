import { defineHooks, ModelError, memoryStore, type ScriptEntry } from 'agent-hooks';
import { describe, expect, test } from 'vitest';
import { desk, dyingStore } from './desk.ts';

const CAP = 8;
const down: ScriptEntry = () =>
  new ModelError('overloaded', { where: "model 'm'", what: 'it is busy', fix: 'Ask later' });
const recover = defineHooks({ name: 'optimist', onError: () => true });

/** Runs until the process behind the store is gone after `commits` commits, and waits until its claim has run out. */
async function crashAfter(commits: number, script: readonly ScriptEntry[]) {
  const clock = { now: 1_000 };
  const disk = memoryStore({ now: () => clock.now });
  const log: string[] = [];
  const first = desk({ script, store: dyingStore(disk, commits), log, hooks: [recover] });
  await first.agent.run({ threadId: 't', message: 'go' }).catch((error: unknown) => error);
  clock.now += 60_000;
  return { disk, clock, log, called: first.model.calls };
}

describe('L2: a process may end between any two commits of a recovery', () => {
  // The first commit is that of the message; each after it is one recovery.
  for (let commits = 1; commits <= CAP + 1; commits += 1) {
    test(`L9: one that ends after ${commits} commits leaves ${commits - 1} recoveries, and the next goes on from there`, async () => {
      const script = Array.from({ length: 20 }, () => down);
      const { disk, called } = await crashAfter(commits, script);
      const state = (await disk.load('t'))?.state;
      expect(state?.['recoveries'] ?? 0).toBe(commits - 1);
      // Nothing was paid for that the store does not know of.
      expect(called).toBe(commits);

      const second = desk({ script, store: disk, hooks: [recover] });
      const result = await second.agent.resume({ threadId: 't' });
      expect(result).toMatchObject({
        status: 'failed',
        error: { code: 'recovery-cap', recoveries: CAP },
        steps: CAP + 1,
      });
      // The call the first process did not survive is made again, as its step; no recovery is lost or made twice.
      expect(second.model.calls).toBe(CAP + 2 - commits);
      expect((await disk.load('t'))?.state['recoveries']).toBe(CAP);
      const turns = (await disk.readEvents('t'))
        .map(({ type }) => type)
        .filter((type) => type.startsWith('turn.'));
      expect(turns).toEqual(['turn.started', 'turn.finished']);
    });

    test(`L9: after ${commits} commits, an answer in the next process completes the turn and ends the recoveries`, async () => {
      const { disk } = await crashAfter(
        commits,
        Array.from({ length: 20 }, () => down),
      );
      const second = desk({ script: ['hello'], store: disk, hooks: [recover] });
      const result = await second.agent.resume({ threadId: 't' });
      expect(result).toMatchObject({ status: 'completed', text: 'hello', steps: commits });
      expect((await disk.load('t'))?.state).not.toHaveProperty('recoveries');
    });

    test(`L9: after ${commits} commits, a new message closes the turn and keeps the count`, async () => {
      const { disk } = await crashAfter(
        commits,
        Array.from({ length: 20 }, () => down),
      );
      const script = [...Array.from({ length: CAP + 1 - commits }, () => down), 'hello'];
      const second = desk({ script, store: disk, hooks: [recover] });
      const result = await second.agent.run({ threadId: 't', message: 'still there?' });
      expect(result).toMatchObject({ status: 'completed', text: 'hello' });
    });
  }

  test('L9: a process that ends while a policy thinks about the error has lost only that call', async () => {
    const clock = { now: 1_000 };
    const disk = memoryStore({ now: () => clock.now });
    const stuck = defineHooks({
      name: 'stuck',
      onError: () => new Promise<boolean>(() => undefined),
    });
    const first = desk({ script: [down], store: disk, hooks: [stuck] });
    const end = new AbortController();
    const gone = first.agent.run({ threadId: 't', message: 'go', signal: end.signal });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await disk.load('t'))?.state).toMatchObject({
      phase: { name: 'requesting', attempt: 1, armed: true },
    });
    clock.now += 60_000;
    const second = desk({ script: ['hello'], store: disk, hooks: [recover] });
    const result = await second.agent.resume({ threadId: 't' });
    expect(result).toMatchObject({ status: 'completed', text: 'hello', steps: 1 });
    // Whoever comes back to a thread that another has taken over changes nothing.
    end.abort();
    await gone;
    expect((await disk.load('t'))?.state).toMatchObject({ phase: { outcome: { text: 'hello' } } });
  });
});
