import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is, in the path or in one of `folders`; `undefined` when it is not installed. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  return [...folders, ...path]
    .map((folder) => join(folder, name))
    .find((file) => isExecutable(file));
}

/** Debian keeps the programs of the server out of the path, by version; the newest comes first. */
export function postgresFolders(): readonly string[] {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return [];
  const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(root, version, 'bin'));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
