import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { cycleViolations } from './cycles.ts';
import { layerViolations } from './layers.ts';
import { anyViolations } from './no-any.ts';
import { purityViolations } from './purity.ts';
import { readSources, type Source } from './read-sources.ts';
import { rootPackageViolations } from './root-packages.ts';
import { fileSizeViolations, functionSizeViolations, testSizeViolations } from './sizes.ts';
import { nameViolations, wordViolations } from './tracked-files.ts';

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

describe('architecture rules — layers', () => {
  test('a lower folder never sees a higher one, not even its types', () => {
    const sources = project({
      'src/internal/a.ts': "import type { B } from '../protocol/b.ts';\nexport type A = B;",
      'src/protocol/b.ts': 'export type B = 1;',
    });
    expect(layerViolations(sources)).toEqual([
      'src/internal/a.ts:1 internal must not see protocol',
    ]);
  });

  test('an import() type and a re-export count as imports', () => {
    const sources = project({
      'src/internal/a.ts': "export type A = import('../protocol/b.ts').B;",
      'src/internal/c.ts': "export * from '../protocol/b.ts';",
      'src/protocol/b.ts': 'export type B = 1;',
    });
    expect(layerViolations(sources)).toHaveLength(2);
  });

  test('folders of one layer never see each other', () => {
    const sources = project({
      'src/hooks/a.ts': "import { b } from '../stores/b.ts';",
      'src/stores/b.ts': 'export const b = 1;',
    });
    expect(layerViolations(sources)).toEqual(['src/hooks/a.ts:1 hooks must not see stores']);
  });

  test('adapters never see loop or agent, though both are lower', () => {
    const sources = project({
      'src/adapters/x/a.ts': "import '../../loop/run.ts';\nimport '../../agent/agent.ts';",
      'src/loop/run.ts': '',
      'src/agent/agent.ts': '',
    });
    expect(layerViolations(sources)).toEqual([
      'src/adapters/x/a.ts:1 adapters must not see loop',
      'src/adapters/x/a.ts:2 adapters must not see agent',
    ]);
  });

  test('loop sees hooks and ports, never an implementation', () => {
    const sources = project({
      'src/hooks/run-hook.ts': '',
      'src/stores/port.ts': '',
      'src/stores/memory.ts': '',
      'src/loop/a.ts':
        "import '../hooks/run-hook.ts';\nimport '../stores/port.ts';\nimport '../stores/memory.ts';",
    });
    expect(layerViolations(sources)).toEqual([
      'src/loop/a.ts:3 loop sees ports only, not stores/memory.ts',
    ]);
  });

  test('the root entry sees all but cli', () => {
    const sources = project({
      'src/index.ts': "export * from './agent/a.ts';\nexport * from './cli/b.ts';",
      'src/agent/a.ts': '',
      'src/cli/b.ts': '',
    });
    expect(layerViolations(sources)).toEqual(['src/index.ts:2 index.ts must not see cli']);
  });

  test('nobody sees the root entry or the package by its own name', () => {
    const sources = project({
      'src/index.ts': '',
      'src/cli/a.ts': "import '../index.ts';\nimport 'agent-hooks';",
    });
    expect(layerViolations(sources)).toEqual([
      'src/cli/a.ts:1 cli must not see index.ts',
      'src/cli/a.ts:2 imports the package by its own name',
    ]);
  });

  test('a folder of no layer, a stray file and an import of nothing are refused', () => {
    const sources = project({
      'src/plugins/a.ts': '',
      'src/stray.ts': '',
      'src/agent/b.ts': "import './gone.ts';",
    });
    expect(layerViolations(sources)).toEqual([
      'src/agent/b.ts:1 imports ./gone.ts, which is no file under src',
      'src/plugins/a.ts: no layer called "plugins"',
      'src/stray.ts: no file but index.ts',
    ]);
  });
});

describe('architecture rules — imports', () => {
  test('a cycle is reported once, types included', () => {
    const sources = project({
      'src/loop/a.ts': "import './b.ts';",
      'src/loop/b.ts': "import type { C } from './c.ts';",
      'src/loop/c.ts': "import './a.ts';",
      'src/loop/d.ts': "import './a.ts';",
    });
    expect(cycleViolations(sources)).toEqual([
      'import cycle: loop/a.ts -> loop/b.ts -> loop/c.ts -> loop/a.ts',
    ]);
  });

  test('the root entry brings no other package, however far away', () => {
    const sources = project({
      'src/index.ts': "import './agent/a.ts';",
      'src/agent/a.ts': "import 'zod';\nimport 'node:fs';\nimport type { X } from 'ai';",
      'src/stores/sqlite.ts': "import 'libsql';",
    });
    expect(rootPackageViolations(sources)).toEqual([
      'src/agent/a.ts:3 brings ai to the root entry',
    ]);
  });
});

