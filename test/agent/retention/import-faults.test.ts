import { deleteThread, importThread, memoryStore, type ThreadStore } from 'agent-hooks';
import { beforeAll, describe, expect, test } from 'vitest';
import { linesOf, MARK, makeFullThread } from './full-thread.ts';

let lines: readonly string[] = [];
beforeAll(async () => {
  const store = memoryStore({ digests: true });
  await makeFullThread(store);
  lines = await linesOf(store);
});

/** Where the first line of a kind is, from 0. */
const at = (kind: string): number => lines.findIndex((line) => line.startsWith(`{"${kind}"`));

/** The lines with one of them changed as JSON. */
const changed = (kind: string, change: (record: any) => unknown): readonly string[] => {
  const index = at(kind);
  const record = JSON.parse(lines[index] ?? '');
  return lines.with(index, JSON.stringify({ ...record, [kind]: change(record[kind]) }));
};

async function refusal(given: readonly unknown[], store: ThreadStore = memoryStore()) {
  const error = await importThread(store, given as string[]).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expect((error as Error).message).not.toContain(MARK);
  expect(await store.listThreads()).toEqual([]);
  return error;
}
