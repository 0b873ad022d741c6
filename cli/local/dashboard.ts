import { randomBytes } from 'node:crypto';
import { serviceAccountResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { LOGIN_PAGE } from '#console/shared/pages.js';
import { LOGIN_MINUTES } from '#console/server/one-time-logins.js';
import { type ConsoleProcess, startConsole } from '#sandbox/console-process.js';
import type { DemoWorld } from './world.js';

/** Who looks at the dashboard of a demo. */
const NAME = 'dashboard-user';
const FIELD_MANAGER = 'fairlead-demo';
const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' };
/** Longer than a day of work; with its demo, the user is gone anyway. */
const TOKEN_SECONDS = 12 * 3_600;

/** All that is Fairlead's may be changed, and all else be read. */
const RULES = [
  { apiGroups: [applicationResource.group], resources: ['*'], verbs: ['*'] },
  { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] },
];

interface TokenRequest extends KubeObject {
  readonly spec: { readonly expirationSeconds: number };
  readonly status?: { readonly token?: string };
}

function rbac(kind: string, plural: string, namespaced: boolean): ResourceType {
  return { ...RBAC, kind, plural, namespaced };
}

/** Rights of a user. */
export interface UserRights {
  /** The user is in this namespace, and goes with it. */
  readonly namespace: string;
  /** Namespaces in which the user has rights; absent: in the whole cluster, which then is one of a sandbox. */
  readonly within?: readonly string[];
}

/** The objects that make the user, without his namespaces. */
export function userObjects({ namespace, within }: UserRights): { type: ResourceType; object: KubeObject }[] {
  const apiVersion = `${RBAC.group}/${RBAC.version}`;
  const subjects = [{ kind: 'ServiceAccount', name: NAME, namespace }];
  const bound = (prefix: string, place: { namespace?: string }) => {
    const [role, binding] = [`${prefix}Role`, `${prefix}RoleBinding`];
    const metadata = { name: NAME, ...place };
    const roleRef = { apiGroup: RBAC.group, kind: role, name: NAME };
    const type = (kind: string) => rbac(kind, `${kind.toLowerCase()}s`, prefix === '');
    return [
      { type: type(role), object: { apiVersion, kind: role, metadata, rules: RULES } },
      { type: type(binding), object: { apiVersion, kind: binding, metadata, roleRef, subjects } },
    ];
  };
  const user = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: NAME, namespace } };
  const rights = within === undefined ? bound('Cluster', {}) : within.flatMap((each) => bound('', { namespace: each }));
  return [{ type: serviceAccountResource, object: user }, ...rights];
}

export async function createUser(host: Kube, rights: UserRights): Promise<void> {
  for (const { type, object } of userObjects(rights)) {
    await host.apply(type, object, { fieldManager: FIELD_MANAGER, force: true });
  }
}

/** A token of the user, for half a day. */
export async function tokenOfUser(host: Kube, namespace: string): Promise<string> {
  const request: TokenRequest = {
    ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: { name: NAME, namespace } },
    spec: { expirationSeconds: TOKEN_SECONDS },
  };
  const { status } = await host.create(serviceAccountResource, request, { subresource: 'token' });
  if (status?.token === undefined) throw new Error(`${host.server} gave no token for ServiceAccount ${NAME}`);
  return status.token;
}

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

/** The lines that introduce a link to a person. */
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
