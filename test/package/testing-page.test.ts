import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PackedProject, programsIn, root } from './packed-project.ts';

const PAGE = 'docs/testing.md';
const page = readFileSync(join(root, PAGE), 'utf8');
const programs = programsIn(page);
const shown = [...page.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];
const project = new PackedProject();
const execute = promisify(execFile);

beforeAll(async () => {
  await project.install();
  writeFileSync(join(project.path, 'without.mjs'), WITHOUT_FAST_CHECK);
  missing = (await execute(process.execPath, ['without.mjs'], { cwd: project.path })).stdout;
  // What the page tells a reader to install, and what that brings along.
  for (const name of ['fast-check', 'pure-rand'])
    symlinkSync(join(root, 'node_modules', name), join(project.path, 'node_modules', name));
}, 180_000);
afterAll(() => project.remove());

let missing = '';
const WITHOUT_FAST_CHECK = `
import { fuzzPolicy } from 'agent-hooks/testing/fuzz';
const policy = { name: 'p', onUserMessage() {} };
await fuzzPolicy(policy, 'onUserMessage').catch((error) => console.log(error.code, error.message));
`;

/** In what a program prints, \`…\` stands for the rest of a line that no run has twice. */
function patternOf(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^\\n]*?')}$`);
}

describe('the page of testing', () => {
  test('every program is followed by what it prints', () => {
    expect(programs.length).toBeGreaterThan(6);
    expect(shown.map(([, program]) => program)).toEqual(programs);
  });

  for (const [index, [, program = '', output = '']] of shown.entries()) {
    test(`program ${index + 1} runs as it is written and prints what the page shows`, async () => {
      expect(await project.run(program)).toMatch(patternOf(output));
    }, 60_000);
  }

  test('the compiler accepts every program under strict settings', async () => {
    expect(await project.compile(programs)).toBe('');
  }, 120_000);

  test('every link leads to something that is in the package, and every section is in the contents', () => {
    expect(project.deadLinks(PAGE, page)).toEqual([]);
    const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => {
      const anchor = heading.toLowerCase().replace(/[^a-z0-9 -]/g, '');
      return `#${anchor.replaceAll(' ', '-')}`;
    });
    expect([...page.matchAll(/\]\((#[^)]+)\)/g)].map(([, link]) => link)).toEqual(headings);
  });
});

describe('the built package', () => {
  test('without `fast-check` says what to install', () => {
    expect(missing).toMatch(/^missing-package .*`fast-check`.*npm install --save-dev fast-check/);
  });

  test('fuzzes a policy of a module in a thread of its own, from either build', async () => {
    writeFileSync(
      join(project.path, 'endless.mjs'),
      "export const endless = { name: 'endless', onUserMessage({ text }) { while (text.length > 200); } };\n",
    );
    const ask = `
      const file = new URL('file://${project.path}/endless.mjs');
      fuzzPolicy({ module: file, export: 'endless' }, 'onUserMessage').then((report) =>
        console.log(report.faults.map((fault) => fault.kind).join()));`;
    const builds = {
      'esm.mjs': `import { fuzzPolicy } from 'agent-hooks/testing/fuzz';${ask}`,
      'cjs.cjs': `const { fuzzPolicy } = require('agent-hooks/testing/fuzz');${ask}`,
    };
    for (const [file, program] of Object.entries(builds)) {
      writeFileSync(join(project.path, file), program);
      const { stdout } = await execute(process.execPath, [file], { cwd: project.path });
      expect([file, stdout.trim()]).toEqual([file, 'hangs']);
    }
  }, 60_000);

  test('everything but the matchers works in a test of `node:test`, snapshots included', async () => {
    writeFileSync(join(project.path, 'kit.test.mjs'), readFileSync(KIT, 'utf8'));
    const run = (...flags: readonly string[]) =>
      execute(process.execPath, ['--test', ...flags, 'kit.test.mjs'], { cwd: project.path });
    await run('--test-update-snapshots');
    const { stdout } = await run();
    expect(stdout).toMatch(/pass 9\n/);
    expect(stdout).toMatch(/fail 0\n/);
  }, 60_000);
});

const KIT = join(import.meta.dirname, 'kit.node-test.mjs');
