import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PackedProject, programsIn, root } from './packed-project.ts';

const NAME = 'docs/storage.md';
const page = readFileSync(join(root, NAME), 'utf8');
const project = new PackedProject();

beforeAll(() => project.install(), 120_000);
afterAll(() => project.remove());

describe(NAME, () => {
  test('the compiler accepts every program with neither pg nor ioredis installed', async () => {
    expect(programsIn(page)).toHaveLength(4);
    expect(await project.compile(programsIn(page))).toBe('');
  }, 60_000);

  test('a store whose package is not installed says which', async () => {
    const program = `
      import { postgresStore } from 'agent-hooks/stores/postgres';
      import { redisStore } from 'agent-hooks/stores/redis';
      for (const open of [() => postgresStore({ url: 'postgres://h' }), () => redisStore({ url: 'redis://h' })]) {
        try { open(); } catch (error) { console.log(error.code, /npm install (\\w+)/.exec(error.message)?.[1]); }
      }`;
    expect(await project.run(program)).toBe('missing-package pg\nmissing-package ioredis\n');
  }, 60_000);

  test('every link leads to something that is in the package', () => {
    expect(project.deadLinks(NAME, page)).toEqual([]);
  });
});
