import { describe, expect, test } from 'vitest';
import { load, placesOf, project } from './project.ts';

const policy = (name: string, point = 'preToolUse'): string =>
  `export default { name: '${name}', ${point}: () => undefined };\n`;

describe('loadHooks — what it finds', () => {
  test('M-1: a project with only hooks.ts', async () => {
    const folder = project({
      'hooks.ts':
        "import { defineHooks } from 'agent-hooks';\nexport default defineHooks({ name: 'one', onTurnStart: () => undefined });",
    });
    expect(await load(folder)).toEqual({ names: ['one'], warnings: [] });
  });

  test('M-2, M-3: nested folders, beside hooks.ts, in path order', async () => {
    const folder = project({
      'hooks/z.js': policy('z'),
      'hooks/redact/pii.ts': policy('pii'),
      'hooks/a.mts': policy('a'),
      'hooks/b.cjs': "module.exports = { name: 'b', preToolUse() {} };",
      'hooks/c.mjs': policy('c'),
      'hooks.ts': policy('first', 'onEvent'),
    });
    expect((await load(folder)).names).toEqual(['first', 'a', 'b', 'c', 'pii', 'z']);
  });

  test('M-4: markers, declarations, maps, tests and what is built or installed are skipped', async () => {
    const broken = 'throw new Error("not to be loaded");';
    const folder = project({
      'hooks/a.ts': policy('a'),
      'hooks/index.ts': 'export {};',
      'hooks/a.d.ts': broken,
      'hooks/a.js.map': broken,
      'hooks/a.test.ts': broken,
      'hooks/deep/a.spec.js': broken,
      'hooks/node_modules/x/index.js': broken,
      'hooks/dist/a.js': broken,
      'hooks/.cache/a.js': broken,
      'hooks/.a.js': broken,
      'hooks/README.md': '# hooks',
      'other.ts': broken,
    });
    expect(await load(folder)).toEqual({ names: ['a'], warnings: [] });
  });

  test('M-5: hooks may import code that lies elsewhere', async () => {
    const folder = project({
      'hooks/a.ts':
        "import { name } from '../lib/name.ts';\nexport default { name, preToolUse: () => undefined };",
      'lib/name.ts': "export const name: string = 'from lib';",
    });
    expect((await load(folder)).names).toEqual(['from lib']);
  });

  test('policies, lists of them and what an index hands on are each taken once', async () => {
    const folder = project({
      'hooks/index.ts':
        "export { limit } from './limits.ts';\nexport const own = { name: 'own', preToolUse() {} };",
      'hooks/limits.ts':
        "export const limit = { name: 'limit', preToolUse() {} };\nexport default [limit, { name: 'second', preToolUse() {} }];\nexport const MAX = 5;\nexport function helper() {}",
    });
    expect((await load(folder)).names).toEqual(['own', 'limit', 'second']);
  });

  test('a class beside its instance is no mistake', async () => {
    const folder = project({
      'hooks/gate.ts':
        "import { Policy } from 'agent-hooks';\nexport class Gate extends Policy { override readonly name = 'gate'; override preToolUse() {} }\nexport default new Gate();",
    });
    expect(await load(folder)).toEqual({ names: ['gate'], warnings: [] });
  });
});

