import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type Message,
  type ThreadStore,
  textOf,
  toolCallsOf,
  toolResultsOf,
} from '../../src/index.ts';
import { buildChild } from '../crash/build-child.ts';
import { openPlace } from '../crash/open-place.ts';
import type { StorePlace } from '../crash/plan.ts';
import { onService } from '../services/on-service.ts';
import { newSchema } from '../stores/new-schema.ts';
import type { WorkerPlan } from './plan.ts';

const THREADS = 200;
const QUOTA = 2;

await onService('postgres', (url) => {
  let child: Awaited<ReturnType<typeof buildChild>>;
  let folder: string;

  beforeAll(async () => {
    child = await buildChild(join(import.meta.dirname, 'worker.ts'));
    folder = mkdtempSync(join(tmpdir(), 'agent-hooks-workers-'));
  }, 60_000);
  afterAll(() => {
    child.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each([2, 8])(
    `B47: %i workers on the same ${THREADS} threads: no history is mixed, no update lost, no turn run twice`,
    async (workers) => {
      const place: StorePlace = { kind: 'postgres', at: url, name: newSchema() };
      const effects = join(folder, `${workers}`);
      const plan = { place, threads: THREADS, quota: QUOTA, effects };
      const ends = Array.from({ length: workers }, (_, worker) => run({ ...plan, worker }));
      expect(await Promise.all(ends)).toEqual(ends.map(() => 0));
      const store = openPlace(place);
      const paid: string[] = [];
      for (let index = 0; index < THREADS; index += 1) {
        paid.push(...(await turnsOf(store, `thread-${index}`)));
      }
      await store.close?.();
      // Every turn of a history was paid once, and nothing was paid that is in no history.
      expect(readFileSync(effects, 'utf8').split('\n').slice(0, -1).sort()).toEqual(paid.sort());
      expect(new Set(paid).size).toBe(THREADS * QUOTA);
    },
    300_000,
  );

  async function run(plan: WorkerPlan): Promise<unknown> {
    const worker = spawn(process.execPath, [child.script, JSON.stringify(plan)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const [code] = await once(worker, 'exit');
    return code;
  }
});

/** Checks one thread, and gives what each of its turns paid. */
async function turnsOf(store: ThreadStore, threadId: string): Promise<readonly string[]> {
  const thread = await store.load(threadId);
  expect(thread?.memory['quota']).toEqual({ turns: QUOTA });
  const messages = await store.readMessages(threadId);
  expect(messages).toHaveLength(4 * QUOTA);
  const seqs = (await store.readEvents(threadId)).map(({ seq }) => seq);
  expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
  return Array.from({ length: QUOTA }, (_, turn) => {
    const [user, call, result, said] = messages.slice(4 * turn, 4 * turn + 4) as [
      Message,
      Message,
      Message,
      Message,
    ];
    const key = textOf(user);
    expect(toolCallsOf(call).map(({ input }) => input)).toEqual([{ key }]);
    expect(toolResultsOf(result).map(({ output }) => output)).toEqual([`paid ${key}`]);
    expect(textOf(said)).toBe(`done by ${key.split(' ')[1]}`);
    return key;
  });
}
