import type { Import, Source } from './read-sources.ts';

/** Lowest first. A folder imports only from the rows above its own; those of one row never see each other. */
const layers: readonly (readonly string[])[] = [
  ['internal'],
  ['protocol', 'errors'],
  ['decisions'],
  ['events'],
  ['hooks', 'tools', 'models', 'stores', 'knowledge'],
  ['loop', 'policies'],
  ['agent'],
  ['testing', 'adapters', 'serve', 'durable', 'otel', 'inspector'],
  ['cli'],
];

/** What the rows alone would allow. */
const never: Readonly<Record<string, readonly string[]>> = {
  adapters: ['loop', 'agent'],
  // The root entry exports from every folder but this one.
  '': ['cli'],
};

/** The loop sees ports, never an implementation. */
const portFile = /^(tools|models|stores|knowledge)\/([^/]+-)?port\.ts$/;

/** Who may import whom, type imports included. */
export function layerViolations(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap((source) => [
    ...homeless(source.path),
    ...source.imports.flatMap((one) => misplaced(source.path, one, paths)),
  ]);
}

function homeless(path: string): string[] {
  const folder = folderOf(path);
  if (path === 'index.ts' || (folder !== '' && rankOf(folder) !== -1)) return [];
  return [`src/${path}: ${folder === '' ? 'no file but index.ts' : `no layer called "${folder}"`}`];
}

function misplaced(path: string, one: Import, paths: ReadonlySet<string>): string[] {
  const { specifier, target, at } = one;
  if (/^agent-hooks(\/|$)/.test(specifier)) return [`${at} imports the package by its own name`];
  if (target === undefined) return [];
  if (!paths.has(target)) return [`${at} imports ${specifier}, which is no file under src`];
  const [from, to] = [folderOf(path), folderOf(target)];
  if (from === to && from !== '') return [];
  if (never[from]?.includes(to)) return [`${at} ${from || 'index.ts'} must not see ${to}`];
  if (
    from === 'loop' &&
    rankOf(to) === rankOf('hooks') &&
    to !== 'hooks' &&
    !portFile.test(target)
  ) {
    return [`${at} loop sees ports only, not ${target}`];
  }
  return from === '' || rankOf(to) < rankOf(from)
    ? []
    : [`${at} ${from} must not see ${to || target}`];
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : '';
}

/** The root entry is above all. A folder of no layer has -1. */
function rankOf(folder: string): number {
  return folder === '' ? layers.length : layers.findIndex((layer) => layer.includes(folder));
}
