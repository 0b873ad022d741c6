import { bucketResource } from '../../api/flux/bucket.js';
import { externalArtifactResource } from '../../api/flux/external-artifact.js';
import { gitRepositoryResource } from '../../api/flux/git-repository.js';
import { helmChartResource } from '../../api/flux/helm-chart.js';
import { helmReleaseResource } from '../../api/flux/helm-release.js';
import { helmRepositoryResource } from '../../api/flux/helm-repository.js';
import { kustomizationResource } from '../../api/flux/kustomization.js';
import { ociRepositoryResource } from '../../api/flux/oci-repository.js';
import type { KubeObject, ResourceType } from '../../api/meta.js';
import { applicationResource } from '../../api/v1alpha1/application.js';
import type { SourceObject, SourceUser } from '../../controllers/read-model/source-view.js';
import { listAll, type Kube, type ListQuery } from '../../controllers/runtime/kube.js';
import { apiStatusOf, isNotFound } from '../../controllers/runtime/pure/errors.js';

/** The kinds of sources. */
const SOURCES: readonly ResourceType[] = [
  ...[gitRepositoryResource, ociRepositoryResource, helmRepositoryResource, helmChartResource],
  ...[bucketResource, externalArtifactResource],
];
const USERS: readonly ResourceType[] = [
  ...[applicationResource, kustomizationResource, helmReleaseResource, helmChartResource],
];
/** What kubectl calls them, too. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['gitrepo', 'GitRepository'],
  ['ocirepo', 'OCIRepository'],
  ['helmrepo', 'HelmRepository'],
  ['hc', 'HelmChart'],
  ['ea', 'ExternalArtifact'],
]);

/** One source. */
export interface SourceName {
  readonly type: ResourceType;
  readonly name: string;
}

/** Reads KIND/NAME; the kind also in the plural, short, or in lower case. Throws for anything else. */
export function sourceName(text: string): SourceName {
  const [kind = '', name = '', ...rest] = text.split('/');
  const wanted = (SHORT_NAMES.get(kind.toLowerCase()) ?? kind).toLowerCase();
  const type = SOURCES.find((each) => [each.kind.toLowerCase(), each.plural].includes(wanted));
  if (type !== undefined && name !== '' && rest.length === 0) return { type, name };
  const kinds = SOURCES.map((each) => each.kind).join(', ');
  throw new Error(`${JSON.stringify(text)} is not KIND/NAME, e.g. GitRepository/app; the kinds are ${kinds}`);
}

/** What a cluster has of sources, and of what uses them. */
export interface Found {
  readonly sources: readonly SourceObject[];
  readonly users: readonly SourceUser[];
  /** False: only users in the namespace of the sources could be read. */
  readonly hasAllUsers: boolean;
  /** False: no kind of source is known. */
  readonly isInstalled: boolean;
}

/** Undefined: the cluster does not serve this kind, e.g. because its Flux is older. */
async function listed<T extends KubeObject>(kube: Kube, type: ResourceType, query: ListQuery) {
  try {
    // The API server leaves out the kind of the items of a list.
    return (await listAll<T>(kube, type, query)).items.map((item) => ({ ...item, kind: type.kind }));
  } catch (error: unknown) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function usersIn(kube: Kube, query: ListQuery): Promise<SourceUser[]> {
  const users = await Promise.all(USERS.map((type) => listed<SourceUser>(kube, type, query)));
  return users.flatMap((found) => found ?? []);
}

/** Users of all namespaces, because they may be in any; of one, if the user may not read all. */
async function findUsers(kube: Kube, { namespace }: ListQuery): Promise<Pick<Found, 'users' | 'hasAllUsers'>> {
  try {
    return { users: await usersIn(kube, {}), hasAllUsers: true };
  } catch (error: unknown) {
    if (namespace === undefined || apiStatusOf(error)?.code !== 403) throw error;
    return { users: await usersIn(kube, { namespace }), hasAllUsers: false };
  }
}

/** Reads the sources of a query, or the one of this name. */
export async function findSources(kube: Kube, wanted: SourceName | undefined, query: ListQuery): Promise<Found> {
  const types = wanted === undefined ? SOURCES : [wanted.type];
  const named = wanted === undefined ? query : { ...query, fieldSelector: `metadata.name=${wanted.name}` };
  const [sources, users] = await Promise.all([
    Promise.all(types.map((type) => listed<SourceObject>(kube, type, named))),
    findUsers(kube, query),
  ]);
  const isInstalled = sources.some((found) => found !== undefined);
  return { sources: sources.flatMap((found) => found ?? []), ...users, isInstalled };
}
