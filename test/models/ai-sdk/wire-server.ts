import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Wire } from './endpoints.ts';
import { type Answer, WIRES, type WireFormat } from './wire-formats.ts';

/** What the server does with one request. */
export type Reply =
  | Answer
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** Writes a response by hand. It knows the protocol, and whether a stream was asked for. */
  | ((response: ServerResponse, wire: WireFormat, request: Received) => unknown);

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly [key: string]: unknown };
  /** When it came, in milliseconds. */
  readonly at: number;
  /** Resolves when its socket is closed before the response was. */
  readonly aborted: Promise<void>;
}

export interface WireServer {
  readonly url: string;
  /** Every request since the test began. */
  readonly received: readonly Received[];
  /** One reply per request, in order. A request beyond them is answered 418. */
  answer(...replies: readonly Reply[]): void;
}

/** A server on a free port that speaks the three protocols, for the tests of one file. */
export function wireServer(): WireServer {
  const received: Received[] = [];
  let queue: Reply[] = [];
  const server = createServer(async (incoming, response) => {
    const aborted = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    let text = '';
    for await (const data of incoming) text += data;
    const path = incoming.url ?? '';
    const body = JSON.parse(text) as Received['body'];
    const request = { path, headers: incoming.headers, body, at: performance.now(), aborted };
    received.push(request);
    const reply = queue.shift() ?? { status: 418 };
    const wire =
      WIRES[path.split('/').at(-1) === 'completions' ? 'chat' : (path.split('/').at(-1) as Wire)]; // The path ends in the name.
    if (typeof reply === 'function') await reply(response, wire, request);
    else if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(JSON.stringify(reply.body ?? { error: { message: 'LEAK', type: 'error' } }));
    } else if (body['stream'] === true) {
      openStream(response).end(streamed(reply, wire));
    } else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.whole(reply)));
    }
  });
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterEach(() => {
    queue = [];
    received.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    received,
    answer(...replies) {
      queue.push(...replies);
    },
  };
}

function streamed(answer: Answer, wire: WireFormat): string {
  return wire.events(answer).map(wire.frame).join('') + wire.end;
}

export function openStream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' });
}

/** A streamed answer up to the first piece of its text, `Hello`. */
export function opening(wire: WireFormat): string {
  const events = wire.events({ text: 'Hello you!' }).map(wire.frame);
  return events.slice(0, events.findIndex((event) => event.includes('Hello')) + 1).join('');
}
