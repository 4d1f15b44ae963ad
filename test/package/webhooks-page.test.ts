import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PackedProject, programsIn, root } from './packed-project.ts';

const NAME = 'docs/webhooks.md';
const page = readFileSync(join(root, NAME), 'utf8');
const programs = programsIn(page);
const project = new PackedProject();

beforeAll(() => project.install(), 120_000);
afterAll(() => project.remove());

/** A program of the page with a line at its end that says what came of it. */
function told(program: string, exported: string): string {
  return `${program.replace('export const', 'const')}\nconsole.log(${exported}.name);\n`;
}

const TELL_THROWN = (importing: string, call: string): string =>
  `${importing}\ntry { ${call} } catch (error) { console.log(error.code, error.message); }\n`;

// In the order of a newcomer, who finds out what is missing, installs it and goes on.
describe(NAME, () => {
  test.each([
    [
      'webhookTool',
      `import { webhookTool } from 'agent-hooks/tools/webhook';\nimport * as z from 'zod';`,
      `webhookTool({ name: 'a', url: 'https://a.example/', inputSchema: z.object({}) })`,
    ],
    [
      'webhookPolicy',
      `import { webhookPolicy } from 'agent-hooks/policies/webhook';`,
      `webhookPolicy({ name: 'A', url: 'https://a.example/', points: ['preToolUse'], hmacSecret: 's' })`,
    ],
  ])(
    '%s without `undici` names the package and what to run',
    async (name, importing, call) => {
      expect(await project.run(TELL_THROWN(importing, call))).toBe(
        `missing-package ${name}(): the optional package \`undici\` in version 7 or newer is not installed or does not load here. Run \`npm install undici\`\n`,
      );
    },
    60_000,
  );

  test('with it, every program runs as it is written', async () => {
    const from = join(root, 'node_modules', 'undici');
    cpSync(from, join(project.path, 'node_modules', 'undici'), { recursive: true });
    const names = ['addNote', 'refunds'];
    expect(programs).toHaveLength(names.length);
    const printed = programs.map((one, index) => project.run(told(one, names[index] ?? '')));
    expect(await Promise.all(printed)).toEqual(['add_note\n', 'RefundRules\n']);
  }, 60_000);

  test('the compiler accepts every program under strict settings', async () => {
    expect(await project.compile(programs)).toBe('');
  }, 60_000);

  test('every link leads to something that is in the package', () => {
    expect(project.deadLinks(NAME, page)).toEqual([]);
  });
});
