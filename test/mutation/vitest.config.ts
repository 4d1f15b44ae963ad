import type { ViteUserConfig } from 'vitest/config';
import base from '../../vitest.config.ts';

/** The tests that judge mutants: those of the mutated folders, without what starts processes, builds or waits long. */
const config: ViteUserConfig = {
  ...base,
  test: {
    ...base.test,
    include: [
      'test/{decisions,hooks,loop,acceptance,testing,protocol,internal,errors,agent}/**/*.test.ts',
    ],
    exclude: ['test/acceptance/*{processes,crash}.test.ts', 'test/testing/vitest*.test.ts'],
    reporters: ['dot'],
  },
};

export default config;
