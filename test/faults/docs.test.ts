import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXPECTED } from './expected.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'hooks.md'), 'utf8');

test('docs/hooks.md says of each point what the matrix expects', () => {
  const [, section = ''] = page.split('## When a policy fails');
  const rows = [...section.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) \| (.*?) \|$/gm)];
  const said = rows.map(([, point, setting, closed, open]) => [point, setting, closed, open]);
  const expected = Object.entries(EXPECTED).map(([point, row]) => [
    point,
    row.default,
    row.closed?.words ?? '–',
    row.open.words,
  ]);
  expect(said).toEqual(expected);
});
