/**
 * What agent-hooks costs: the same work through a loop written by hand, through agent-hooks and through other
 * runtimes, interleaved in one run, medians. Writes bench/results.json and bench/results.md.
 *
 * `--short` takes seconds: it runs everything once or twice, fails when a contender does not do the work or SQLite
 * commits too often, judges no time and writes nothing. It leaves out the peers when they are not installed.
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { buildWhereOld } from './build.ts';
import { hasPeers } from './contenders.ts';

const root = join(import.meta.dirname, '..');
const isShort = process.argv.includes('--short');

buildWhereOld();
if (!hasPeers()) {
  if (isShort)
    console.log('Without the peers: they are not installed (npm ci --prefix bench/peers).');
  else run('npm', ['ci', '--no-audit', '--no-fund'], join(root, 'bench', 'peers'));
}
// What it measures is there only now.
const { runBench } = await import('./run.ts');
await runBench(isShort);

function run(command: string, args: readonly string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}
