import { sqliteStore } from '../../../src/stores/sqlite.ts';
import {
  changes,
  event,
  userMessage,
} from '../../../src/testing/conformance/thread-store/samples.ts';

/** Commits to one thread for ever, and says each version once it is durable. */
const [path = '', driver] = process.argv.slice(2);
const store = sqliteStore({ path, driver: driver === 'libsql' ? 'libsql' : 'node:sqlite' });
const { token } = await store.claim('t', { holder: `process ${process.pid}`, ttlMs: 60_000 });
for (let version = 0; ; version += 1) {
  const messages = [userMessage(`first of ${version}`), userMessage(`second of ${version}`)];
  const events = [event('t', version + 1)];
  await store.commit('t', token, version, changes({ state: { version }, messages, events }));
  process.stdout.write(`${version + 1}\n`);
  // Lets the pipe drain, so that what was said is what was done.
  await new Promise((resolve) => setImmediate(resolve));
}