describe('architecture rules — purity', () => {
  test('a pure file uses no clock, chance, timer, process or builtin', () => {
    const sources = project({
      'src/loop/step-model.ts': [
        "import 'node:fs';",
        'const a = Date.now();',
        'const b = new Date();',
        'const c = Math.random();',
        'setTimeout(() => {}, 1);',
        'globalThis.setTimeout(() => {}, 1);',
        'const d = crypto.randomUUID();',
        'const e = { process };',
      ].join('\n'),
    });
    expect(purityViolations(sources).map((text) => text.replace(/^.*:(\d+) /, '$1 '))).toEqual([
      '1 imports node:fs in a pure file',
      '2 uses Date.now in a pure file',
      '3 uses new Date() in a pure file',
      '4 uses Math.random in a pure file',
      '5 uses setTimeout in a pure file',
      '6 uses setTimeout in a pure file',
      '7 uses crypto in a pure file',
      '8 uses process in a pure file',
    ]);
  });

  test('a member, a local or a date made from a value is innocent', () => {
    const sources = project({
      'src/decisions/a.ts': [
        "import * as z from 'zod';",
        'export const a = (performance: { process: number }): number => performance.process;',
        'export const b = { process: 1, at: new Date(0) };',
        'export interface C { fetch(): void; readonly crypto: string }',
      ].join('\n'),
    });
    expect(purityViolations(sources)).toEqual([]);
  });

  test('other files may', () => {
    const sources = project({ 'src/loop/drive.ts': 'setTimeout(() => Date.now(), 1);' });
    expect(purityViolations(sources)).toEqual([]);
  });
});

describe('architecture rules — sizes and words', () => {
  test('a file of 400 lines is too long, one of 399 is not', () => {
    const sources = project({
      'src/agent/a.ts': '\n'.repeat(400),
      'src/agent/b.ts': '\n'.repeat(399),
    });
    expect(fileSizeViolations(sources)).toEqual(['src/agent/a.ts has 400 lines, the limit is 400']);
  });

  test('a test file of 500 lines is too long', () => {
    const root = write({ 'test/a.test.ts': '\n'.repeat(500) });
    expect(testSizeViolations(root)).toEqual(['test/a.test.ts has 500 lines, the limit is 500']);
  });

  test('a function, a method and an arrow of 60 lines are too long', () => {
    const body = `{${'\n'.repeat(59)}}`;
    const sources = project({
      'src/agent/a.ts': `function one() ${body}`,
      'src/agent/b.ts': `class A { two() ${body} constructor() ${body} }`,
      'src/agent/c.ts': `const three = () => ${body};`,
      'src/agent/d.ts': `const four = () => {${'\n'.repeat(58)}};`,
      'src/agent/e.ts': `interface Five { a: 1;${'\n'.repeat(80)}}`,
    });
    expect(functionSizeViolations(sources)).toEqual([
      'src/agent/a.ts:1 one has 60 lines, the limit is 60',
      'src/agent/b.ts:1 two has 60 lines, the limit is 60',
      'src/agent/b.ts:60 the constructor has 60 lines, the limit is 60',
      'src/agent/c.ts:1 three has 60 lines, the limit is 60',
    ]);
  });

  test('any is found as a type, not as a word', () => {
    const sources = project({
      'src/agent/a.ts': "// any\nconst any = 'any';\ntype A = Record<string, any[]>;",
    });
    expect(anyViolations(sources)).toEqual(['src/agent/a.ts:3 any']);
  });

  test('a drawer is found, file or folder', () => {
    const files = ['src/utils/a.ts', 'test/helpers.test.ts', 'src/internal/common.ts'];
    expect(nameViolations([...files, 'src/internal/commonly.ts'])).toHaveLength(3);
  });

  test('a path of one machine and the name of a registry are found', () => {
    const lines = [`see /${'work'}/x`, `../${'shared'}/y`, `https://registry.${'npmjs'}.org/z`];
    const root = write({ 'README.md': [...lines, 'network/share/d'].join('\n') });
    expect(wordViolations(root, ['README.md']).map((text) => text.slice(0, 11))).toEqual([
      'README.md:1',
      'README.md:2',
      'README.md:3',
    ]);
  });
});

function project(files: Readonly<Record<string, string>>): readonly Source[] {
  return readSources(write(files));
}

function write(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'architecture-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}
