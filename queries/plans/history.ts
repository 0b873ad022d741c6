import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import type { ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION, APPLICATION_UID_LABEL, CHANGE_CAUSE_ANNOTATION } from '#api/v1alpha1/labels.js';
import { childClusterNames, ClusterResolver } from '#controllers/application/model/child/cluster-names.js';
import { readContent } from '#controllers/application/model/destinations/validate.js';
import { parseRevision } from '#controllers/application/model/spec/history.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { historyView, type KeptView, type Place } from '../views/history-view.js';
import type { HistoryView } from '../answers/revisions.js';
import { readRevision, readRevisions } from './revisions.js';

const CHILDREN: readonly ResourceType[] = [helmReleaseResource, kustomizationResource];

interface Reading {
  readonly kube: Kube;
  readonly application: Application;
  /** Ends all of it. */
  readonly signal: AbortSignal | undefined;
}

/** The revisions of an Application with their contents, the newest first. */
async function readKept({ kube, application, signal }: Reading): Promise<KeptView[]> {
  const kept = await readRevisions(kube, application, signal);
  // One after the other: each may be as large as a spec is.
  const views: KeptView[] = [];
  for (const revision of kept) {
    const { metadata } = revision.object;
    const content = readContent((await readRevision(kube, revision, signal))?.data);
    const cause = metadata.annotations?.[CHANGE_CAUSE_ANNOTATION] ?? '';
    views.push({
      revision: revision.number,
      id: revision.id,
      createdAt: metadata.creationTimestamp ?? '',
      cause,
      content,
    });
  }
  return views;
}

/** Where the children of an Application are. */
interface Places {
  readonly places: readonly Place[];
  /** Kinds that the user may not list. */
  readonly forbidden: readonly string[];
}

function placesOf(children: readonly Child[]): Place[] {
  const resolver = new ClusterResolver(children.map(childClusterNames));
  return children.map((child) => {
    const revision = parseRevision(child.metadata.annotations?.[APPLICATION_REVISION]);
    return { cluster: resolver.shown(childClusterNames(child)), revision };
  });
}

async function childrenOf(
  type: ResourceType,
  { kube, application: { metadata }, signal }: Reading,
): Promise<readonly Child[] | 'forbidden'> {
  const labelSelector = `${APPLICATION_UID_LABEL}=${metadata.uid ?? ''}`;
  try {
    return (await listAll<Child>(kube, type, { namespace: metadata.namespace, labelSelector, signal })).items;
  } catch (error: unknown) {
    if (isNotFound(error)) return [];
    if (apiStatusOf(error)?.code === 403) return 'forbidden';
    throw error;
  }
}

async function readPlaces(reading: Reading): Promise<Places> {
  const lists = await Promise.all(CHILDREN.map((type) => childrenOf(type, reading)));
  const forbidden = CHILDREN.filter((_, index) => lists[index] === 'forbidden').map(({ kind }) => kind);
  return { places: placesOf(lists.flatMap((list) => (list === 'forbidden' ? [] : list))), forbidden };
}

export interface ReadHistory {
  readonly view: HistoryView;
  /** Kinds of children that the user may not list: clusters that have one are missing. */
  readonly forbidden: readonly string[];
}

/** The revisions of an Application, and what is where, as far as the user may read it. */
export async function readHistory(kube: Kube, application: Application, signal?: AbortSignal): Promise<ReadHistory> {
  const reading = { kube, application, signal };
  const [kept, { places, forbidden }] = await Promise.all([readKept(reading), readPlaces(reading)]);
  return { view: historyView({ application, kept, places }), forbidden };
}
