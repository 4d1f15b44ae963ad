import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a store and its server, and fails as networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Cuts the connection when this many bytes more have gone to the server, or have come from it; once. */
  cutAfter(bytes: number, direction: 'there' | 'back'): void;
  /** Lets nothing come back any more, without closing anything, until `heal`. */
  silence(): void;
  heal(): void;
  close(): Promise<void>;
}

/** A target that is asked for at each connection may become another. */
export async function tcpProxy(target: number | (() => number)): Promise<TcpProxy> {
  let cut: { left: number; readonly direction: 'there' | 'back' } | undefined;
  let isSilent = false;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(typeof target === 'number' ? target : target(), '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    const pass = (to: Socket, direction: 'there' | 'back') => (bytes: Buffer) => {
      if (direction === 'back' && isSilent) return;
      if (cut?.direction !== direction) return void to.write(bytes);
      cut.left -= bytes.length;
      if (cut.left > 0) return void to.write(bytes);
      const last = bytes.subarray(0, bytes.length + cut.left);
      cut = undefined;
      // What was let through arrives before the end does.
      if (last.length > 0) to.write(last, () => near.destroy());
      else near.destroy();
    };
    near.on('data', pass(far, 'there'));
    far.on('data', pass(near, 'back'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: Object(server.address()).port,
    cutAfter: (bytes, direction) => {
      cut = { left: bytes, direction };
    },
    silence: () => {
      isSilent = true;
    },
    heal: () => {
      isSilent = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
