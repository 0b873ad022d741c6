import isEqual from 'lodash/isEqual.js';
import { isMap } from '#lib/plain.js';
import { namespaceResource, secretResource } from '#api/core.js';
import { helmTemplateResource, type HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { KubeObject } from '#api/meta.js';
import { APPLICATION_UID_LABEL } from '#api/v1alpha1/labels.js';
import { applicationOwners } from '#api/v1alpha1/ownership.js';
import { keyOf } from '#lib/kube/keys.js';
import { isReady } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import type {
  ApplicationObject,
  ClusterObject,
  NamespaceObject,
  PlainObject,
  Run,
  Target,
  TemplateObject,
  World as Facts,
} from '../model/facts.js';
import { keyOf as targetKey } from '../model/content.js';
import { capiResource } from '../world/kinds.js';
import { kindOfSecret } from '../world/clusters.js';
import { LEADS_TO } from '../world/engine-base.js';
import type { Installed, Place } from '../world/members.js';
import { placeOf } from '../world/targets.js';
import { NAMESPACE, type World } from '../world/world.js';

/** A place as the model names it. */
export function targetOf({ storageNamespace, ...rest }: Place): Target {
  return { ...rest, storage: storageNamespace };
}

/** The target of a child, as the model names it. */
export function targetOfChild(world: World, child: Child): Target {
  return targetOf(placeOf(world.server, child, clusterOf(world, child)));
}

/** True if another child has what runs there: the engine does nothing for this one. */
export function isOfAnother(world: World, child: Child): boolean {
  const key = targetKey(targetOfChild(world, child));
  const owner = world.members.installed().find(({ place }) => targetKey(targetOf(place)) === key)?.owner;
  return world.children().some(({ metadata }) => keyOf(metadata) === owner && metadata.uid !== child.metadata.uid);
}

/** The cluster that a child's kubeconfig leads to; empty if it leads nowhere. */
function clusterOf(world: World, { spec }: Pick<Child, 'spec'>): string {
  const name = spec.kubeConfig?.secretRef?.name;
  return name === undefined ? world.hostUid : (leadsTo(world, name) ?? '');
}

function leadsTo(world: World, secret: string): string | undefined {
  const found = world.server.get(secretResource, { name: secret, namespace: NAMESPACE });
  const data = found !== undefined && 'data' in found && isMap(found.data) ? found.data : {};
  const uid = data[LEADS_TO];
  return typeof uid === 'string' && world.members.get(uid) !== undefined ? uid : undefined;
}

function isPaused(object: KubeObject): boolean {
  return 'spec' in object && isMap(object.spec) && object.spec['paused'] === true;
}

function isNotReady(object: KubeObject): boolean {
  const status = 'status' in object && isMap(object.status) ? object.status : {};
  const conditions: readonly unknown[] = Array.isArray(status['conditions']) ? status['conditions'] : [];
  return conditions.some((each) => isMap(each) && each['status'] === 'False');
}

function clusterObject(world: World, kind: string, object: KubeObject): ClusterObject {
  const { metadata } = object;
  const secret = kind === 'Secret' ? metadata.name : `${metadata.name}-kubeconfig`;
  const hasCredential = kind !== 'Secret' || kindOfSecret(object) !== 'ArgoCD';
  const uid = hasCredential ? leadsTo(world, secret) : undefined;
  return {
    ...{ kind, namespace: NAMESPACE, name: metadata.name },
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    ...(uid === undefined ? {} : { leadsTo: uid }),
    hasCredential,
    answers: uid !== undefined && world.members.get(uid)?.isDown === false,
    paused: isPaused(object),
    notReady: isNotReady(object),
  };
}

function plainObject(world: World, child: Child): PlainObject {
  const { name, namespace = '', uid = '' } = child.metadata;
  const secret = child.spec.kubeConfig?.secretRef?.name;
  const kind = child.kind === 'Kustomization' ? 'Kustomization' : 'HelmRelease';
  return {
    ...{ kind, namespace, name, uid },
    ...(secret === undefined ? {} : { kubeConfig: secret }),
    target: targetOfChild(world, child),
    isSuspended: child.spec.suspend === true,
    isBeingDeleted: child.metadata.deletionTimestamp !== undefined,
    isReady: isReady(child),
  };
}

/** The revisions of templates that users wrote; a world keeps only the newest one. */
type TemplateLog = Map<string, HelmTemplateSpec[]>;

function templateObjects(world: World, log: TemplateLog): TemplateObject[] {
  return world.server.list(helmTemplateResource).map((object) => {
    const { name, namespace = '' } = object.metadata;
    const spec = (object as KubeObject & { readonly spec: HelmTemplateSpec }).spec; // of that type
    const revisions = log.get(name) ?? [];
    if (JSON.stringify(revisions.at(-1)) !== JSON.stringify(spec)) revisions.push(spec);
    log.set(name, revisions);
    return { kind: 'HelmTemplate', namespace, name, sharedWith: [], revisions: [...revisions], isBroken: false };
  });
}

function clusterObjects(world: World): ClusterObject[] {
  const { server } = world;
  return [
    ...server.list(secretResource, NAMESPACE).map((object) => clusterObject(world, 'Secret', object)),
    ...server.list(capiResource).map((object) => clusterObject(world, 'Cluster.cluster.x-k8s.io', object)),
  ];
}

function plainObjects(world: World): PlainObject[] {
  return world
    .children()
    .filter(
      (child) => child.metadata.labels?.[APPLICATION_UID_LABEL] === undefined && applicationOwners(child).length === 0,
    )
    .map((child) => plainObject(world, child));
}

function namespaceObjects({ server }: World): NamespaceObject[] {
  return server.list(namespaceResource).map(({ metadata }) => ({
    name: metadata.name,
    uid: metadata.uid ?? '',
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
  }));
}

/** Metadata of an Application that users or a deletion change. */
const MEANT = ['uid', 'labels', 'annotations', 'finalizers', 'deletionTimestamp'] as const;

/** True if only the status changed, or who owns what: a write of something else makes another object of it. */
function isMeantTheSame(one: ApplicationObject, other: ApplicationObject): boolean {
  return one.spec === other.spec && MEANT.every((key) => one.metadata[key] === other.metadata[key]);
}

function sharedWith<T>(before: T | undefined, now: T): T {
  return before !== undefined && isEqual(before, now) ? before : now;
}

/** Reads all objects of the host that users wrote. Moments share unchanged parts, so the model need not ask again. */
export class FactsReader {
  readonly #world: World;
  readonly #templates: TemplateLog = new Map();
  /** How many changes there were, and which members were down, when everything was read last. */
  #readAt = '';
  #last: Facts | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  read(): Facts {
    const { server, members } = this.#world;
    const down = members.list().filter(({ isDown }) => isDown);
    const now = [server.changes, server.isQuotaUsedUp, this.#world.head, ...down.map(({ uid }) => uid)].join(' ');
    if (this.#last === undefined || this.#readAt !== now) this.#last = this.#readAll(this.#last);
    this.#readAt = now;
    return this.#last;
  }

  #readAll(before: Facts | undefined): Facts {
    const world = this.#world;
    return {
      host: world.hostUid,
      applications: world.applications().map((object) => {
        const known = before?.applications.find(({ metadata }) => metadata.uid === object.metadata.uid);
        return known !== undefined && isMeantTheSame(known, object) ? known : object;
      }),
      templates: sharedWith(before?.templates, templateObjects(world, this.#templates)),
      clusters: sharedWith(before?.clusters, clusterObjects(world)),
      unreadKinds: sharedWith(before?.unreadKinds, []),
      namespaces: namespaceObjects(world),
      plain: plainObjects(world),
      head: world.head,
      refusesRevisions: world.server.isQuotaUsedUp,
    };
  }
}

function runOf({ place, content, isFailed }: Installed): Run {
  return { target: targetOf(place), content, state: isFailed ? 'Failed' : 'Ready' };
}

/** Returns the runs on all members. */
export function runsOf(world: World): Run[] {
  return world.members.installed().map(runOf);
}
