import { describe, expect, test } from 'vitest';
import { agentHooks, checked, placesOf, project } from './project.ts';

/** What the compiler would add takes seconds, and is tested by itself. */
const FAST = { compiler: undefined };

const FINE = `
import { Policy, ToolDecision, type ToolInvocation } from 'agent-hooks';

class Limit extends Policy {
  override readonly name = 'limit';
  override preToolUse(call: ToolInvocation) {
    return call.toolName === 'pay' ? ToolDecision.block('no') : undefined;
  }
}
export default new Limit();
`;

describe('agent-hooks check — what it prints', () => {
  test('a project without mistakes is exit code 0 and one line', async () => {
    const { code, out, err } = await agentHooks(project({ 'hooks/limit.ts': FINE }), 'check');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '0 errors, 0 warnings (1 policy, 1 file)\n',
      err: '',
    });
  });

  test('a mistake is exit code 1 and a line with its place, its code and what to do', async () => {
    const folder = project({ 'hooks.js': 'export default {\n  preTooluse() {},\n};\n' }, FAST);
    const { code, out } = await agentHooks(folder, 'check');
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      "hooks.js:2:3 error unknown-hook has a method 'preTooluse', which is no hook and would never be called (Did you mean 'preToolUse'? If not, give the method a name less like it)",
      '1 error, 0 warnings (1 policy, 1 file); checks were left out: see the note on stderr',
      '',
    ]);
  });

  test('a warning is exit code 0, and 1 when they count', async () => {
    const text =
      "export default { name: 'r', onOutgoingMessage: () => ({ type: 'modify', text: 'x' }) };\n";
    const folder = project({ 'hooks.js': text });
    const lenient = await agentHooks(folder, 'check');
    expect(lenient.code).toBe(0);
    expect(lenient.out).toMatch(/^hooks\.js:1:29 warning open-point /);
    expect(lenient.out).toMatch(/\n0 errors, 1 warning \(1 policy, 1 file\)\n$/);
    expect((await agentHooks(folder, 'check', '--strict')).code).toBe(1);
  });

  test('--json is one document, whatever a hook file prints', async () => {
    const text = "console.log('loading');\nexport default { name: 'limit', preToolUse() {} };";
    const folder = project({ 'hooks.js': text }, FAST);
    const { code, out, err } = await agentHooks(folder, 'check', '.', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      version: 1,
      dir: expect.any(String),
      files: ['hooks.js'],
      policies: [{ name: 'limit', file: 'hooks.js', points: ['preToolUse'] }],
      findings: [],
      errors: 0,
      warnings: 0,
      leftOut: [expect.stringContaining('no `typescript`')],
    });
    expect(err).toMatch(/^loading\nnote: .*\n$/);
  });

  test('rules of an agent can be asked for', async () => {
    const text = 'export default [{ preToolUse() {} }, { preToolUse() {} }];';
    const folder = project({ 'hooks.js': text }, FAST);
    const rules = ['--streaming=live', '--one-rewriter-per-point', '--require-names'];
    const { findings } = await checked(folder, ...rules);
    expect(new Set(findings.map(({ code }) => code))).toEqual(
      new Set(['stream-guard', 'duplicate-rewriter', 'unnamed-policy']),
    );
  });
});

test('agent-hooks check --streaming window names who judges text too late', async () => {
  const text = 'export default [{ onTextWindow() {} }, { onLlmResponse() {} }];';
  const folder = project({ 'hooks.js': text }, FAST);
  const { findings } = await checked(folder, '--streaming=window');
  expect(findings).toMatchObject([{ code: 'stream-guard', member: 'onLlmResponse', index: 1 }]);
});

