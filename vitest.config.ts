import { defaultServerConditions } from 'vite';
import type { ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = {
  // `agent-hooks` and its subpaths are the sources here, not the last build.
  ssr: { resolve: { conditions: ['agent-hooks-source', ...defaultServerConditions] } },
  test: {
    // Type tests (test/**/*.test-d.ts) are not run: `tsc` compiles them with everything else.
    include: ['test/**/*.test.ts'],
    // A thread per file starts about twice as fast as a process, and shares as little.
    pool: 'threads',
    // Starts Postgres and Redis for the files that ask for them.
    globalSetup: ['test/services/global-setup.ts'],
    // scripts/count-tests.ts reads the second one.
    reporters: ['default', ['json', { outputFile: 'node_modules/.cache/test-results.json' }]],
    coverage: { include: ['src/**'] },
  },
};

export default config;
