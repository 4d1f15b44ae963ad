import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs one of the scripts beside this file in a process of its own, and gives what it printed, as JSON. */
export async function runProcess(script: string, ...args: readonly string[]): Promise<unknown> {
  const { stdout } = await execute(process.execPath, [join(import.meta.dirname, script), ...args]);
  return JSON.parse(stdout);
}
