import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../errors/hook-validation-error.ts';

/** The files of a project that hold policies, and what is wrong with where they are. */
export interface HookFiles {
  /** Below the project, with forward slashes, in path order: `hooks.ts` comes before `hooks/a.ts`. */
  readonly files: readonly string[];
  readonly findings: readonly Finding[];
}

const MODULE = /\.[mc]?[jt]s$/;
const SKIPPED_FILE = /(?:^\.|\.d\.[mc]?ts$|\.(?:test|spec)\.[^/]+$)/;
const SKIPPED_FOLDER = /^(?:\..*|node_modules|dist)$/;
const UNREADABLE = /\.[jt]sx$/;

/** Finds `hooks.ts` and everything under `hooks/`, in whatever form Node loads: ts, mts, cts, js, mjs, cjs. */
export function findHookFiles(dir: string): HookFiles {
  const root = kindOf(dir);
  if (root !== 'folder') {
    const what = root === 'nothing' ? 'there is no such folder' : 'is a file, not a folder';
    return { files: [], findings: [noFiles(dir, what)] };
  }
  const paths = readdirSync(dir)
    .filter((name) => name === 'hooks' || /^hooks\.[mc]?[jt]s$/.test(name))
    .flatMap((name) => (name === 'hooks' ? under(dir, name, new Set()) : name))
    .sort(byPath);
  const files = paths.filter((path) => MODULE.test(path));
  const findings = [
    ...twins(files),
    ...paths.filter((path) => UNREADABLE.test(path)).map(unsupported),
  ];
  if (files.length === 0)
    findings.push(noFiles(dir, 'has neither `hooks.ts` nor a file in `hooks/`'));
  return { files, findings };
}

/** True for a file whose place says that it only hands on what others define. */
export function isIndex(path: string): boolean {
  return /\/index\.[mc]?[jt]s$/.test(path);
}

/** The files below a folder. Links are followed, as a policy that is skipped in silence guards nothing. */
function under(dir: string, folder: string, seen: Set<string>): readonly string[] {
  const absolute = join(dir, folder);
  if (kindOf(absolute) !== 'folder') return [];
  const real = realpathSync(absolute);
  if (seen.has(real)) return [];
  seen.add(real);
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (isFolder(absolute, entry)) {
      return SKIPPED_FOLDER.test(entry.name) ? [] : under(dir, path, seen);
    }
    const isSource = MODULE.test(entry.name) || UNREADABLE.test(entry.name);
    return isSource && !SKIPPED_FILE.test(entry.name) ? [path] : [];
  });
}

function isFolder(parent: string, entry: Dirent): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return kindOf(join(parent, entry.name)) === 'folder';
}

function kindOf(path: string): 'folder' | 'file' | 'nothing' {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'nothing';
  return stats.isDirectory() ? 'folder' : 'file';
}

/** By code unit, so that the order is the same on every machine and in every language. */
function byPath(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A source beside its own build would be asked twice. */
function twins(files: readonly string[]): readonly Finding[] {
  const seen = new Map<string, string>();
  return files.flatMap((file) => {
    const stem = file.replace(MODULE, '');
    const other = seen.get(stem);
    seen.set(stem, other ?? file);
    if (other === undefined) return [];
    return {
      severity: 'error',
      code: 'duplicate-file',
      where: `${other} and ${file}`,
      what: 'are one module in two forms, and its policies would be asked twice',
      fix: 'Build to a folder of its own, such as `dist`, and remove one of them',
      file,
    } satisfies Finding;
  });
}

function unsupported(file: string): Finding {
  return {
    severity: 'error',
    code: 'unsupported-file',
    where: file,
    what: 'is JSX, which Node does not load, so what is in it guards nothing',
    fix: 'Move policies to a `.ts` or `.js` file, and other code out of `hooks/`',
    file,
  };
}

function noFiles(dir: string, what: string): Finding {
  return {
    severity: 'error',
    code: 'no-hook-files',
    where: dir,
    what,
    fix: 'Pass the folder that holds `hooks.ts` or `hooks/`',
  };
}
