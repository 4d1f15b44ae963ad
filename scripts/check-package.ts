/**
 * Packs the package as it would be published and uses it as a stranger would: an empty project, both builds,
 * every Node we support, no optional peer installed. `--built` takes `dist` as it is.
 */
import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The oldest that `engines` promises, and the oldest with SQLite of its own; 24 is the one that runs this script. */
const otherNodes = ['20.19.0', '22.13.0'];
const root = join(import.meta.dirname, '..');
const temp = mkdtempSync(join(tmpdir(), 'agent-hooks-package-'));
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, unknown>>>>;
};
/** What its peer refuses to be required by. */
const esmOnly = Object.entries(exports)
  .filter(([, entry]) => typeof entry === 'object' && !('require' in entry))
  .map(([subpath]) => subpath);
let failed = false;

try {
  if (!process.argv.includes('--built')) await step('build', () => run('tsup', ['--silent']));
  const tarball = await step('pack', pack);
  if (tarball !== undefined) await Promise.all([inspect(tarball), useAsStranger(tarball)]);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;

async function inspect(tarball: string): Promise<void> {
  await step('publint', () => run('publint', [tarball, '--strict']));
  const both = ['--profile', 'node16', '--exclude-entrypoints', ...esmOnly];
  await step('types resolve', () => run('attw', [tarball, '--quiet', ...both]));
  const esm = ['--profile', 'esm-only', '--entrypoints', ...esmOnly];
  await step('types resolve, ESM only', () => run('attw', [tarball, '--quiet', ...esm]));
}

async function useAsStranger(tarball: string): Promise<void> {
  const project = join(temp, 'project');
  const nodes = Promise.all(otherNodes.map(findNode));
  const installed = await step('install', () => install(tarball, project));
  if (installed === undefined) return;
  for (const node of [...(await nodes), process.execPath]) {
    await step(`load and use on ${await run(node, ['--version'])}`, async () => {
      await run(node, ['smoke.mjs', 'esm'], project);
      await run(node, ['smoke.mjs', 'cjs'], project);
      return 'used';
    });
  }
  await step('types compile', () => compile(project));
}

async function pack(): Promise<string> {
  const out = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', temp]);
  const [packed] = Object.values(JSON.parse(out)) as { filename: string }[];
  if (packed === undefined) throw new Error('npm pack made no tarball');
  return join(temp, packed.filename);
}

async function install(tarball: string, project: string): Promise<string> {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n');
  cpSync(join(root, 'scripts', 'package-smoke.mjs'), join(project, 'smoke.mjs'));
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=optional'];
  await run('npm', ['install', ...flags, tarball], project);
  return project;
}

/** The emitted declarations, read by both kinds of importer. Runs last: it adds the peers' types. */
async function compile(project: string): Promise<string> {
  for (const name of ['@types', 'undici-types', 'vitest']) {
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
  }
  const subpaths = Object.keys(exports).filter((subpath) => subpath !== './package.json');
  const importing = (subpath: string, index: number): string =>
    `import * as m${index} from 'agent-hooks${subpath.slice(1)}'; void m${index};`;
  const requirable = subpaths.filter((subpath) => !esmOnly.includes(subpath));
  const files = ['types.mts', 'types.cts'];
  writeFileSync(join(project, 'types.mts'), `${subpaths.map(importing).join('\n')}\n`);
  writeFileSync(join(project, 'types.cts'), `${requirable.map(importing).join('\n')}\n`);
  const flags = '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck false';
  const target = '--module nodenext --target es2022 --lib es2023,esnext.disposable --types node';
  try {
    await run('tsc', [...`${flags} ${target}`.split(' '), ...files], project);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // What other packages declare is theirs to mend.
    const ours = error.message
      .split('\n')
      .filter((line) => /^(types|node_modules.agent-hooks)/.test(line));
    if (ours.length > 0) throw new Error(ours.join('\n'));
  }
  return 'compiled';
}

/** npm keeps what it once ran in its own cache, so only the first time on a machine downloads. */
function findNode(version: string): Promise<string> {
  const flags = ['--yes', '--prefer-offline', `--package=node@${version}`];
  return run('npm', ['exec', ...flags, '--', 'node', '-p', 'process.execPath'], temp);
}

/** What it gave, or undefined when it failed: the others still run, so that one look shows all. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
  const started = performance.now();
  const seconds = (): string => `${((performance.now() - started) / 1000).toFixed(1)} s`;
  try {
    const result = await work();
    console.log(`ok   ${name} (${seconds()})`);
    return result;
  } catch (error) {
    failed = true;
    console.error(`FAIL ${name} (${seconds()})\n${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

function run(command: string, args: readonly string[], cwd: string = root): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, maxBuffer: 16 * 1024 * 1024 }, (error, out, err) => {
      if (error === null) resolve(out.trim());
      else reject(new Error(`${command} ${args.join(' ')}\n${out}${err}`.trimEnd()));
    });
  });
}
