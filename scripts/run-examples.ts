/** Runs every example to its end, against the sources. One that fails, hangs or prints nothing is an error. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const condition = '--conditions=agent-hooks-source';
const limitMs = 60_000;
const atOnce = 2;

const waiting = findExamples();
const failures: string[] = [];
if (waiting.length === 0) console.log('no examples yet');
await Promise.all(Array.from({ length: atOnce }, runWaiting));
for (const failure of failures) console.error(failure);
process.exitCode = failures.length === 0 ? 0 : 1;

function findExamples(): string[] {
  const folder = join(root, 'examples');
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  if (existsSync(join(folder, 'airline', 'main.ts'))) files.push('airline/main.ts');
  return files.sort().map((name) => `examples/${name}`);
}

async function runWaiting(): Promise<void> {
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const started = performance.now();
    const problem = await runExample(file);
    const ms = Math.round(performance.now() - started);
    console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${file} (${ms} ms)`);
    if (problem !== undefined) failures.push(`\n${file}: ${problem}`);
  }
}

/** What is wrong with it, or nothing. */
function runExample(file: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { cwd: root, timeout: limitMs, maxBuffer: 16 * 1024 * 1024 };
    const child = execFile(process.execPath, [condition, file], options, (error, out, err) => {
      const printed = `${out}${err}`.trimEnd();
      if (error?.killed) resolve(`not done after ${limitMs / 1000} s\n${printed}`);
      else if (error) resolve(`exit code ${error.code}\n${printed}`);
      else if (out.trim() === '') resolve(`printed nothing\n${printed}`);
      else resolve(undefined);
    });
    child.stdin?.end();
  });
}