describe('agent-hooks check — what is no check', () => {
  const folder = project({ 'hooks.js': 'export default { preToolUse() {} };' }, FAST);

  test.each([
    [['check', '--jsn'], "Unknown option '--jsn'"],
    [['check', 'nowhere'], "There is no folder 'nowhere'"],
    [['check', 'hooks.js'], "There is no folder 'hooks.js'"],
    [['check', '.', '.'], 'one folder'],
    [['check', '--streaming', 'loud'], '--streaming takes'],
    [['chek'], "Unknown command 'chek'"],
    [[], 'Say what to do'],
  ])('%j is exit code 2, with the reason and the usage', async (args, why) => {
    const { code, out, err } = await agentHooks(folder, ...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(why);
    expect(err).toContain('Usage: agent-hooks check');
  });

  test('a folder without hooks is an error, as nothing was checked', async () => {
    const { code, out } = await agentHooks(project({ 'index.ts': '' }), 'check');
    expect(code).toBe(1);
    expect(out).toContain('no-hook-files');
  });

  test('--help and --version are exit code 0', async () => {
    expect(await agentHooks(folder, '--help')).toMatchObject({ code: 0, err: '' });
    const { code, out } = await agentHooks(folder, '--version');
    expect({ code, isVersion: /^\d+\.\d+\.\d+\S*\n$/.test(out) }).toEqual({
      code: 0,
      isVersion: true,
    });
  });

  test.each([
    ['exits', 'process.exit(0);', 'ended the process'],
    [
      'leaves a rejection',
      'Promise.reject(new TypeError("late"));\nawait new Promise((r) => setTimeout(r, 200));',
      'left an error behind: TypeError: late',
    ],
  ])('a hook file that %s is never a success', async (_what, text, said) => {
    const { code, out, err } = await agentHooks(project({ 'hooks.js': text }, FAST), 'check');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(said);
  });

  test('a hook file that leaves a timer behind does not keep the check from ending', async () => {
    const text = 'setInterval(() => {}, 1000);\nexport default { preToolUse() {} };';
    expect((await agentHooks(project({ 'hooks.js': text }, FAST), 'check')).code).toBe(0);
  });
});

describe('agent-hooks check — without a compiler', () => {
  test('the rest is checked, and it is said what was not', async () => {
    const text = 'export default { preTooluse() {}, onEvent() {} };';
    const folder = project({ 'hooks.ts': text }, FAST);
    const report = await checked(folder);
    expect(placesOf(report)).toEqual(['hooks.ts:1 unknown-hook']);
    expect(report.leftOut).toEqual([expect.stringContaining('no `typescript`')]);
  });

  test('a compiler that no program can call is as good as none', async () => {
    const folder = project({ 'hooks.ts': 'export default { onEvent() {} };' }, { compiler: 'ts7' });
    const { findings, leftOut } = await checked(folder);
    expect(findings).toEqual([]);
    expect(leftOut).toEqual([expect.stringContaining('TypeScript 7')]);
  });

  test.each([
    ['TypeScript 7', { compiler: 'ts7' }],
    ['no TypeScript', FAST],
  ] as const)(
    '%s: what was left out is in the summary, and fails under --strict',
    async (_what, setting) => {
      const text =
        "import { ToolDecision } from 'agent-hooks';\nexport default { name: 'a', preToolUse() { ToolDecision.block('x'); } };";
      const folder = project({ 'hooks.ts': text }, setting);
      const lenient = await agentHooks(folder, 'check');
      expect(lenient.code).toBe(0);
      expect(lenient.out).toBe(
        '0 errors, 0 warnings (1 policy, 1 file); checks were left out: see the note on stderr\n',
      );
      const strict = await agentHooks(folder, 'check', '--strict');
      expect(strict.code).toBe(1);
      expect(strict.out).toContain('which --strict counts as an error');
      expect((await agentHooks(folder, 'check', '--strict', '--json')).code).toBe(1);
    },
  );

  test('nothing is left out with a compiler, and --strict passes what is in order', async () => {
    const text = "export default { name: 'a', preToolUse() {} };";
    const { code, out } = await agentHooks(project({ 'hooks.ts': text }), 'check', '--strict');
    expect({ code, out }).toEqual({ code: 0, out: '0 errors, 0 warnings (1 policy, 1 file)\n' });
  });

  test('M-14: four mistakes in three files are four findings, with file and line', async () => {
    const folder = project(BROKEN, FAST);
    expect(placesOf(await checked(folder))).toEqual(BROKEN_PLACES);
  });
});

describe('agent-hooks check — with a compiler', () => {
  test('M-14: what was seen at load and again in the source counts once', async () => {
    expect(placesOf(await checked(project(BROKEN)))).toEqual(BROKEN_PLACES);
  });
});

const BROKEN = {
  'hooks/a.ts':
    "import { Policy } from 'agent-hooks';\nexport default new (class A extends Policy {\n  override preToolUse() { return = 1; }\n})();\n",
  'hooks/b.ts':
    "import { Policy } from 'agent-hooks';\nimport { gone } from './gone.ts';\nexport default new (class B extends Policy {\n  override onTurnStart() { gone(); }\n})();\n",
  'hooks/c.ts':
    "import { Policy } from 'agent-hooks';\nexport default new (class C extends Policy {\n  override readonly options = { preToolUse: { timeoutMs: '5' } };\n  override preTooluse() {}\n  override onTurnStart() {}\n})();\n",
};

const BROKEN_PLACES = [
  'hooks/a.ts:3 syntax-error',
  'hooks/b.ts:2 missing-import',
  'hooks/c.ts:3 invalid-option',
  'hooks/c.ts:4 unknown-hook',
];
