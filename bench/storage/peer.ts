import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StorageContender } from './contender.ts';

const folder = join(import.meta.dirname, '..', 'peers', 'langgraph');

/** Whether what agent-hooks is compared with is installed. */
export function hasPeer(): boolean {
  return existsSync(join(folder, 'node_modules'));
}

export function installPeer(): void {
  const stdio: ['ignore', 'ignore', 'inherit'] = ['ignore', 'ignore', 'inherit'];
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio });
}

/** Its types are not there on a clean clone, so the compiler must not follow this import. */
export async function loadPeer(): Promise<readonly StorageContender[]> {
  const { contenders } = await import(join(folder, 'langgraph.ts'));
  return contenders;
}
