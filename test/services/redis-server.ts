import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from './find-program.ts';
import { freePort } from './free-port.ts';
import { type Server, startServer } from './server.ts';

/** Starts Redis, empty, with more settings where a test needs them; `undefined` where it is not installed. */
export async function startRedis(more: readonly string[] = []): Promise<Server | undefined> {
  const program = findProgram('redis-server');
  if (program === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'agent-hooks-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  return startServer({
    url: `redis://127.0.0.1:${port}`,
    port,
    program,
    args: [...args, '--save', '', '--appendonly', 'no', ...more],
    options: { cwd: folder },
    endSignal: 'SIGKILL',
    folder,
  });
}
