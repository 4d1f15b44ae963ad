import { expect, test, vi } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { tempFiles } from '../stores/temp-files.ts';
import { ofType, readable, transcript } from './evidence.ts';
import { runProcess } from './processes/run-process.ts';

// A process takes its time to start on a busy machine.
vi.setConfig({ testTimeout: 30_000 });

const newPath = tempFiles();

test('H12: five rejections in one process and three in another end the turn at the eighth', async () => {
  const path = newPath();
  const first = await runProcess('reject-steps.ts', path, '5', 'begin', 'reject');
  expect(first).toMatchObject(Array.from({ length: 5 }, () => ({ status: 'continues' })));

  const store = sqliteStore({ path });
  expect((await store.load('t'))?.state['streak']).toMatchObject({
    count: 5,
    policy: 'RejectAll',
    point: 'onLlmResponse',
  });

  const second = await runProcess('reject-steps.ts', path, '20', 'go on', 'reject');
  expect(second).toMatchObject([
    { status: 'continues', steps: 6 },
    { status: 'continues', steps: 7 },
    {
      status: 'failed',
      steps: 8,
      error: { code: 'response-retry-cap', policy: 'RejectAll', streak: 8 },
      usage: { inputTokens: 80, outputTokens: 160 },
    },
  ]);
  const events = await store.readEvents('t');
  expect(ofType(events, 'llm.rejected').map(({ streak }) => streak)).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8,
  ]);
  expect(ofType(events, 'turn.finished')).toHaveLength(1);
  expect(transcript(await store.readMessages('t'))).toEqual(['user: go']);
  expect(await readable(store, 't')).not.toContain('do better');
  await store.close?.();
}, 30_000);

test('H12: the feedback of one process is delivered by the next', async () => {
  const path = newPath();
  await runProcess('reject-steps.ts', path, '1', 'begin', 'reject');
  const store = sqliteStore({ path });
  const waiting = (await store.load('t'))?.state['phase'];
  expect(waiting).toMatchObject({ name: 'requesting', note: '[RejectAll] do better' });
  await runProcess('reject-steps.ts', path, '1', 'go on', 'accept');
  expect(await readable(store, 't')).not.toContain('do better');
  await store.close?.();
}, 30_000);

test('H12 twin: when the second process accepts, the turn completes and the streak is over', async () => {
  const path = newPath();
  await runProcess('reject-steps.ts', path, '5', 'begin', 'reject');
  const second = await runProcess('reject-steps.ts', path, '20', 'go on', 'accept');
  expect(second).toMatchObject([{ status: 'completed', text: 'an answer', steps: 6 }]);
  const store = sqliteStore({ path });
  expect((await store.load('t'))?.state['streak']).toMatchObject({ count: 0 });
  await store.close?.();
}, 30_000);
