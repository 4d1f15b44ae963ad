import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HOOK_POINTS } from '../../src/hooks/points.ts';
import { PackedProject, programsIn, root } from './packed-project.ts';

const PAGE = 'docs/hooks.md';
const page = readFileSync(join(root, PAGE), 'utf8');
const programs = programsIn(page);
const shown = [...page.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];
const SIGNATURES = [...page.matchAll(/^\| `(\w+)` \| `\((.*)\)` \|(.*)\|$/gm)];
const project = new PackedProject();

/** A policy that implements every hook with the parameters of the table, and reads every member that it tells of. */
function policyOfTable(): string {
  const methods = SIGNATURES.map(([, hook = '', parameters = '', members = '']) => {
    const names = parameters.split(', ').map((parameter) => parameter.split(':')[0] ?? '');
    const payload = names.filter((name) => name !== 'ctx' && name !== 'next').at(-1);
    const reads = [...members.matchAll(/`(\w+)`(?: \(each ([^)]*)\))?/g)].flatMap(
      ([, member, inner = '']) => [
        `${payload}.${member}`,
        ...[...inner.matchAll(/\w+/g)].map((one) => `${payload}.${member}[0]?.${one}`),
      ],
    );
    const typed = parameters
      .replace(/\bctx$/, 'ctx: HookContext<App, State>')
      .replace(/\bnext\b/, 'next: unknown');
    return `override ${hook}(${typed}) { void [${reads}]; return undefined as never; }`;
  });
  const types = [
    ...new Set(SIGNATURES.flatMap(([, , all = '']) => all.match(/\b[A-Z]\w+/g) ?? [])),
  ];
  return `import { Policy, type HookContext, ${types.map((name) => `type ${name}`)} } from 'agent-hooks';
    interface App { readonly tenant: string }
    interface State { readonly visits: number }
    export class Every extends Policy<App, State> { ${methods.join('\n')} }`;
}

beforeAll(() => project.install(), 120_000);
afterAll(() => project.remove());

describe('the page of the hooks', () => {
  test('every program is followed by what it prints', () => {
    expect(programs.length).toBeGreaterThan(0);
    expect(shown.map(([, program]) => program)).toEqual(programs);
  });

  for (const [index, [, program = '', output = '']] of shown.entries()) {
    test(`program ${index + 1} runs as it is written and prints what the page shows`, async () => {
      expect(await project.run(program)).toBe(output);
    }, 60_000);
  }

  test('the compiler accepts every program under strict settings, and a policy with the signatures of the table', async () => {
    expect(SIGNATURES.map(([, hook]) => hook)).toEqual(HOOK_POINTS);
    expect(await project.compile([...programs, policyOfTable()])).toBe('');
  }, 60_000);

  test('every link leads to something that is in the package', () => {
    expect(project.deadLinks(PAGE, page)).toEqual([]);
  });
});
