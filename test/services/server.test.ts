import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from './free-port.ts';
import { ping } from './redis-server.ts';
import { startServer } from './server.ts';

/** Listens at once, and loads for a while, as Redis does. */
const LOADING = `
const since = Date.now();
require('node:net')
  .createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write(Date.now() - since < 500 ? '-LOADING\\r\\n' : '+PONG\\r\\n'));
  })
  .listen(Number(process.argv[1]), '127.0.0.1');
`;

async function start(script: string) {
  const port = await freePort();
  return startServer({
    url: `redis://127.0.0.1:${port}`,
    ask: (signal) => ping(port, signal),
    program: process.execPath,
    args: ['-e', script, String(port)],
    options: {},
    endSignal: 'SIGKILL',
    folder: mkdtempSync(join(tmpdir(), 'agent-hooks-server-')),
  });
}

test('a server has started when it answers, not when it listens', async () => {
  const server = await start(LOADING);
  try {
    await ping(Number(new URL(server.url).port), AbortSignal.timeout(1_000));
  } finally {
    await server.stop();
  }
});

test('one that ends before it answers is told of, with what it said', async () => {
  await expect(start("console.error('no room'); process.exit(3)")).rejects.toThrow(
    /does not start: no room/,
  );
});
