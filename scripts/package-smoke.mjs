/**
 * Runs inside a project that holds nothing but the packed package: `node smoke.mjs esm` or `cjs`.
 * Plain JavaScript, because the oldest Node we support runs it too.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

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
namesMissing(loaded.get('./stores/postgres'), loaded.get('./stores/redis'));
await findsPassages(loaded.get('.'), loaded.get('./knowledge/memory'));
checksValues(loaded.get('./tools/json-schema'));
assert.equal(typeof loaded.get('./models/ai-sdk').fromAiSdk, 'function');
await runsReadyTools(loaded.get('.'), loaded.get('./tools'));
await checksHooks(loaded.get('.'), loaded.get('./load'));

/** What one entry makes, the tools of the other have to know. */
async function runsReadyTools(
  { tool, ToolError },
  { currentDatetimeTool, Done, toolFormats, toolSet },
) {
  const z = await load('zod', 'zod');
  const seen = [];
  const tools = toolSet([
    currentDatetimeTool('Europe/Madrid', { now: () => new Date('2026-07-01T12:00:00Z') }),
    tool({
      name: 'note',
      inputSchema: z.object({ day: toolFormats.date() }),
      outputSchema: Done,
      execute: ({ day }) => void seen.push(day.getTime()),
    }),
  ]);
  assert.deepEqual(await tools.call('note', '{"day":"2026-10-16"}'), { ok: true });
  assert.deepEqual(seen, [Date.UTC(2026, 9, 16)]);
  assert.equal(
    (await tools.call('current_datetime', {})).local_datetime,
    '2026-07-01T14:00:00+02:00',
  );
  await assert.rejects(tools.call('note', {}), (error) => ToolError.isInstance(error));
}

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

/** Neither client is installed here. */
function namesMissing({ postgresStore }, { redisStore }) {
  assert.throws(() => postgresStore({ url: 'postgres://host.test' }), /npm install pg/);
  assert.throws(() => redisStore({ url: 'redis://host.test' }), /npm install ioredis/);
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

async function findsPassages({ createAgent, scriptedModel }, { memoryIndex }) {
  const knowledge = memoryIndex([
    { text: 'Bags cost 50 euros.', scope: 'docs', source: 'bags.md' },
  ]);
  const toolCalls = [{ name: 'search_knowledge', input: { query: 'bags' } }];
  const agent = createAgent({
    name: 'desk',
    model: scriptedModel([{ toolCalls }, 'ok']),
    knowledge,
  });
  const { messages } = await agent.run({ message: 'go' });
  assert.match(JSON.stringify(messages), /50 euros/);
}

function checksValues({ jsonSchema }) {
  const { validate } = jsonSchema({ type: 'object', required: ['id'] })['~standard'];
  assert.deepEqual(validate({ id: 1 }), { value: { id: 1 } });
  assert.equal(validate({}).issues.length, 1);
  assert.throws(() => jsonSchema({ type: 'array' }), /root/);
}

/** The command that the package installs, and what it loads for an agent, in a project of plain JavaScript. */
async function checksHooks({ createAgent, scriptedModel }, { loadHooks, HookValidationError }) {
  const folder = mkdtempSync(join(process.cwd(), `hooks-${format}-`));
  const file = join(folder, 'hooks', 'limit.mjs');
  const policy = (hook) =>
    `import { defineHooks } from 'agent-hooks';\nexport default defineHooks({ name: 'limit', ${hook}() {} });\n`;
  const bin = join(process.cwd(), 'node_modules', '.bin', 'agent-hooks');
  const check = () =>
    spawnSync(process.execPath, [bin, 'check'], { cwd: folder, encoding: 'utf8' });
  try {
    mkdirSync(join(folder, 'hooks'));
    writeFileSync(file, policy('preToolUes'));
    const { status, stdout } = check();
    assert.match(stdout, /^hooks\/limit\.mjs:2:\d+ error unknown-hook /);
    assert.equal(status, 1);
    await assert.rejects(loadHooks(folder), (error) => HookValidationError.isInstance(error));
    rmSync(file);
    writeFileSync(join(folder, 'hooks.mjs'), policy('preToolUse'));
    assert.equal(check().status, 0);
    const hooks = await loadHooks(folder);
    const agent = createAgent({ name: 'desk', model: scriptedModel(['done']), hooks });
    assert.equal((await agent.run({ message: 'go' })).status, 'completed');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function loadSome(subpath) {
  const names = await load(subpath);
  assert(Object.keys(names).length > 0, `${subpath} exports something`);
  return names;
}

async function load(subpath, id = `agent-hooks${subpath.slice(1)}`) {
  return format === 'esm' ? import(id) : require(id);
}
