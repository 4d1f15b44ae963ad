import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';

export const root: string = join(import.meta.dirname, '..', '..');
const execute = promisify(execFile);

const SETTINGS = {
  strict: true,
  noImplicitReturns: true,
  noImplicitOverride: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
  noEmit: true,
  skipLibCheck: true,
};

/** The programs of a page, in order. */
export function programsIn(page: string): readonly string[] {
  return [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
}

/** What a newcomer has: the packed package, installed in an empty folder, and nothing else. */
export class PackedProject {
  readonly path: string = mkdtempSync(join(tmpdir(), 'agent-hooks-page-'));

  async install(): Promise<void> {
    if (!existsSync(join(root, 'dist', 'index.js')))
      await execute('npm', ['run', 'build'], { cwd: root });
    const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.path];
    const { stdout } = await execute('npm', pack, { cwd: root });
    const [packed] = Object.values(JSON.parse(stdout)) as { filename: string }[];
    writeFileSync(join(this.path, 'package.json'), '{ "private": true, "type": "module" }\n');
    const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=optional'];
    const file = join(this.path, packed?.filename ?? '');
    await execute('npm', ['install', ...flags, file, 'zod'], { cwd: this.path });
  }

  /** Runs a program in a folder of its own, and expects that nothing is on its stderr. */
  async run(program: string): Promise<string> {
    const folder = mkdtempSync(join(this.path, 'program-'));
    const file = join(folder, 'main.ts');
    writeFileSync(file, program);
    const { stdout, stderr } = await execute(process.execPath, [file], { cwd: folder });
    expect(stderr).toBe('');
    return stdout;
  }

  /** What the compiler says of the programs under strict settings; nothing when it accepts them. */
  async compile(programs: readonly string[]): Promise<string> {
    const folder = mkdtempSync(join(this.path, 'compiled-'));
    for (const [index, program] of programs.entries())
      writeFileSync(join(folder, `${index + 1}.ts`), program);
    const settings = { compilerOptions: SETTINGS, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    for (const types of ['@types', 'undici-types']) {
      const from = join(root, 'node_modules', types);
      cpSync(from, join(this.path, 'node_modules', types), { recursive: true });
    }
    const compiler = join(root, 'node_modules', '.bin', 'tsc');
    const compiled = execute(compiler, ['-p', folder]);
    const { stdout } = await compiled.catch((failed: { readonly stdout: string }) => {
      if (failed.stdout === '') throw failed;
      return failed;
    });
    return stdout;
  }

  /** The relative links of a page of the package that lead to nothing a user of the package has. */
  deadLinks(page: string, text: string): readonly string[] {
    const folder = dirname(join(this.path, 'node_modules', 'agent-hooks', page));
    const links = [...text.matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(([, link]) => link ?? '');
    return links.filter((link) => !existsSync(join(folder, link)));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
