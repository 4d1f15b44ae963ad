/** Types, lint, architecture and dead code at once. Prints what failed, or one line each. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

interface Finished {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: string;
  readonly output: string;
}

const commands: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['types', 'tsc'],
  ['public types', 'tsc', '-p', 'tsconfig.src.json'],
  ...benchPeers(),
  ['lint', 'biome', 'check', '--error-on-warnings'],
  ['architecture', 'vitest', 'run', 'test/architecture', '--reporter=default'],
  ['dead code', 'knip', '--cache'],
];

const all = await Promise.all(commands.map(run));
for (const { name, passed, seconds, output } of all) {
  if (!passed) console.log(output.trimEnd());
  console.log(`${passed ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
}
process.exitCode = all.every(({ passed }) => passed) ? 0 : 1;

/** What the bench compares with is installed by the bench alone, and its types come with it. */
function benchPeers(): (readonly [name: string, command: string, ...args: string[]])[] {
  return ['bench/peers', 'bench/peers/langgraph']
    .filter((folder) => existsSync(`${folder}/node_modules`))
    .map((folder) => [`types of ${folder}`, 'tsc', '-p', folder]);
}

function run([name, command, ...args]: (typeof commands)[number]): Promise<Finished> {
  const started = performance.now();
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  return new Promise((resolve) => {
    const finish = (passed: boolean): void => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      resolve({ name, passed, seconds, output });
    };
    child.on('error', (error) => {
      output += `${command}: ${error.message}\n(Run it as "npm run check".)`;
      finish(false);
    });
    child.on('close', (code) => finish(code === 0));
  });
}
