import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import {
  Client as NewClient,
  StreamableHTTPClientTransport as NewHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as NewStdio } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { McpClient } from 'agent-hooks/tools/mcp';

/** A connected client, and how to let go of it and of its server. */
export interface Connection {
  readonly client: McpClient;
  readonly close: () => Promise<void>;
}

/** Both generations of the official SDK. */
export const GENERATIONS = ['1.x', '2.x'] as const;
export type Generation = (typeof GENERATIONS)[number];

const require = createRequire(import.meta.url);

function entryOf(server: 'everything' | 'filesystem'): string {
  const manifest = require.resolve(`@modelcontextprotocol/server-${server}/package.json`);
  return join(dirname(manifest), 'dist', 'index.js');
}

/** A reference server, started as a child process and spoken to over its standard streams. */
export async function overStdio(
  generation: Generation,
  server: 'everything' | 'filesystem',
  args: readonly string[],
): Promise<Connection> {
  const how = {
    command: process.execPath,
    args: [entryOf(server), ...args],
    stderr: 'ignore' as const,
  };
  const info = { name: 'test', version: '1' };
  if (generation === '1.x') {
    const client = new Client(info);
    await client.connect(new StdioClientTransport(how));
    return { client, close: () => client.close() };
  }
  const client = new NewClient(info);
  await client.connect(new NewStdio(how));
  return { client, close: () => client.close() };
}

/** The reference server of all features, listening on a port of its own. */
export async function overHttp(generation: Generation): Promise<Connection> {
  const port = await freePort();
  const child = spawn(process.execPath, [entryOf('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await listening(child);
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const info = { name: 'test', version: '1' };
  const client = generation === '1.x' ? new Client(info) : new NewClient(info);
  if (client instanceof NewClient) await client.connect(new NewHttp(url));
  // Its types were written without `exactOptionalPropertyTypes`.
  else await client.connect(new StreamableHTTPClientTransport(url) as unknown as InMemoryTransport);
  return {
    client,
    close: async () => {
      await client.close();
      child.kill();
    },
  };
}

function listening(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.stderr?.on('data', (data) => {
      if (String(data).includes('listening')) resolve();
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(),
      );
    });
  });
}

/** A server of the test's own, in this process. */
export async function inProcess(server: Server): Promise<Connection> {
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  return {
    client,
    close: async () => {
      await client.close();
      await server.close();
    },
  };
}
