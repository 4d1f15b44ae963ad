import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts one of the scripts in `children`, with its output as text. */
export function startChild(script: string, args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'children', script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout?.setEncoding('utf8');
  child.stderr?.setEncoding('utf8');
  return child;
}

/** How a child ended and what it wrote to its standard error. */
export function ended(
  child: ChildProcess,
): Promise<{ readonly code: number | null; readonly errors: string }> {
  let errors = '';
  child.stderr?.on('data', (text: string) => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, errors }));
  });
}
