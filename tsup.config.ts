import type { Options } from 'tsup';

const config: Options = {
  entry: [
    'src/index.ts',
    'src/testing/index.ts',
    'src/testing/vitest.ts',
    'src/testing/fuzz.ts',
    'src/testing/fuzz/worker.ts',
    'src/stores/sqlite.ts',
    'src/stores/postgres.ts',
    'src/stores/redis.ts',
    'src/models/ai-sdk.ts',
    'src/models/retry.ts',
    'src/knowledge/memory.ts',
    'src/tools/index.ts',
    'src/tools/json-schema.ts',
    'src/tools/mcp.ts',
    'src/tools/webhook.ts',
    'src/policies/webhook.ts',
    'src/cli/load.ts',
    'src/cli/main.ts',
  ],
  format: ['esm', 'cjs'],
  // The d.ts bundler still sets an option that TypeScript 6 deprecates.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  target: 'node20',
  splitting: true,
  clean: true,
  treeshake: true,
  // All but the last three are ESM only, so `require()` of the CJS build could not load them on every Node we support.
  // Those are for what should need nothing installed. They are bundled, hence devDependencies: nobody who installs
  // the package needs them beside the bundle.
  noExternal: ['p-limit', 'p-retry', 'is-network-error', 'minisearch', 'ajv', 'ipaddr.js'],
};

export default config;
