import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP proxy in front of a real server, to break what runs through it. */
export interface TcpProxy {
  readonly port: number;
  /** Ends every connection at once, as a dying load balancer does; new ones are let through. */
  cut(): void;
  /** Ends every connection and takes no new one until `restore`. */
  block(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Listens on a free port of loopback. TLS passes through unread, so the server's certificate must name 127.0.0.1. */
export async function startProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let blocked = false;
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    // A cut connection is what tests are after: its error is the client's to see.
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    if (blocked) {
      client.destroy();
      return;
    }
    const upstream = track(connect(target.port, target.host));
    track(client).on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    // A TCP server has this form of address.
    port: (server.address() as AddressInfo).port,
    cut,
    block: () => {
      blocked = true;
      cut();
    },
    restore: () => (blocked = false),
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
