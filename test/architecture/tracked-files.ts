import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A drawer for whatever has no home. What is in it has a name of its own. */
const drawers = /^(utils?|helpers?|common|misc)$/i;

// Put together here, so that this file does not name them.
const words: readonly RegExp[] = [
  new RegExp(`/${'work'}/`),
  new RegExp(`(^|[\\s"'\`(/])${'shared'}/`),
  new RegExp(['registry', '(npmjs|yarnpkg)', '(org|com)'].join('\\.')),
  new RegExp(['(pypi|deb\\.debian|proxy\\.golang)', 'org'].join('\\.')),
];

/** Tracked files and those about to be: all but what .gitignore names. */
export function trackedFiles(root: string): readonly string[] {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  return listed.split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
}

export function nameViolations(files: readonly string[]): string[] {
  return files
    .filter((path) => path.split('/').some((part) => drawers.test(part.replace(/\..*$/, ''))))
    .map((path) => `${path}: name it for what it holds`);
}

/** What belongs to one machine: paths, package registries. */
export function wordViolations(root: string, files: readonly string[]): string[] {
  const banned = [...words, ...ownRegistry()];
  return files.flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    if (text.includes('\0')) return [];
    return text.split('\n').flatMap((line, index) => {
      const match = banned.map((word) => word.exec(line)).find((found) => found !== null);
      return match ? [`${path}:${index + 1} says ${match[0].trim()}`] : [];
    });
  });
}

function ownRegistry(): readonly RegExp[] {
  const address = process.env['npm_config_registry'];
  if (address === undefined || !URL.canParse(address)) return [];
  return [new RegExp(new URL(address).host.replaceAll('.', '\\.'))];
}
