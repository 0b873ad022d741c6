import { serviceAccountResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';

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

/** The objects that make the user, without his namespaces. Pure. */
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
