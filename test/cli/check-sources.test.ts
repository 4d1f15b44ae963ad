import { beforeAll, expect, test } from 'vitest';
import type { CheckReport } from '../../src/cli/check-project.ts';
import { checked, placesOf, project } from './project.ts';

/** A policy with these members, which begin at line 4. */
function policy(name: string, members: string): string {
  return `import { MessageDecision, Policy, RequestDecision, ToolDecision, ToolResultDecision } from 'agent-hooks';
import type { ChatRequest, HookContext, ToolInvocation } from 'agent-hooks';
export default new (class ${name} extends Policy {
${members}
})();
export const used = [MessageDecision, RequestDecision, ToolDecision, ToolResultDecision];
export type Used = [ChatRequest, HookContext, ToolInvocation];
`;
}

const REMEMBERS =
  '  override onTurnStart(_t: object, ctx: HookContext) { ctx.memory.set("n", 1); }';

/** All in one project, as the compiler takes seconds to begin. */
const FILES = {
  'branch.ts': policy(
    'Branch',
    `  override preLlmRequest(request: ChatRequest) {
    return request.messages.length > 9
      ? RequestDecision.proceed()
      : ToolDecision.retryWithFeedback('x');
  }`,
  ),
  'none.ts': policy(
    'None',
    `  override preToolUse(call: ToolInvocation) {
    return call.tier === 'auto' && ToolDecision.allow();
  }
  override async onUserMessage() {
    return { type: 'deny' };
  }
  override onOutgoingMessage() {
    return null;
  }
  override readonly options = { onOutgoingMessage: { failure: 'closed' } } as const;`,
  ),
  'thrown.ts': policy(
    'Thrown',
    `  override preToolUse(call: ToolInvocation) {
    const no = ToolDecision.block('no');
    if (call.tier === 'confirm') throw no;
    throw ToolDecision.block('never');
  }`,
  ),
  'lost.ts': policy(
    'Lost',
    `  override preToolUse(call: ToolInvocation) {
    if (call.tier === 'auto') ToolDecision.block('no');
    call.tier === 'confirm' && this.refuse();
    void ToolDecision.block('dropped on purpose');
    return undefined;
  }
  private refuse() {
    return ToolDecision.block('no');
  }`,
  ),
  'misspelled.ts': policy(
    'Misspelled',
    `  override preTooluse(call: ToolInvocation) {
    return call.tier === 'auto' ? ToolDecision.allow() : undefined;
  }
  override onEvent() {}`,
  ),
  'unchecked.ts': policy(
    'Unchecked',
    `  override preToolUse() {
    return JSON.parse('{}');
  }`,
  ),
  'two.ts': policy(
    'Two',
    `  override preToolUse(call: ToolInvocation) {
    if (call.toolNme === 'pay') return ToolDecision.abstain();
    return RequestDecision.proceed();
  }`,
  ),
  'unnamed.ts': policy('Unnamed', REMEMBERS),
  'named.ts': policy('Named', `  override readonly name = 'gate';\n${REMEMBERS}`),
  'open.ts': policy(
    'Open',
    `  override postToolUse() {
    return ToolResultDecision.modify({ output: 'x' });
  }`,
  ),
  'watches.ts': policy('Watches', '  override postToolUse() { globalThis.performance.now(); }'),
  'plain.js': `import { ToolDecision } from 'agent-hooks';
export default {
  preToolUse(call) {
    if (call.tier === 'auto') ToolDecision.block('no');
    return call.tier === 'confirm' ? ToolDecision.allow() : false;
  },
  async onLlmResponse() {
    return ToolDecision.allow();
  },
};
`,
};

let report: CheckReport;

beforeAll(async () => {
  const files = Object.entries(FILES).map(([name, text]) => [`hooks/${name}`, text]);
  report = await checked(project(Object.fromEntries(files)));
});

function found(file: keyof typeof FILES): readonly string[] {
  const findings = report.findings.filter((finding) => finding.file === `hooks/${file}`);
  return placesOf({ findings }).map((place) => place.replace(`hooks/${file}:`, ''));
}

test.each<[fact: string, file: keyof typeof FILES, places: readonly string[]]>([
  [
    'a decision of another point is an error at the branch that gives it',
    'branch.ts',
    ['7 illegal-decision'],
  ],
  [
    'a value that is no decision at all is one too',
    'none.ts',
    ['5 illegal-decision', '8 illegal-decision', '11 illegal-decision'],
  ],
  [
    'a decision that is thrown is an error',
    'thrown.ts',
    ['6 thrown-decision', '7 thrown-decision'],
  ],
  [
    'a decision that nobody returns is an error, whoever makes it',
    'lost.ts',
    ['5 forgotten-return', '6 forgotten-return'],
  ],
  ['M-11: a misspelled override is one error', 'misspelled.ts', ['4 unknown-hook']],
  ['an answer that nobody checked is a warning', 'unchecked.ts', ['5 unchecked-decision']],
  [
    'a type error beside another mistake of the same hook is not hidden by it',
    'two.ts',
    ['5 type-error', '6 illegal-decision'],
  ],
  ['memory without a name is a warning', 'unnamed.ts', ['4 unnamed-policy']],
  ['memory with a name is none', 'named.ts', []],
  ['an open point is a warning for a hook that changes what passes', 'open.ts', ['4 open-point']],
  ['an open point is none for a hook that only watches', 'watches.ts', []],
  [
    'plain JavaScript is read for the same mistakes',
    'plain.js',
    ['4 forgotten-return', '5 illegal-decision', '8 illegal-decision'],
  ],
])('%s', (_fact, file, places) => {
  expect(found(file)).toEqual(places);
});

test('a misspelled hook is told which one was meant, and an illegal decision which are legal', () => {
  const fixOf = (file: string): string | undefined =>
    report.findings.find((finding) => finding.file === `hooks/${file}`)?.fix;
  expect(fixOf('misspelled.ts')).toContain("'preToolUse'");
  expect(fixOf('branch.ts')).toContain('RequestDecision: proceed, modify, block');
});

test('every finding is an error or a warning, and they are counted', () => {
  const warnings = report.findings.filter(({ severity }) => severity === 'warning');
  expect(warnings.map(({ code }) => code)).toEqual([
    'open-point',
    'unchecked-decision',
    'unnamed-policy',
  ]);
  expect(report).toMatchObject({ errors: report.findings.length - 3, warnings: 3, leftOut: [] });
});

test('a project without a config is told nothing of globals that nobody declared', async () => {
  const text = `import { env } from 'node:process';
export default { preToolUse: () => (process.env['A'] === env['B'] ? undefined : { type: 'allow' }) };
`;
  const folder = project({ 'hooks.ts': text }, { compiler: 'typescript', hasConfig: false });
  expect((await checked(folder)).findings).toEqual([]);
});
