import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A real proxy on this machine, until the test ends. Leads everything to `port`, and refuses where there is none. */
export async function connectProxy(
  port?: number,
): Promise<{ readonly origin: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    response.writeHead(502).end();
  });
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request, client: Socket) => {
    asked.push(String(request.url));
    if (port === undefined) return void client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(client).pipe(target);
    });
    sockets.add(target);
    // Whoever gives up first breaks the other's pipe.
    for (const socket of [client, target]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port: own } = server.address() as AddressInfo; // It listens on a port.
  return { origin: `http://127.0.0.1:${own}`, asked };
}
