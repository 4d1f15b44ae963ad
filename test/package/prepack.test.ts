import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from './packed-project.ts';

const execute = promisify(execFile);
/** Stands in for the build, which takes minutes: what counts here is that packing runs it. */
const BUILD = `require('node:fs').cpSync('src', 'dist', { recursive: true })`;

test('packing a clean clone builds it first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-prepack-'));
  try {
    const { scripts, ...manifest } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    cpSync(join(root, 'src', 'internal'), join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'build.cjs'), BUILD);
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ ...manifest, scripts: { ...scripts, build: 'node build.cjs' } }),
    );
    const pack = ['pack', '--json', '--dry-run', '--foreground-scripts=false'];
    const { stdout } = await execute('npm', pack, { cwd: folder });
    const [packed] = Object.values(JSON.parse(stdout)) as { files: { path: string }[] }[];
    expect(packed?.files.map(({ path }) => path)).toContain('dist/nearest-name.ts');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
