/**
 * Reads what vitest recorded and prints the closing line "N passed, N failed".
 * Under CI a skipped test is a failure, unless its name says why: `[skip: needs a server]`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Recorded {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const strict = process.env['CI'] === 'true' || process.env['CI'] === '1';
const { testResults } = read();

let passed = 0;
let failed = 0;
let skipped = 0;
for (const file of testResults) {
  // A file that could not be loaded has no test of its own to count.
  if (file.status === 'failed' && file.assertionResults.length === 0) failed += 1;
  for (const { fullName, status } of file.assertionResults) count(fullName, status);
}

if (passed + failed === 0) {
  console.error('no test was executed');
  failed = 1;
}
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;

function count(name: string, status: string): void {
  if (status === 'passed') passed += 1;
  else if (status === 'failed') failed += 1;
  else if (!strict || /\[skip: [^\]]+\]/.test(name)) skipped += 1;
  else {
    console.error(`skipped without a reason, say it in the name as "[skip: reason]": ${name}`);
    failed += 1;
  }
}

function read(): Recorded {
  const path = join(import.meta.dirname, '..', 'node_modules', '.cache', 'test-results.json');
  if (!existsSync(path)) return { testResults: [] };
  return JSON.parse(readFileSync(path, 'utf8'));
}
