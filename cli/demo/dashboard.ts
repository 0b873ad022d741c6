import { randomBytes } from 'node:crypto';
import { LOGIN_PAGE } from '#console/shared/pages.js';
import { LOGIN_MINUTES } from '#console/server/one-time-logins.js';
import type { Kube } from '#runtime/client/kube.js';
import { startConsole, type ConsoleProcess } from '#sandbox/console-process.js';
import { createUser, tokenOfUser, type UserRights } from './dashboard-user.js';
import type { DemoWorld } from './world.js';

const CODE_BYTES = 32;

/** The dashboard of a demo, and who looks at it. */
export interface DemoDashboard {
  readonly process: ConsoleProcess;
  /** An address that signs its first reader in. */
  readonly link: () => Promise<string>;
}

interface DashboardStart {
  readonly world: DemoWorld;
  readonly kube: Kube;
  readonly rights: UserRights;
}

/** Starts the console server. The token of its user goes through a channel of processes, and its code into the link. */
export async function startDashboard({ world, kube, rights }: DashboardStart): Promise<DemoDashboard> {
  const { namespace, within } = rights;
  await createUser(kube, rights);
  const watched = within === undefined ? undefined : namespace;
  const { hostKubeconfig: kubeconfig, helm, dir } = world;
  const process = await startConsole({ kubeconfig, helm, namespace: watched, dir });
  const link = async (): Promise<string> => {
    const code = randomBytes(CODE_BYTES).toString('base64url');
    process.offer({ code, token: await tokenOfUser(kube, namespace) });
    return `${process.address}${LOGIN_PAGE}#${code}`;
  };
  return { process, link };
}

/** What a person reads of a link. Pure. */
export function linkLines(link: string): string {
  return `Dashboard, signed in by a link that works once, for ${LOGIN_MINUTES} minutes:\n  ${link}\n`;
}

/** Prints another link for each line that is typed at a terminal. Returns how to stop that. */
export function linkOnEnter({ link }: DemoDashboard, write: (text: string) => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY) return () => undefined;
  const print = (): void => {
    link().then(
      (address) => write(linkLines(address)),
      (error: unknown) => write(`There is no link: ${error instanceof Error ? error.message : String(error)}\n`),
    );
  };
  stdin.on('data', print);
  return () => {
    stdin.removeListener('data', print);
    stdin.pause();
  };
}
