import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PackedProject, programsIn, root } from './packed-project.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const programs = programsIn(readme);
const prints = [
  'refund was blocked by RefundLimit\ncompleted\n',
  'NoDeletes blocks deletes\n',
  'completed\n',
];
const project = new PackedProject();

beforeAll(() => project.install(), 120_000);
afterAll(() => project.remove());

describe('the README', () => {
  test('every code block is one this test knows the output of', () => {
    expect(programs).toHaveLength(prints.length);
  });

  for (const [index, program] of programs.entries()) {
    test(`code block ${index + 1} runs as it is written and prints what it says`, async () => {
      expect(await project.run(program)).toBe(prints[index]);
    }, 60_000);
  }

  test('the compiler accepts every code block under strict settings', async () => {
    expect(await project.compile(programs)).toBe('');
  }, 60_000);

  test('the first program has at most twenty lines, and the page at most 150', () => {
    const [program = ''] = programs;
    expect(program.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(20);
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  });

  test('every link leads to something that is in the package', () => {
    expect(project.deadLinks('README.md', readme)).toEqual([]);
  });

  test('the commands it names are scripts of the package', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm ci && npm (?:run )?([\w:]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(named).toEqual(['demo', 'test']);
    for (const name of named) expect(scripts).toHaveProperty(name);
  });
});
