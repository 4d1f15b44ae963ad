import { postgresStore } from '../../../src/stores/postgres.ts';
import { redisStore } from '../../../src/stores/redis.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

/** Counts at the same moment as others do, and says how many increments found room. */
const [kind = '', at = '', place = '', startAt = '0', rounds = '0', max = '0'] =
  process.argv.slice(2);
const store = open();
while (Date.now() < Number(startAt));
let passed = 0;
for (let round = 0; round < Number(rounds); round++) {
  await store.counters.increment('all');
  const value = await store.counters.increment('some', {
    by: 7,
    max: Number(max),
    expiresInMs: 9e6,
  });
  if (value <= Number(max)) passed += 1;
}
await store.close?.();
process.stdout.write(String(passed));

function open() {
  switch (kind) {
    case 'postgres':
      return postgresStore({ url: at, schema: place });
    case 'redis':
      return redisStore({ url: at, prefix: place });
    case 'libsql':
      return sqliteStore({ path: at, driver: 'libsql' });
    default:
      return sqliteStore({ path: at, driver: 'node:sqlite' });
  }
}
