import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { StorageContender } from './contender.ts';

const folder = join(import.meta.dirname, '..', 'peers', 'langgraph');

/** Whether what agent-hooks is compared with is installed, and runs on this Node. */
export function hasPeer(): boolean {
  return existsSync(join(folder, 'node_modules')) && loads();
}

/** Installs it. Its SQLite is built from source where there is no ready one for this Node; that takes minutes, once. */
export function installPeer(): void {
  if (!existsSync(join(folder, 'node_modules'))) {
    run('npm', ['ci', '--no-audit', '--no-fund'], {});
  }
  if (!loads()) buildForThisNode();
  if (!loads()) throw new Error(`better-sqlite3 in ${folder} does not run on ${process.version}`);
}

/** Their types are not there on a clean clone, so the compiler must not follow this import. */
export async function loadPeer(): Promise<readonly StorageContender[]> {
  const { contenders } = await import(join(folder, 'langgraph.ts'));
  return contenders;
}

/** In a process of its own: a binary for another Node may end the one that loads it. */
function loads(): boolean {
  const script = "new (require('better-sqlite3'))(':memory:').close()";
  try {
    execFileSync(process.execPath, ['--eval', script], { cwd: folder, stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The Node that npm installs here brings no headers along; the package it is made from does. */
function buildForThisNode(): void {
  const headers = mkdtempSync(join(tmpdir(), 'agent-hooks-headers-'));
  const name = `node-${process.platform}-${process.arch}`;
  try {
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    const target = `${name}@${process.versions.node}`;
    run('npm', ['install', '--prefix', headers, ...quiet, target], {});
    const nodedir = join(headers, 'node_modules', name);
    run('npm', ['rebuild', 'better-sqlite3'], { npm_config_nodedir: nodedir });
  } finally {
    rmSync(headers, { recursive: true });
  }
}

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): void {
  // npm runs on the Node that runs this, so that what it builds fits.
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  execFileSync(command, args, {
    cwd: folder,
    env: { ...process.env, PATH: path, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
