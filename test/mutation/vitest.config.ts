import type { ViteUserConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import base from '../../vitest.config.ts';

/** From near to far. */
const FOLDERS = [
  'decisions',
  'hooks',
  'loop',
  'compaction',
  'host',
  'agent',
  'policies',
  'acceptance',
];

/**
 * The tests that judge mutants, in one thread for all files: starting one for each takes longer than the tests do, for
 * every mutant anew. Left out is what takes long, starts processes, or looks at clocks and timers so closely that a busy
 * machine would be taken for a mutant that is caught. The nearest and shortest come first, as the first that fails ends it.
 */
const config: ViteUserConfig = {
  ...base,
  test: {
    ...base.test,
    include: ['test/{decisions,hooks,loop,compaction,host,agent,policies,acceptance}/**/*.test.ts'],
    exclude: [
      'test/compaction/thread-length.test.ts',
      'test/acceptance/*{processes,crash}.test.ts',
      'test/agent/subagents/{processes,crash,ending}.test.ts',
      'test/agent/retention/**',
      'test/agent/{nothing-left,pending-approvals,store-fails-below}.test.ts',
      'test/acceptance/{a-audit,b07-failing-guard,crate-budgets,d-durability,d-rerun}.test.ts',
      'test/acceptance/{m-answers,m-stores,m-time-limits,points-everywhere,s-summaries}.test.ts',
      'test/acceptance/t08-files.test.ts',
      'test/loop/window-splits.test.ts',
      // Loads the package a second time: that would make it a judge, and the only one, of what is made at loading.
      'test/hooks/algebra/another-copy.test.ts',
    ],
    isolate: false,
    maxWorkers: 1,
    setupFiles: ['test/mutation/leave-nothing.ts'],
    sequence: {
      sequencer: class extends BaseSequencer {
        override async sort(files: Parameters<BaseSequencer['sort']>[0]) {
          const near = (id: string) =>
            FOLDERS.findIndex((folder) => id.includes(`/test/${folder}/`));
          const sorted = (await super.sort(files)).reverse();
          return sorted.sort((a, b) => near(a.moduleId) - near(b.moduleId));
        }
      },
    },
    reporters: ['dot'],
  },
};

export default config;
