import { once } from 'node:events';
import { createServer } from 'node:http';
import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';
import { startRedis } from './redis-server.ts';
import type { Server } from './server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files ask for a server: one is started for the first that needs it. */
    readonly services: string;
  }
}

const START: Readonly<Record<string, () => Promise<Server | undefined>>> = {
  postgres: () => startPostgres(),
  redis: () => startRedis(),
};

const started = new Map<string, Promise<Server | undefined>>();
const desk = createServer((request, response) => {
  const name = request.url?.slice(1) ?? '';
  const server = started.get(name) ?? START[name]?.() ?? Promise.resolve(undefined);
  started.set(name, server);
  server.then(
    (running) => response.end(running?.url ?? ''),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

/** Answers with the address of a running server, or with nothing where it is not installed. */
export async function setup({ provide }: TestProject): Promise<void> {
  desk.listen(0, '127.0.0.1');
  await once(desk, 'listening');
  const address = desk.address();
  provide('services', `http://127.0.0.1:${Object(address).port}`);
}

export async function teardown(): Promise<void> {
  desk.closeAllConnections();
  desk.close();
  for (const server of started.values()) await (await server.catch(() => undefined))?.stop();
}
