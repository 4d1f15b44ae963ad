import type { ThreadChanges, ThreadStore } from '../../src/index.ts';

/** A store whose disk can fail, in front of one that works. Answers later, as a store behind a network does. */
export interface FailingStore extends ThreadStore {
  /** How many commits have been asked for so far, failed ones included. */
  readonly commits: number;
  /** What the commits that were written held, in order. */
  readonly written: readonly ThreadChanges[];
  /** Every commit works from now on. */
  repair(): void;
}

/** Fails the commits that `fails` names, counted from 1, until it is repaired. Nothing of them is written. */
export function failingStore(store: ThreadStore, fails: (commit: number) => boolean): FailingStore {
  let commits = 0;
  let broken = true;
  const written: ThreadChanges[] = [];
  return {
    get commits() {
      return commits;
    },
    written,
    repair: () => {
      broken = false;
    },
    commit: async (...args) => {
      commits += 1;
      await Promise.resolve();
      if (broken && fails(commits)) throw new Error('the disk is full');
      await store.commit(...args);
      written.push(args[3]);
    },
    claim: async (...args) => store.claim(...args),
    renew: async (...args) => store.renew(...args),
    release: async (...args) => store.release(...args),
    load: async (...args) => store.load(...args),
    readMessages: async (...args) => store.readMessages(...args),
    readEvents: async (...args) => store.readEvents(...args),
    readLedger: async (...args) => store.readLedger(...args),
    listThreads: async (...args) => store.listThreads(...args),
    pendingApprovals: async (...args) => store.pendingApprovals(...args),
    findApproval: async (...args) => store.findApproval(...args),
    readArtifact: async (...args) => store.readArtifact(...args),
    recordLate: async (...args) => store.recordLate(...args),
    deleteThread: async (...args) => store.deleteThread(...args),
    rewriteThread: async (...args) => store.rewriteThread(...args),
  };
}
