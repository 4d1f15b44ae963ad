import { ThreadBusyError } from '../../../src/errors/store-error.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';
import { changes, userMessage } from '../../../src/testing/conformance/thread-store/samples.ts';

/** Opens a file at the same moment as others do, then takes a counter from them, one claim at a time. */
const [path = '', driver, startAt = '0', rounds = '0'] = process.argv.slice(2);
const holder = `process ${process.pid}`;
while (Date.now() < Number(startAt));
const store = sqliteStore({ path, driver: driver === 'libsql' ? 'libsql' : 'node:sqlite' });
let done = 0;
while (done < Number(rounds)) {
  try {
    const { token } = await store.claim('t', { holder, ttlMs: 60_000 });
    const version = (await store.load('t'))?.version ?? 0;
    await store.commit('t', token, version, changes({ messages: [userMessage(holder)] }));
    await store.release('t', token);
    done += 1;
  } catch (error) {
    if (!(error instanceof ThreadBusyError)) throw error;
  }
}
await store.close?.();
