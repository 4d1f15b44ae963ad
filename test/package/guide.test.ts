import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES, isStored } from '../../src/events/pattern.ts';
import { PackedProject, programsIn, root } from './packed-project.ts';

const PAGE = 'docs/guide.md';
const guide = readFileSync(join(root, PAGE), 'utf8');
const programs = programsIn(guide);
const shown = [...guide.matchAll(/```ts\n([\s\S]*?)```\n\n```text\n([\s\S]*?)```/g)];
const rows = [...guide.matchAll(/^\| `([a-z]+\.[a-z-]+)` +\| (yes|no) +\| (.*?) +\|$/gm)];
const project = new PackedProject();

beforeAll(() => project.install(), 120_000);
afterAll(() => project.remove());

/** In what a program prints, `…` stands for the rest of a line that no run has twice, such as a duration. */
function patternOf(output: string): RegExp {
  const parts = output.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^\\n]*?')}$`);
}

/** The event types that something in the sources makes. */
function madeTypes(): ReadonlySet<string> {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith('events'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'));
  return new Set(
    EVENT_TYPES.filter((type) => files.some((text) => text.includes(`type: '${type}'`))),
  );
}

describe('the guide', () => {
  test('every program is followed by what it prints', () => {
    expect(programs.length).toBeGreaterThan(10);
    expect(shown.map(([, program]) => program)).toEqual(programs);
  });

  for (const [index, [, program = '', output = '']] of shown.entries()) {
    test(`program ${index + 1} runs as it is written and prints what the page shows`, async () => {
      expect(output).not.toBe('');
      const printed = await project.run(program);
      if (output.includes('…')) expect(printed).toMatch(patternOf(output));
      else expect(printed).toBe(output);
    }, 60_000);
  }

  test('the compiler accepts every program under strict settings', async () => {
    expect(await project.compile(programs)).toBe('');
  }, 60_000);

  test('the table of events holds every type, in order, and whether it is stored', () => {
    const table = rows.map(([, type, stored]) => `${type} ${stored}`);
    expect(table).toEqual(EVENT_TYPES.map((type) => `${type} ${isStored(type) ? 'yes' : 'no'}`));
  });

  test('the table of events names those that nothing makes yet', () => {
    const made = madeTypes();
    const absent = rows.filter(([, , , tells]) => tells === 'not in this version');
    const expected = EVENT_TYPES.filter((type) => !made.has(type));
    expect(absent.map(([, type]) => type)).toEqual(expected);
  });

  test('every link leads to something that is in the package, and every section is in the contents', () => {
    expect(project.deadLinks(PAGE, guide)).toEqual([]);
    const headings = [...guide.matchAll(/^## (.*)$/gm)].map(([, heading = '']) => {
      const anchor = heading.toLowerCase().replace(/[^a-z0-9 -]/g, '');
      return `#${anchor.replaceAll(' ', '-')}`;
    });
    expect([...guide.matchAll(/\]\((#[^)]+)\)/g)].map(([, link]) => link)).toEqual(headings);
  });
});
