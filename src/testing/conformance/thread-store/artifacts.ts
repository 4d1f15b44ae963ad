import assert from 'node:assert/strict';
import { claimed, type StoreCase } from './case.ts';
import { artifact, BIG_TEXT, changes, same } from './samples.ts';

const THREAD = 'thread';

/** Characters that some databases drop, end a text at, or change. */
const HARD_TEXT = '\u0000 \u0001 \uFFFD \uFEFF \u2028 \r\n "\\ 👩‍👩‍👧 ';

export const artifactCases: readonly StoreCase[] = [
  {
    name: 'artifacts: a text is read back character by character, also an empty one and one of a megabyte',
    check: async ({ store }) => {
      const all = ['', HARD_TEXT, BIG_TEXT].map((text, index) => artifact(`1.1.${index}`, text));
      await store.commit(THREAD, await claimed(store, THREAD), 0, changes({ artifacts: all }));
      for (const one of all) {
        const found = await store.readArtifact(THREAD, one.artifactId);
        same(found, one);
        assert.ok(Object.isFrozen(found), 'what a store gives out is frozen');
      }
    },
  },
  {
    name: 'artifacts: one that nobody committed is absent, whatever it is called',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      assert.equal(await store.readArtifact(THREAD, '1.1.0'), undefined);
      await store.commit(THREAD, token, 0, changes({ artifacts: [artifact('1.1.0', 'one')] }));
      for (const id of ['', '1.1.1', '1.1', '__proto__', 'constructor', '1.1.0\u0000', '\uD800'])
        assert.equal(await store.readArtifact(THREAD, id), undefined);
    },
  },
  {
    name: 'artifacts: each belongs to its thread',
    check: async ({ store }) => {
      for (const threadId of ['a', 'b']) {
        const artifacts = [artifact('1.1.0', threadId)];
        await store.commit(threadId, await claimed(store, threadId), 0, changes({ artifacts }));
      }
      same(await store.readArtifact('a', '1.1.0'), artifact('1.1.0', 'a'));
      same(await store.readArtifact('b', '1.1.0'), artifact('1.1.0', 'b'));
      assert.equal(await store.readArtifact('nobody', '1.1.0'), undefined);
    },
  },
  {
    name: 'artifacts: a later commit puts one anew and leaves the others, and reading needs no claim',
    check: async ({ store }) => {
      const token = await claimed(store, THREAD);
      const both = [artifact('1.1.0', 'one'), artifact('1.1.1', 'two')];
      await store.commit(THREAD, token, 0, changes({ artifacts: both }));
      await store.commit(THREAD, token, 1, changes({ artifacts: [artifact('1.1.0', 'anew')] }));
      await store.commit(THREAD, token, 2, changes());
      await store.release(THREAD, token);
      same(await store.readArtifact(THREAD, '1.1.0'), artifact('1.1.0', 'anew'));
      same(await store.readArtifact(THREAD, '1.1.1'), artifact('1.1.1', 'two'));
    },
  },
];
