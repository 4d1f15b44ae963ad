import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PackedProject, programsIn, root } from './packed-project.ts';

const project = new PackedProject();

beforeAll(() => project.install(), 120_000);
afterAll(() => project.remove());

describe.each([
  'docs/budgets.md',
  'docs/context.md',
  'docs/replay.md',
  'docs/retention.md',
  'docs/tools.md',
])('%s', (name) => {
  const page = readFileSync(join(root, name), 'utf8');
  const programs = programsIn(page);
  const shown = [...page.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];

  test('every program is followed by what it prints', () => {
    expect(programs.length).toBeGreaterThan(0);
    expect(shown.map(([, program]) => program)).toEqual(programs);
  });

  for (const [index, [, program = '', output = '']] of shown.entries()) {
    test(`program ${index + 1} runs as it is written and prints what the page shows`, async () => {
      expect(await project.run(program)).toBe(output);
    }, 60_000);
  }

  test('the compiler accepts every program under strict settings', async () => {
    expect(await project.compile(programs)).toBe('');
  }, 60_000);

  test('every link leads to something that is in the package', () => {
    expect(project.deadLinks(name, page)).toEqual([]);
  });
});
