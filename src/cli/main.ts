#!/usr/bin/env node
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describeThrown } from '../internal/describe-thrown.ts';
import { redactSecrets } from '../internal/redact-secrets.ts';
import { runCli } from './run-cli.ts';

const { stdout, stderr } = process;
const say = stdout.write.bind(stdout);

// A hook file may print, exit or leave a promise behind while it is loaded. None of it may look like a result.
stdout.write = stderr.write.bind(stderr);
let isDone = false;
process.on('exit', (code) => {
  if (isDone) return;
  stderr.write(
    `agent-hooks: a hook file ended the process (exit code ${code}); nothing was checked\n`,
  );
  process.exitCode = 2;
});
process.on('unhandledRejection', abandoned);
process.on('uncaughtException', abandoned);
stdout.on('error', unwritten);

void runCli(process.argv.slice(2), {
  out: (text) => void say(text),
  drained: () => (stdout.writableNeedDrain ? once(stdout, 'drain') : undefined),
  err: (text) => void stderr.write(text),
  isColoured: stdout.isTTY === true && !process.env['NO_COLOR'],
  version,
  progress: {
    ...(stderr.isTTY === true && { write: (text: string) => void stderr.write(text) }),
    now: () => performance.now(),
  },
}).then(finish, abandoned);

/** Ends the process once all of it is written: a hook file may have left a timer or a connection behind. */
function finish(code: number): void {
  isDone = true;
  stderr.write('', () => say('', () => process.exit(code)));
}

/** Whoever reads the output may stop, as `head` does. What is then left of it is nobody's, and says no more. */
function unwritten(error: NodeJS.ErrnoException): never {
  isDone = true;
  if (error.code !== 'EPIPE')
    stderr.write(`agent-hooks: the output cannot be written: ${error.code ?? error.name}\n`);
  process.exit(2);
}

function abandoned(reason: unknown): void {
  if (isDone) return;
  const { name, text } = describeThrown(reason);
  stderr.write(`agent-hooks: a hook file left an error behind: ${name}: ${redactSecrets(text)}\n`);
  finish(2);
}

function version(): string {
  const from = createRequire(realpathSync(process.argv[1] ?? '.'));
  const { version: ours }: { readonly version: string } = from('agent-hooks/package.json');
  return ours;
}
