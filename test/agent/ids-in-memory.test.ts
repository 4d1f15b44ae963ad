import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { Observers } from '../../src/agent/observers.ts';
import { portsOf } from '../../src/agent/ports-of.ts';
import { scriptedModel } from '../../src/testing/index.ts';

test('an id that is kept takes no more than its characters, also after very many', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { newId } = portsOf(
    { name: 'support', model: scriptedModel([]) },
    new Observers(),
    undefined,
  );
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const count = 50_000;
  const ids = new Array<string>(count).fill('');
  // So often that the function is compiled for good.
  for (let index = 0; index < 3 * count; index += 1) newId();
  const before = used();
  for (let index = 0; index < count; index += 1) ids[index] = newId();
  expect((used() - before) / count).toBeLessThan(100);
  expect(new Set(ids).size).toBe(count);
  expect(ids[0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
});
