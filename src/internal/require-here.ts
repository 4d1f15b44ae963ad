import { createRequire } from 'node:module';

/** Loads optional packages, as they are found from where this package is. */
export function requireHere(): (name: string) => unknown {
  // The CommonJS build knows its own file by the first, the module build by the second. In `node -e` modules have both,
  // and the first is '[eval]'.
  const isModule = typeof __filename === 'undefined' || __filename.startsWith('[');
  return createRequire(isModule ? import.meta.url : __filename);
}
