import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'tsup';

/** The child as one file, so that a process of it is there in a moment. */
export async function buildChild(
  entry: string,
): Promise<{ readonly script: string; remove(): void }> {
  const root = join(import.meta.dirname, '..', '..');
  // Below the packages, so that those left out of it are found.
  const folder = mkdtempSync(join(root, 'node_modules', '.agent-hooks-child-'));
  await build({
    config: false,
    silent: true,
    entry: { child: entry },
    outDir: folder,
    format: 'esm',
    target: 'node20',
    splitting: false,
    outExtension: () => ({ js: '.mjs' }),
    noExternal: [/^(?!node:|pg$|ioredis$|libsql$)/],
  });
  return {
    script: join(folder, 'child.mjs'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
