import { once } from 'node:events';
import type { OneTimeLogin } from '#console/server/one-time-logins.js';
import type { ConsoleAnnouncement, ConsoleOrder } from '#console/server/parent.js';
import { startServer, type ServerProcess } from './server-process.js';

export interface ConsoleStart {
  /** Kubeconfig file of the host cluster. */
  readonly kubeconfig: string;
  /** Renders templates of values. */
  readonly helm: string;
  /** Default: all namespaces. */
  readonly namespace?: string | undefined;
  /** The log is written below it. */
  readonly dir: string;
}

/** The built console server in a process of its own, on loopback. */
export interface ConsoleProcess extends ServerProcess {
  /** URL without a path. */
  readonly address: string;
  /** Lets a code sign somebody in, once. */
  readonly offer: (login: OneTimeLogin) => void;
}

/** Starts `fairlead console` on a free port, and waits until it has one. It ends with this process. */
export async function startConsole({ kubeconfig, helm, namespace, dir }: ConsoleStart): Promise<ConsoleProcess> {
  const flags = [
    ...['--kubeconfig', kubeconfig, '--addr', '127.0.0.1:0', '--health-addr', '127.0.0.1:0', '--one-time-login'],
    ...['--helm-path', helm],
    ...(namespace === undefined ? [] : ['--namespace', namespace]),
  ];
  const { server, channel } = await startServer({ verb: 'console', flags, dir });
  // The program of this version says nothing else.
  const announced = once(channel, 'message') as Promise<[ConsoleAnnouncement]>;
  try {
    const [{ address }] = await Promise.race([announced, server.failure]);
    const offer = (login: OneTimeLogin): void => {
      const order: ConsoleOrder = { login };
      if (channel.connected) channel.send(order);
    };
    return { ...server, address, offer };
  } catch (error: unknown) {
    await server.stop();
    throw error;
  }
}
