import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, vi } from 'vitest';
import type { CheckReport } from '../../src/cli/check-project.ts';

const root = join(import.meta.dirname, '..', '..');
const source = '--conditions=agent-hooks-source';
const made: string[] = [];

// Each run is a process that loads a compiler, and the machine may be busy with others.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

const CONFIG = {
  compilerOptions: {
    strict: true,
    noImplicitOverride: true,
    module: 'nodenext',
    target: 'es2022',
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
    customConditions: ['agent-hooks-source'],
  },
};

interface Setting {
  /** What is installed as `typescript`: version 6, version 7, or nothing. */
  readonly compiler: 'typescript' | 'ts7' | undefined;
  readonly hasConfig?: boolean;
}

/** A project as a user has it, in a folder of its own: these files, this package, and a compiler unless it says not. */
export function project(
  files: Readonly<Record<string, string>>,
  { compiler, hasConfig = true }: Setting = { compiler: 'typescript' },
): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-cli-'));
  made.push(folder);
  const all = {
    'package.json': '{ "private": true, "type": "module" }',
    ...(hasConfig && { 'tsconfig.json': JSON.stringify(CONFIG) }),
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(root, join(folder, 'node_modules', 'agent-hooks'));
  const link = (name: string, as: string): void =>
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', as));
  if (compiler !== undefined) link(compiler, 'typescript');
  if (hasConfig) link('@types', '@types');
  return folder;
}

/** What a process that has ended left. */
interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the command line in a process of its own, in the folder, against the sources. */
export function agentHooks(folder: string, ...args: readonly string[]): Promise<Ended> {
  return run(folder, [source, join(root, 'src', 'cli', 'main.ts'), ...args]);
}

/** The same, by somebody who stops to read after the first piece of it. */
export async function unread(
  folder: string,
  ...args: readonly string[]
): Promise<Omit<Ended, 'out'>> {
  const main = join(root, 'src', 'cli', 'main.ts');
  const child = spawn(process.execPath, [source, main, ...args], { cwd: folder });
  child.stdout.once('data', () => child.stdout.destroy());
  let err = '';
  child.stderr.on('data', (piece) => {
    err += piece;
  });
  const [code] = await once(child, 'close');
  return { code, err };
}

/** The same, as the document that `--json` prints. */
export async function checked(folder: string, ...args: readonly string[]): Promise<CheckReport> {
  const { out, err } = await agentHooks(folder, 'check', '--json', ...args);
  if (out === '') throw new Error(err);
  return JSON.parse(out);
}

/** What `loadHooks` gave or threw in a process of its own, as its names or its findings. */
export interface Loaded {
  readonly names?: readonly string[];
  readonly error?: { readonly name: string; readonly message: string; readonly findings: [] };
  readonly warnings: readonly string[];
}

export async function load(folder: string, options: object = {}): Promise<Loaded> {
  const child = join(import.meta.dirname, 'children', 'load.ts');
  const { out, err } = await run(folder, [source, child, folder, JSON.stringify(options)]);
  if (out === '') throw new Error(err);
  return JSON.parse(out);
}

/** Each finding as `file:line code`. */
export function placesOf({ findings }: Pick<CheckReport, 'findings'>): readonly string[] {
  return findings.map(({ file, line, code }) => `${file}:${line} ${code}`);
}

function run(cwd: string, args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const env = { PATH: process.env['PATH'] };
    execFile(process.execPath, args, { cwd, env }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, out, err });
    });
  });
}
