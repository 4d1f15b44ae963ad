import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
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
    ask: (signal) => ping(port, signal),
    program,
    args: [...args, '--save', '', '--appendonly', 'no', ...more],
    options: { cwd: folder },
    endSignal: 'SIGKILL',
    folder,
  });
}

/** While it loads what is stored, it takes connections and answers with an error. */
export async function ping(port: number, signal: AbortSignal): Promise<void> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  try {
    await once(socket, 'connect', { signal });
    socket.write('PING\r\n');
    const [answer] = await once(socket, 'data', { signal });
    if (answer !== '+PONG\r\n') throw new Error(`it answers ${answer}`);
  } finally {
    socket.destroy();
  }
}
