/**
 * Runs inside a project that holds nothing but the packed package: `node smoke.mjs esm` or `cjs`.
 * Plain JavaScript, because the oldest Node we support runs it too.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const format = process.argv[2];
assert(format === 'esm' || format === 'cjs', 'say which build to load: esm or cjs');

/** Entries that are nothing without their optional peer: loading one must fail by naming that peer. */
const peerOf = new Map([['./testing/vitest', 'vitest']]);

const { exports } = require('agent-hooks/package.json');
const loaded = new Map();
for (const subpath of Object.keys(exports)) {
  if (subpath === './package.json') continue;
  const peer = peerOf.get(subpath);
  if (peer === undefined) loaded.set(subpath, await loadSome(subpath));
  else await assert.rejects(load(subpath), new RegExp(`'${peer}'`), `${subpath} names ${peer}`);
}

async function loadSome(subpath) {
  const names = await load(subpath);
  assert(Object.keys(names).length > 0, `${subpath} exports something`);
  return names;
}

async function load(subpath) {
  const id = `agent-hooks${subpath.slice(1)}`;
  return format === 'esm' ? import(id) : require(id);
}
