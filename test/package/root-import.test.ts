import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod';

/** Where in the sources schemas of zod are built while `work` is done; a node of a schema counts by itself. */
async function builtWhile(work: () => unknown): Promise<readonly string[]> {
  const define = Object.defineProperty;
  const places: string[] = [];
  // Every node gets its internals under this key, whatever function of zod makes it.
  Object.defineProperty = (target, key, descriptor) => {
    if (key === '_zod') places.push(placeOf(new Error('a node is built')));
    return define(target, key, descriptor);
  };
  try {
    await work();
  } finally {
    Object.defineProperty = define;
  }
  return places;
}

function placeOf({ stack = '' }: Error): string {
  const frame = stack.split('\n').find((line) => line.includes('/src/'));
  return frame?.slice(frame.indexOf('/src/') + 1) ?? 'elsewhere';
}

let root: typeof import('../../src/index.ts');
let builtByImport: readonly string[];

beforeAll(async () => {
  builtByImport = await builtWhile(async () => {
    root = await import('../../src/index.ts');
  });
}, 60_000);

test('the root entry builds no schema when it is imported', () => {
  expect(builtByImport.join('\n')).toBe('');
});

test('the schema of a decision is built with the first that needs it', async () => {
  const { toolDecisionCodec, ToolDecision } = root;
  const read = (decision: object) => builtWhile(() => toolDecisionCodec.read(decision));
  expect(await read(ToolDecision.allow())).toEqual([]);
  expect(await read(ToolDecision.block('no'))).not.toEqual([]);
  expect(await read(ToolDecision.block('not now'))).toEqual([]);
});

test('a schema of two nodes counts twice', async () => {
  expect(await builtWhile(() => z.array(z.string()))).toHaveLength(2);
});
