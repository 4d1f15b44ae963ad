import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');

test('docs/mcp.md shows the example as it is run', () => {
  const page = readFileSync(join(root, 'docs', 'mcp.md'), 'utf8');
  const example = readFileSync(join(root, 'examples', '09-mcp-server.ts'), 'utf8');
  expect([...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, program]) => program)).toEqual([
    example,
  ]);
});
