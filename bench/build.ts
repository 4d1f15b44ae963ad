import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Builds the package where a source is newer than the build: what is measured is `dist`. */
export function buildWhereOld(): void {
  if (isBuilt()) return;
  const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit'];
  execFileSync('npm', ['run', '--silent', 'build', '--', '--silent'], { cwd: root, stdio });
}

function isBuilt(): boolean {
  const built = statSync(join(root, 'dist', 'index.js'), { throwIfNoEntry: false });
  if (built === undefined) return false;
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return sources.every((name) => statSync(join(root, 'src', name)).mtimeMs <= built.mtimeMs);
}
