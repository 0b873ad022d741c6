import { readFile } from 'node:fs/promises';
import { namespaceResource, secretResource } from '../api/core.js';
import type { KubeObject, ResourceType, Unstructured } from '../api/meta.js';
import type { Kube } from '../controllers/runtime/kube.js';
import type { Cluster, World } from './world.js';

/** The namespace on the host that belongs to the project; samples live in it. */
export const PROJECT_NAMESPACE = 'my-devops-projecthmhx2';

const FIELD_MANAGER = 'fairlead-sandbox';

/** Secrets with a member's kubeconfig, in the order of the members. */
export const MEMBER_SECRETS = ['stage-kubeconfig', 'prod-kubeconfig'];

const SOURCES = { group: 'source.toolkit.fluxcd.io', version: 'v1', namespaced: true };
const GIT_REPOSITORY: ResourceType = { ...SOURCES, kind: 'GitRepository', plural: 'gitrepositories' };
const HELM_REPOSITORY: ResourceType = { ...SOURCES, kind: 'HelmRepository', plural: 'helmrepositories' };

interface Given {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

function given(type: ResourceType, name: string, fields: Record<string, unknown>): Given {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const metadata = type.namespaced ? { name, namespace: PROJECT_NAMESPACE } : { name };
  const object: Unstructured = { apiVersion, kind: type.kind, metadata, ...fields };
  return { type, object };
}

async function memberSecret(name: string, member: Cluster): Promise<Given> {
  const value = await readFile(member.kubeconfig);
  return given(secretResource, name, { type: 'Opaque', data: { value: value.toString('base64') } });
}

/** What a platform team gives to a project, as objects of the host. */
export async function projectObjects(world: Pick<World, 'gitUrl' | 'helmRepositoryUrl' | 'members'>): Promise<Given[]> {
  const secrets = await Promise.all(
    MEMBER_SECRETS.flatMap((name, index) => {
      const member = world.members[index];
      return member === undefined ? [] : [memberSecret(name, member)];
    }),
  );
  return [
    given(namespaceResource, PROJECT_NAMESPACE, {}),
    given(GIT_REPOSITORY, 'fluxcd-github-repo', {
      spec: { url: world.gitUrl, ref: { branch: 'main' }, interval: '1m' },
    }),
    given(HELM_REPOSITORY, 'fairlead-charts', { spec: { url: world.helmRepositoryUrl, interval: '1m' } }),
    ...secrets,
  ];
}

/**
 * Gives the project its namespace, its sources and the kubeconfigs of its members (`stage-kubeconfig` is member-1,
 * `prod-kubeconfig` is member-2, key `value`). The CRDs of the sources must be installed. Safe to repeat.
 */
export async function prepareProject(
  world: Pick<World, 'gitUrl' | 'helmRepositoryUrl' | 'members'>,
  host: Pick<Kube, 'apply'>,
): Promise<void> {
  for (const { type, object } of await projectObjects(world)) {
    await host.apply(type, object, { fieldManager: FIELD_MANAGER, force: true });
  }
}
