import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { loadUndici } from '../../../src/internal/safe-http/load-undici.ts';
import type { HostAddress } from '../../../src/internal/safe-http/resolve-host.ts';
import type { Wire } from '../../../src/internal/safe-http/safe-request.ts';
import { buildWebhookTool } from '../../../src/tools/webhook/webhook-tool.ts';
import { CERTIFICATE, KEY } from './certificate.ts';

/** One request as it arrived. */
interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  readonly servername: string | false | undefined;
}

type Answer = (arrived: Arrived, response: ServerResponse) => void;

export interface Service {
  readonly port: number;
  readonly origin: string;
  readonly requests: readonly Arrived[];
  /** Connections that were ever made. */
  readonly sockets: ReadonlySet<Socket>;
  /** Connections that are open now. */
  readonly open: () => number;
}

export const OK: Answer = (_arrived, response) => response.end('{"done":true}');

/** A real server of its own port on this machine, until the test ends. */
export async function service(
  answer: Answer = OK,
  { tls = false }: { readonly tls?: boolean } = {},
): Promise<Service> {
  const requests: Arrived[] = [];
  const sockets = new Set<Socket>();
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const servername: unknown = Reflect.get(request.socket, 'servername');
      const arrived = {
        method,
        url,
        headers,
        body: Buffer.concat(chunks),
        servername: servername as Arrived['servername'], // what TLS sockets have there
      };
      requests.push(arrived);
      answer(arrived, response);
    });
  };
  const server = tls
    ? createTlsServer({ key: KEY, cert: CERTIFICATE }, listener)
    : createServer(listener);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    // A client that gives up mid-way is what some of these tests are about.
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return {
    port,
    requests,
    sockets,
    origin: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    open: () => [...sockets].filter((socket) => !socket.destroyed).length,
  };
}

/** A wire whose names are what a test says, and whose allowed connections all end at this machine. */
export function wireOf(
  answers: Readonly<Record<string, readonly (readonly string[])[]>> = {},
): Wire & {
  readonly lookups: string[];
  readonly dialled: string[];
} {
  const lookups: string[] = [];
  const dialled: string[] = [];
  return {
    undici: loadUndici(),
    ca: CERTIFICATE,
    lookups,
    dialled,
    resolve: async (hostname) => {
      const before = lookups.filter((name) => name === hostname).length;
      lookups.push(hostname);
      const rounds = answers[hostname] ?? [];
      const addresses = rounds[Math.min(before, rounds.length - 1)];
      if (addresses === undefined) throw new Error('ENOTFOUND');
      return addresses.map((address) => ({ address, family: 0 }));
    },
    dial: ({ address }: HostAddress) => {
      dialled.push(address);
      return { address: '127.0.0.1', family: 4 };
    },
  };
}

const base = {
  name: 'note',
  description: 'Writes a note',
  inputSchema: z.looseObject({}),
  sideEffects: 'idempotent',
} as const;

/** A tool that takes any arguments and may call this machine. */
export function webhook(
  options: Partial<Parameters<typeof buildWebhookTool>[0]> & { readonly url: string },
  wire: Wire = wireOf(),
): ReturnType<typeof buildWebhookTool> {
  return buildWebhookTool({ ...base, allowPrivateNetwork: true, ...options }, wire);
}

/** What a call threw. Fails when it did not throw. */
export async function thrownBy(call: unknown): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
    throw error;
  }
  throw new Error('the call gave a result');
}
