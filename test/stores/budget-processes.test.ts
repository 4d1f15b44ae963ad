import { expect, test, vi } from 'vitest';
import { postgresStore } from '../../src/stores/postgres.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { onService } from '../services/on-service.ts';
import { ended, startChild } from './child-process.ts';
import { newSchema } from './new-schema.ts';
import { tempFiles } from './temp-files.ts';

vi.setConfig({ testTimeout: 60_000 });

const newPath = tempFiles();
const PROCESSES = 3;
const RUNS = 10;
const LIMIT = 17;
const COUNTER = 'budget:tenant:cost:always:acme';

/** What all processes together have completed, been refused and called. */
async function spendTogether(where: readonly [kind: string, at: string, place: string]) {
  const args = [...where, String(Date.now() + 2_500), String(RUNS), String(LIMIT)];
  const said = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const child = startChild('spend-together.ts', args);
      let text = '';
      child.stdout?.on('data', (piece: string) => {
        text += piece;
      });
      expect(await ended(child)).toEqual({ code: 0, errors: '' });
      return JSON.parse(text) as number[];
    }),
  );
  return [0, 1, 2].map((at) => said.reduce((sum, one) => sum + (one[at] ?? 0), 0));
}

const SPENT = [LIMIT, PROCESSES * RUNS - LIMIT, LIMIT];

test('L13: processes that share a file spend one budget to its last call, and no further', async () => {
  const path = newPath();
  expect(await spendTogether(['sqlite', path, ''])).toEqual(SPENT);
  const store = sqliteStore({ path });
  expect(store.counters.read(COUNTER)).toBe(LIMIT * 1_000_000);
  await store.close?.();
});

await onService('postgres', (url) => {
  test('L13: processes that share a database spend one budget to its last call, and no further', async () => {
    const schema = newSchema();
    expect(await spendTogether(['postgres', url, schema])).toEqual(SPENT);
    const store = postgresStore({ url, schema });
    expect(await store.counters.read(COUNTER)).toBe(LIMIT * 1_000_000);
    await store.close();
  });
});

await onService('redis', (url) => {
  test('L13: processes that share a server spend one budget to its last call, and no further', async () => {
    const prefix = `budget-${newSchema().slice(2)}`;
    expect(await spendTogether(['redis', url, prefix])).toEqual(SPENT);
    const store = redisStore({ url, prefix });
    expect(await store.counters.read(COUNTER)).toBe(LIMIT * 1_000_000);
    await store.close();
  });
});
