import { createAgent, scriptedModel } from '../../../src/index.ts';
import { postgresStore } from '../../../src/stores/postgres.ts';
import { redisStore } from '../../../src/stores/redis.ts';
import { sqliteStore } from '../../../src/stores/sqlite.ts';

/** Runs an agent at the same moment as others do, on threads of its own, and says how many runs its tenant could pay. */
const [kind = '', at = '', place = '', startAt = '0', runs = '0', limit = '1'] =
  process.argv.slice(2);
const store = open();
const answer = { text: 'done', usage: { inputTokens: 1_000_000, outputTokens: 0 } };
const model = scriptedModel(
  Array.from({ length: Number(runs) }, () => answer),
  { delayMs: 5 },
);
const agent = createAgent<string>({
  name: 'desk',
  model,
  store,
  prices: { scripted: { input: 1, output: 1 } },
  budgets: [
    {
      name: 'tenant',
      key: ({ context }) => context,
      limit: Number(limit),
      per: 'always',
      reserve: 1,
    },
  ],
});
while (Date.now() < Number(startAt));
const results = await Promise.all(
  Array.from({ length: Number(runs) }, () => agent.run({ message: 'go', context: 'acme' })),
);
const count = (status: string): number => results.filter((one) => one.status === status).length;
await store.close?.();
process.stdout.write(JSON.stringify([count('completed'), count('limited'), model.calls]));

function open() {
  switch (kind) {
    case 'postgres':
      return postgresStore({ url: at, schema: place });
    case 'redis':
      return redisStore({ url: at, prefix: place });
    default:
      return sqliteStore({ path: at });
  }
}
