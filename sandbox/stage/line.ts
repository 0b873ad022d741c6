import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { LOOPBACK } from '../world/ports.js';

/** The connections of one process to a server, which can be cut off from it. */
export interface Line {
  readonly port: number;
  /** From now on not a byte passes; connections stay, and new ones are taken, as behind a broken router. */
  partition(): void;
  /** What was held back passes now. */
  restore(): void;
  close(): Promise<void>;
}

export async function openLine(target: { host: string; port: number }): Promise<Line> {
  const sockets = new Set<Socket>();
  let partitioned = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const upstream = track(connect(target.port, target.host));
    track(client).pipe(upstream).pipe(client);
    client.on('close', () => upstream.end());
    upstream.on('close', () => client.destroy());
    if (partitioned) client.pause();
  });
  await once(server.listen(0, LOOPBACK), 'listening');
  return {
    // A TCP server has this form of address.
    port: (server.address() as AddressInfo).port,
    partition: () => {
      partitioned = true;
      for (const socket of sockets) socket.pause();
    },
    restore: () => {
      partitioned = false;
      for (const socket of sockets) socket.resume();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
