import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { AgentHooksError } from '../../src/errors/base.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { changes, userMessage } from '../../src/testing/conformance/thread-store/samples.ts';
import { DRIVERS } from './open-connection.ts';
import { tempFiles } from './temp-files.ts';

const newPath = tempFiles();
const SECRET = 'sk-not-for-a-log';

/** A closed file with a hundred threads in it. */
async function filled(driver: (typeof DRIVERS)[number]): Promise<string> {
  const path = newPath();
  const store = sqliteStore({ path, driver });
  for (let index = 0; index < 100; index += 1) {
    const id = `t${index}`;
    const { token } = await store.claim(id, { holder: 'a', ttlMs: 60_000 });
    const messages = [userMessage(SECRET.repeat(50))];
    await store.commit(id, token, 0, changes({ messages }));
  }
  await store.close?.();
  return path;
}

/** What comes of reading every thread of a file. */
async function readAll(path: string, driver: (typeof DRIVERS)[number]): Promise<unknown> {
  try {
    const store = sqliteStore({ path, driver });
    try {
      for (let index = 0; index < 100; index += 1) await store.readMessages(`t${index}`);
      return undefined;
    } finally {
      await store.close?.();
    }
  } catch (error) {
    return error;
  }
}

describe.each(DRIVERS)(
  'a sqlite file that a crash of something else has cut off, on %s',
  (driver) => {
    test('B46: half a file is an error that names it and quotes nothing of it, and stays as it is', async () => {
      const path = await filled(driver);
      expect(await readAll(path, driver)).toBeUndefined();
      const { length } = readFileSync(path);
      truncateSync(path, Math.floor(length / 2));
      const error = await readAll(path, driver);
      expect(error).toBeInstanceOf(AgentHooksError);
      expect(String(error)).toContain(path);
      expect(`${error} ${(error as Error).cause}`).not.toContain(SECRET);
    });

    test('B46: so is one with a foreign end, and another file goes on', async () => {
      const [path, other] = [await filled(driver), await filled(driver)];
      const bytes = readFileSync(path);
      bytes.fill('garbage ', 4_096);
      writeFileSync(path, bytes);
      expect(await readAll(path, driver)).toBeInstanceOf(AgentHooksError);
      expect(await readAll(other, driver)).toBeUndefined();
    });
  },
);