describe('loadHooks — what it refuses', () => {
  test('M-14, M-15: every mistake of every file is in one error, under the codes of createAgent', async () => {
    const folder = project({
      'hooks/a.ts': 'export default {\n  preToolUse() {} }} ;\n',
      'hooks/b.ts': `import './gone.ts';\n${policy('b')}`,
      'hooks/c.ts':
        "export default {\n  preTooluse() {},\n  options: { preToolUse: { timeoutMs: '5' } },\n};",
      'hooks/d.ts': policy('same'),
      'hooks/e.ts': policy('same'),
    });
    const { error } = await load(folder);
    expect(error?.name).toBe('HookValidationError');
    expect(placesOf({ findings: error?.findings ?? [] })).toEqual([
      'hooks/a.ts:2 syntax-error',
      'hooks/b.ts:1 missing-import',
      'hooks/c.ts:2 unknown-hook',
      'hooks/c.ts:3 invalid-option',
      'hooks/e.ts:1 duplicate-policy',
    ]);
    expect(error?.message).toContain('5 mistakes');
    expect(error?.message).toContain('hooks/d.ts and hooks/e.ts both are called');
  });

  test('M-6: what was not called is refused', async () => {
    const folder = project({
      'hooks/a.ts': "import { defineHooks } from 'agent-hooks';\nexport default defineHooks;",
      'hooks/b.ts':
        "import { defineHooks } from 'agent-hooks';\nexport default {\n  preToolUse: defineHooks,\n};",
      'hooks/c.ts':
        "import { Policy } from 'agent-hooks';\nexport class Gate extends Policy { override preToolUse() {} }",
      'hooks/d.ts': 'export default () => ({ preToolUse() {} });',
    });
    expect(placesOf({ findings: (await load(folder)).error?.findings ?? [] })).toEqual([
      'hooks/a.ts:2 uncalled-factory',
      'hooks/b.ts:3 uncalled-factory',
      'hooks/c.ts:2 uncalled-factory',
      'hooks/d.ts:1 uncalled-factory',
    ]);
  });

  test('M-7: one policy a point, when that is the rule, across files', async () => {
    const folder = project({ 'hooks.ts': policy('a'), 'hooks/a.ts': policy('b') });
    expect((await load(folder)).names).toEqual(['a', 'b']);
    const { error } = await load(folder, { oneRewriterPerPoint: true });
    expect(error?.message).toContain('hooks.ts and hooks/a.ts both implement');
  });

  test('a folder without hooks is no empty list', async () => {
    const { error } = await load(project({ 'src/index.ts': '' }));
    expect(error?.findings).toMatchObject([{ code: 'no-hook-files' }]);
  });

  test('a source beside its own build is not asked twice', async () => {
    const folder = project({ 'hooks/a.ts': policy('a'), 'hooks/a.js': policy('b') });
    expect((await load(folder)).error?.findings).toMatchObject([
      { code: 'duplicate-file', where: 'hooks/a.js and hooks/a.ts' },
    ]);
  });

  test('a file that throws or never finishes takes no other along', async () => {
    const folder = project({
      'hooks/a.ts': 'const a = 1;\nthrow new Error("token=abc123secret is wrong");',
      'hooks/b.ts': 'await new Promise(() => {});',
      'hooks/c.ts': "export default { name: 'c', order: 'middle', preToolUse() {} };",
    });
    const { error } = await load(folder, { importTimeoutMs: 300 });
    expect(placesOf({ findings: error?.findings ?? [] })).toEqual([
      'hooks/a.ts:2 import-failed',
      'hooks/b.ts:1 import-failed',
      'hooks/c.ts:1 invalid-option',
    ]);
    expect(error?.message).not.toContain('abc123secret');
  });

  test('one broken file that others import is one mistake, in that file', async () => {
    const folder = project({
      'hooks/a.js': `import '../lib/x.js';\n${policy('a')}`,
      'hooks/b.js': `import '../lib/x.js';\n${policy('b')}`,
      'lib/x.js': "const fine = 1;\nimport './nowhere.js';",
    });
    expect((await load(folder)).error?.findings).toMatchObject([
      { code: 'missing-import', file: 'lib/x.js', line: 2 },
    ]);
  });

  test('an export that throws when it is looked at is a finding, not the end of the check', async () => {
    const folder = project({
      'hooks/a.js': 'export const a = { get preToolUse() { throw new Error("no"); } };',
      'hooks/b.js': 'export default new Proxy({}, { get() { throw new Error("no"); } });',
    });
    expect(placesOf({ findings: (await load(folder)).error?.findings ?? [] })).toEqual([
      'hooks/a.js:1 unreadable-policy',
      'hooks/b.js:1 unreadable-policy',
    ]);
  });

  test('JSX is refused, and a file without policies is a warning', async () => {
    const folder = project({ 'hooks/a.tsx': '', 'hooks/shared.ts': 'export const words = [];' });
    const { error, warnings } = await load(folder);
    expect(error?.findings).toMatchObject([{ code: 'unsupported-file' }, { code: 'no-policies' }]);
    expect(warnings).toEqual(['no-policies']);
  });

  test('an option that nobody knows is refused before any file runs', async () => {
    const folder = project({ 'hooks.ts': 'process.exit(3);' });
    await expect(load(folder, { oneRewriterPerPoin: true })).rejects.toThrow(
      "'oneRewriterPerPoint'",
    );
    await expect(load(folder, { importTimeoutMs: 0 })).rejects.toThrow('importTimeoutMs');
  });
});
