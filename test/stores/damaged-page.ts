import { inspect } from 'node:util';
import { createAgent, deleteThread, scriptedModel } from 'agent-hooks';
import { expect, vi } from 'vitest';
import { CorruptRecordError } from '../../src/errors/store-error.ts';
import type { ThreadStore } from '../../src/stores/port.ts';
import { approval, changes } from '../../src/testing/conformance/thread-store/samples.ts';

/** Of these threads the approvals and versions are to be damaged; each thread has one approval, `a-<thread>`. */
export const DAMAGED: readonly string[] = ['t1', 't2', 't3', 't6', 't7/x'];
const THREADS = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't7/x'];
const INTACT = THREADS.filter((id) => !DAMAGED.includes(id));
const SECRET = 'sk-not-for-a-log';

export async function fillThreads(store: ThreadStore): Promise<void> {
  for (const id of THREADS) {
    const { token } = await store.claim(id, { holder: 'a', ttlMs: 60_000 });
    await store.commit(id, token, 0, changes({ approvals: [approval(id, `a-${id}`)] }));
    await store.release(id, token);
  }
}

/** B46, B49: whatever the size of a page, the damaged records are named, each once, and the others are all there. */
export async function expectDamagedNamed(store: ThreadStore): Promise<void> {
  for (const limit of [undefined, 1, 2, 3, 7]) {
    const size = limit === undefined ? {} : { limit };
    expect(await paged(size, (page) => store.pendingApprovals(page), 'approvalId')).toEqual({
      ids: INTACT.map((id) => `a-${id}`),
      damaged: DAMAGED,
    });
    expect(await paged(size, (page) => store.listThreads(page), 'threadId')).toEqual({
      ids: INTACT,
      damaged: DAMAGED,
    });
  }
  const named: CorruptRecordError[] = [];
  const onDamaged = (error: CorruptRecordError): void => void named.push(error);
  expect(await store.pendingApprovals({ threadId: 't1', onDamaged })).toEqual([]);
  expect(await store.pendingApprovals({ threadId: 't4', onDamaged })).toHaveLength(1);
  expect(named.map(({ threadId }) => threadId)).toEqual(['t1']);
  // Nobody is told: then it is not left out without a word.
  for (const read of [() => store.pendingApprovals(), () => store.listThreads()])
    await expect(async () => read()).rejects.toThrow(CorruptRecordError);
  await expectAgentGoesOn(store);
  await expectOthersDeleted(store);
}

/** What is damaged of others stops no deletion. A thread that may be of a subagent has to be looked at first. */
async function expectOthersDeleted(store: ThreadStore): Promise<void> {
  for (const id of ['t4', 't1']) expect(await deleteThread(store, id)).toBe(1);
  const named = { code: 'corrupt-record', threadId: 't7/x' };
  await expect(deleteThread(store, 't7')).rejects.toMatchObject(named);
  for (const id of ['t7/x', 't7']) expect(await deleteThread(store, id)).toBe(1);
}

async function expectAgentGoesOn(store: ThreadStore): Promise<void> {
  const agent = createAgent({ name: 'desk', model: scriptedModel([]), store });
  const damaged: CorruptRecordError[] = [];
  const open = await agent.pendingApprovals({ onDamaged: (error) => void damaged.push(error) });
  expect(open.map(({ threadId }) => threadId)).toEqual(INTACT);
  expect(damaged.map(({ threadId }) => threadId).sort()).toEqual(DAMAGED);
  expect(inspect(damaged, { depth: 9 })).not.toContain(SECRET);
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  expect(await agent.pendingApprovals({ limit: 2 })).toHaveLength(2);
  const said = warned.mock.calls.map((args) => inspect(args)).join('\n');
  warned.mockRestore();
  for (const id of DAMAGED.slice(0, 3)) expect(said).toContain(`thread '${id}'`);
  expect(said).toContain('AGENT_HOOKS_DAMAGED');
  expect(said).not.toContain(SECRET);
}

type Page = Parameters<ThreadStore['listThreads']>[0];

async function paged<Key extends string>(
  size: { readonly limit?: number },
  read: (page: Page) => unknown,
  key: Key,
) {
  const ids: string[] = [];
  const damaged = new Set<string>();
  for (let after: string | undefined; ; after = ids.at(-1)) {
    const page = (await read({
      ...size,
      ...(after !== undefined && { after }),
      onDamaged: ({ threadId }) => void damaged.add(threadId),
    })) as readonly { readonly [name in Key]: string }[];
    ids.push(...page.map((one) => one[key]));
    if (page.length < (size.limit ?? Number.POSITIVE_INFINITY)) break;
  }
  return { ids, damaged: [...damaged].sort() };
}
