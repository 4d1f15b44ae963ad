import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const execute = promisify(execFile);
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');
const prints = [
  'refund was blocked by RefundLimit\ncompleted\n',
  'NoDeletes blocks deletes\n',
  'completed\n',
];

let project = '';

/** What a newcomer has: the packed package, installed in an empty folder, and nothing else. */
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'agent-hooks-readme-'));
  if (!existsSync(join(root, 'dist', 'index.js')))
    await execute('npm', ['run', 'build'], { cwd: root });
  const { stdout } = await execute(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', project],
    { cwd: root },
  );
  const [packed] = Object.values(JSON.parse(stdout)) as { filename: string }[];
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--omit=optional'];
  await execute('npm', ['install', ...flags, join(project, packed?.filename ?? ''), 'zod'], {
    cwd: project,
  });
}, 120_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

describe('the README', () => {
  test('every code block is one this test knows the output of', () => {
    expect(blocks).toHaveLength(prints.length);
  });

  for (const [index, code] of blocks.entries()) {
    test(`code block ${index + 1} runs as it is written and prints what it says`, async () => {
      const file = join(project, `block-${index}.ts`);
      writeFileSync(file, code);
      const { stdout, stderr } = await execute(process.execPath, [file], { cwd: project });
      expect(stdout).toBe(prints[index]);
      expect(stderr).toBe('');
    }, 60_000);
  }

  test('the first program has at most twenty lines, and no line is blank twice', () => {
    const [program = ''] = blocks;
    expect(program.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20);
  });

  test('the compiler accepts every code block under strict settings', async () => {
    const settings = {
      compilerOptions: {
        strict: true,
        noImplicitReturns: true,
        noImplicitOverride: true,
        module: 'nodenext',
        target: 'es2022',
        types: ['node'],
        noEmit: true,
        skipLibCheck: true,
      },
      include: ['*.ts'],
    };
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(settings));
    cpSync(join(root, 'node_modules', '@types'), join(project, 'node_modules', '@types'), {
      recursive: true,
    });
    cpSync(
      join(root, 'node_modules', 'undici-types'),
      join(project, 'node_modules', 'undici-types'),
      { recursive: true },
    );
    await execute(join(root, 'node_modules', '.bin', 'tsc'), ['-p', project]);
  }, 60_000);

  test('the commands it names are scripts of the package', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm ci && npm (?:run )?([\w:]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(named).toEqual(['demo', 'test']);
    for (const name of named) expect(scripts).toHaveProperty(name);
  });
});
