import type { Options } from 'tsup';

const config: Options = {
  entry: [
    'src/index.ts',
    'src/testing/index.ts',
    'src/testing/vitest.ts',
    'src/stores/sqlite.ts',
    'src/models/ai-sdk.ts',
  ],
  format: ['esm', 'cjs'],
  // The d.ts bundler still sets an option that TypeScript 6 deprecates.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  target: 'node20',
  splitting: true,
  clean: true,
  treeshake: true,
  // p-limit is ESM only, so `require()` of the CJS build could not load it on every Node we support.
  // It is bundled, hence a devDependency: nobody who installs the package needs it beside the bundle.
  noExternal: ['p-limit'],
};

export default config;
