/**
 * Runs inside a project that holds nothing but the packed package: `node smoke.mjs esm` or `cjs`.
 * Plain JavaScript, because the oldest Node we support runs it too.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const format = process.argv[2];
assert(format === 'esm' || format === 'cjs', 'say which build to load: esm or cjs');

const { exports } = require('agent-hooks/package.json');
const loaded = new Map();
for (const [subpath, entry] of Object.entries(exports)) {
  if (subpath === './package.json') continue;
  if (subpath === './testing/vitest') await refusesWithoutVitest(subpath, entry);
  else loaded.set(subpath, await loadSome(subpath));
}

await guardsATool(loaded.get('.'));
await asksAPolicy(loaded.get('.'), loaded.get('./testing'));
await keepsThreads(loaded.get('./stores/sqlite'));
assert.equal(typeof loaded.get('./models/ai-sdk').fromAiSdk, 'function');

/** Nothing without its optional peer: loading it must fail by naming that peer, or it is not there to require at all. */
async function refusesWithoutVitest(subpath, entry) {
  assert.equal('require' in entry, false);
  const expected = format === 'esm' ? /'vitest'/ : /not defined by "exports"|No "exports" main/;
  await assert.rejects(load(subpath), expected);
}

async function guardsATool({ createAgent, defineHooks, scriptedModel, ToolDecision, tool }) {
  const z = await load('zod', 'zod');
  let runs = 0;
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ euros: z.number() }),
    tier: 'auto',
    execute: () => {
      runs += 1;
      return 'paid';
    },
  });
  const limit = defineHooks({
    name: 'limit',
    preToolUse: ({ effectiveInput }) =>
      effectiveInput.euros > 100 ? ToolDecision.block('too much') : undefined,
  });
  const toolCalls = (euros) => ({ toolCalls: [{ name: 'pay', input: { euros } }] });
  const model = scriptedModel([toolCalls(500), toolCalls(5), 'done']);
  const agent = createAgent({ name: 'desk', model, tools: [pay], hooks: [limit] });
  const stream = agent.stream({ message: 'go' });
  const types = [];
  for await (const event of stream) types.push(event.type);
  assert.equal((await stream.result).status, 'completed');
  assert.equal(runs, 1);
  assert.equal(types.filter((type) => type === 'tool.refused').length, 1);
}

async function asksAPolicy({ defineHooks, ToolDecision }, { ask, assertAnswer, toolInvocation }) {
  const never = defineHooks({ name: 'never', preToolUse: () => ToolDecision.block('never') });
  assertAnswer(await ask(never).preToolUse(toolInvocation('pay', {})), 'block', 'never');
}

/** Node has SQLite of its own from 22.13 on; the optional driver is not installed here. */
async function keepsThreads({ sqliteStore }) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 22 || (major === 22 && minor < 13)) {
    assert.throws(() => sqliteStore({ path: ':memory:' }), /libsql/);
    return;
  }
  const store = sqliteStore({ path: ':memory:' });
  assert.deepEqual(await store.listThreads(), []);
  await store.close();
}

async function loadSome(subpath) {
  const names = await load(subpath);
  assert(Object.keys(names).length > 0, `${subpath} exports something`);
  return names;
}

async function load(subpath, id = `agent-hooks${subpath.slice(1)}`) {
  return format === 'esm' ? import(id) : require(id);
}
