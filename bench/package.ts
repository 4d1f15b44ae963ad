import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'tsup';
import { peerPackages } from './contenders.ts';
import { median } from './measure.ts';
import { type ImportRow, round, type Sizes } from './rows.ts';

const entry = new URL('../dist/index.js', import.meta.url);

/** Milliseconds until the root entry is there, in a process that has loaded nothing else. */
export async function measureImports(processes: number): Promise<ImportRow[]> {
  const packages = [
    { name: 'agent-hooks', contender: 'memory', entry } as const,
    ...peerPackages().map(({ name, contender, entry }) => ({ name, contender, entry })),
  ];
  const times = packages.map((): number[] => []);
  for (let index = 0; index < processes; index += 1) {
    for (const [at, { entry }] of packages.entries()) times[at]?.push(await importOnce(entry));
  }
  return packages.map(({ name, contender }, at) => {
    return { name, contender, ms: round(median(times[at] ?? [])) };
  });
}

async function importOnce(url: URL): Promise<number> {
  const script = `const started = performance.now();
    await import(${JSON.stringify(url.href)});
    console.log(performance.now() - started);`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

/** What a browser or a worker would load for `import * as all from 'agent-hooks'`. */
export async function measureSizes(): Promise<Sizes> {
  return { own: await bundle([]), withPackages: await bundle([/.*/]) };
}

async function bundle(noExternal: RegExp[]): Promise<number> {
  const outDir = mkdtempSync(join(tmpdir(), 'agent-hooks-size-'));
  try {
    await build({
      config: false,
      silent: true,
      entry: { index: entry.pathname },
      format: ['esm'],
      target: 'node20',
      minify: true,
      splitting: false,
      outDir,
      noExternal,
    });
    const files = readdirSync(outDir).map((name) => readFileSync(join(outDir, name)));
    return files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0);
  } finally {
    rmSync(outDir, { recursive: true });
  }
}
