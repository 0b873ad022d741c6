import { readFile } from 'node:fs/promises';
import { namespaceResource, secretResource } from '#api/core.js';
import type { KubeObject, ObjectRef, ResourceType, Unstructured } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import type { Cluster } from './world.js';

/** The namespace on the host that belongs to the project; samples live in it. */
export const PROJECT_NAMESPACE = 'my-devops-projecthmhx2';

const FIELD_MANAGER = 'fairlead-sandbox';

/** Secrets with a kubeconfig of the members that the samples name. */
const SAMPLE_SECRETS = ['stage-kubeconfig', 'prod-kubeconfig'];

/** Names of the Secrets with the kubeconfigs of so many members, in their order. */
export function memberSecrets(count: number): string[] {
  return Array.from({ length: count }, (_, index) => SAMPLE_SECRETS[index] ?? `member-${index + 1}-kubeconfig`);
}

const SOURCES = { group: 'source.toolkit.fluxcd.io', version: 'v1', namespaced: true };
const GIT_REPOSITORY: ResourceType = { ...SOURCES, kind: 'GitRepository', plural: 'gitrepositories' };
const HELM_REPOSITORY: ResourceType = { ...SOURCES, kind: 'HelmRepository', plural: 'helmrepositories' };

interface Given {
  readonly type: ResourceType;
  readonly object: KubeObject;
}

function given(type: ResourceType, metadata: ObjectRef, fields: Record<string, unknown>): Given {
  const apiVersion = type.group === '' ? type.version : `${type.group}/${type.version}`;
  const object: Unstructured = { apiVersion, kind: type.kind, metadata, ...fields };
  return { type, object };
}

async function memberSecret(metadata: ObjectRef, member: Pick<Cluster, 'kubeconfig'>): Promise<Given> {
  const value = await readFile(member.kubeconfig);
  return given(secretResource, metadata, { type: 'Opaque', data: { value: value.toString('base64') } });
}

/** Where the sources of a project are, and its member clusters. */
export interface Project {
  /** One that exists. Default: the namespace that the samples have, which is created. */
  readonly namespace?: string;
  readonly gitUrl: string;
  readonly helmRepositoryUrl: string;
  readonly members: readonly Pick<Cluster, 'kubeconfig'>[];
}

/** What a platform team gives to a project, as objects of the host. */
export async function projectObjects(project: Project): Promise<Given[]> {
  const { namespace = PROJECT_NAMESPACE, gitUrl, helmRepositoryUrl, members } = project;
  const names = memberSecrets(members.length);
  const secrets = members.map((member, index) => memberSecret({ name: names[index] ?? '', namespace }, member));
  const git = { url: gitUrl, ref: { branch: 'main' }, interval: '1m' };
  return [
    ...(project.namespace === undefined ? [given(namespaceResource, { name: namespace }, {})] : []),
    given(GIT_REPOSITORY, { name: 'fluxcd-github-repo', namespace }, { spec: git }),
    given(
      HELM_REPOSITORY,
      { name: 'fairlead-charts', namespace },
      { spec: { url: helmRepositoryUrl, interval: '1m' } },
    ),
    ...(await Promise.all(secrets)),
  ];
}

/**
 * Gives the project its namespace, unless it is given, its sources and the kubeconfigs of its members (`stage-kubeconfig` is member-1,
 * `prod-kubeconfig` is member-2, key `value`). The CRDs of the sources must be installed. Safe to repeat.
 */
export async function prepareProject(project: Project, host: Pick<Kube, 'apply'>): Promise<void> {
  for (const { type, object } of await projectObjects(project)) {
    await host.apply(type, object, { fieldManager: FIELD_MANAGER, force: true });
  }
}
