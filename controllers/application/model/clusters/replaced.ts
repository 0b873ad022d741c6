import orderBy from 'lodash/orderBy.js';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  HALTED_ANNOTATION,
  acceptedUid,
  recordedUid,
} from '#api/v1alpha1/labels.js';
import { defined } from '#lib/plain.js';
import { describeObject } from '#lib/net/urls.js';
import { clusterIdFrom, clusterIdText } from '../../../cluster/model/cluster.js';
import { clusterIdOf, type ClusterIndex, clusterNameOf, factsOf } from '../child/cluster.js';
import { isLeftAlone, isSuspendedForRemoval, isUnmanaged } from '../child/metadata.js';
import { describeChild } from '../child/messages.js';
import type { Child, DesiredChild, Entry, Violation } from '../child/types.js';
import { isTerminating } from '../children/state.js';

/** Of a UID that somebody wrote, messages show at most so much. */
const MOST_SHOWN = 64;

/** A cluster that took the place of the one that a child is for. */
export interface Replacement {
  /** UID of the cluster that the child is for, as recorded; undefined: somebody removed it. */
  readonly recorded: string | undefined;
  /** UID of the cluster that answers, or that answered when the child was suspended. */
  readonly found: string;
}

/** UID of the cluster that we suspended a child for; undefined: we did not. */
function haltedFor({ metadata }: Child): string | undefined {
  return metadata.annotations?.[HALTED_ANNOTATION];
}

/** True while it is unknown whether a cluster exists, and if it does. */
function mayExist(id: string, clusters: ClusterIndex): boolean {
  const { cluster, whyUnknown } = factsOf(clusters, id);
  return cluster !== undefined || whyUnknown !== undefined;
}

/**
 * UID of the cluster that answers now; undefined: unknown, or of a cluster that the namespace may not use, about which
 * it gets to know nothing, whatever somebody wrote on the child.
 */
export function uidNow(id: string, clusters: ClusterIndex): string | undefined {
  const { isAllowed, uid } = factsOf(clusters, id);
  return isAllowed ? uid : undefined;
}

/** UID of the cluster that may take the place of the one before; undefined: nobody accepted one. */
export function acceptedIn(clusters: ClusterIndex, id: string): string | undefined {
  return acceptedUid(factsOf(clusters, id).cluster?.annotations ?? {}) || undefined;
}

/** True for the UID of a cluster that may take the place of the one before. */
export function isAccepted(id: string, uid: string, clusters: ClusterIndex): boolean {
  return acceptedIn(clusters, id) === uid;
}

/**
 * The cluster that took the place of the one that a child is for; undefined: none, as far as it is known. A child that
 * was suspended for it stays so until its own cluster answers, or one that is accepted. Never throws.
 */
export function replacementOf(child: Child, clusters: ClusterIndex): Replacement | undefined {
  const id = clusterIdOf(child);
  if (id === undefined || !mayExist(id, clusters)) return undefined;
  const [recorded, now] = [recordedUid(child), uidNow(id, clusters)];
  if (now === undefined) {
    const found = haltedFor(child);
    return found === undefined ? undefined : { recorded, found };
  }
  if (recorded === undefined || recorded === now || isAccepted(id, now, clusters)) return undefined;
  return { recorded, found: now };
}

type ShownReplacement = NonNullable<ApplicationStatus['destinations']>[number]['replaced'];

/** True if an entry leads to this cluster, or there is none. */
function mayLeadTo(id: string, entry: Entry | undefined): boolean {
  if (entry === undefined) return true;
  return entry.cluster !== undefined && clusterIdText(entry.cluster.id) === id;
}

/** Of what is longer, a part would be another one. */
function isShowable(uid: string): boolean {
  return uid !== '' && uid.length <= MOST_SHOWN;
}

/**
 * What the status says of a replaced cluster, for who would accept it; undefined: nobody can, as it did not answer, or
 * it is not where the entry leads. The annotations of a child are no proof: tenants can write them. Never throws.
 */
export function shownReplacement(child: Child, entry: Entry | undefined, clusters: ClusterIndex): ShownReplacement {
  const id = clusterIdOf(child) ?? '';
  const described = clusterIdFrom(id);
  if (described === undefined || !mayLeadTo(id, entry)) return undefined;
  const { recorded, found = '' } = replacementOf(child, clusters) ?? {};
  if (!isShowable(found) || found !== uidNow(id, clusters)) return undefined;
  const { apiGroup, kind, namespace, name } = described;
  const object = { ...(apiGroup === '' ? {} : { apiGroup }), kind, ...defined({ namespace }), name };
  return { object, ...defined({ recorded: recorded?.slice(0, MOST_SHOWN) }), found };
}

/** The UID with which a child that was suspended for a replaced cluster goes on; undefined: it does not. */
export function resumingUid(child: Child, clusters: ClusterIndex): string | undefined {
  const id = clusterIdOf(child);
  if (id === undefined || haltedFor(child) === undefined) return undefined;
  return replacementOf(child, clusters) === undefined ? uidNow(id, clusters) : undefined;
}

function shown(uid: string | undefined): string {
  return uid === undefined ? 'another one' : uid.slice(0, MOST_SHOWN);
}

/** What happened, and the ways out. */
export function replacedText(child: Child, { recorded, found }: Replacement): string {
  const id = clusterIdFrom(clusterIdOf(child) ?? '');
  const object = id === undefined ? 'its object' : describeObject(id.kind, id);
  return `cluster ${clusterNameOf(child)} was replaced: the UID of its namespace kube-system was ${shown(recorded)} and is ${shown(found)}; put the old kubeconfig back, or set the annotation ${ACCEPT_CLUSTER_UID_ANNOTATION} of ${object} to the new UID`;
}

/** The children whose cluster was replaced, by its `clusterIdText`; the first of each cluster by name. */
export function replacedChildren(children: readonly Child[], clusters: ClusterIndex): ReadonlyMap<string, Child> {
  const replaced = children.filter((child) => replacementOf(child, clusters) !== undefined);
  // The last one of a cluster wins.
  const inOrder = orderBy(replaced, ({ metadata }) => metadata.name, 'desc');
  return new Map(inOrder.map((child) => [clusterIdOf(child) ?? '', child]));
}

/** The replaced clusters of an Application, as its children tell. */
export interface Replacements {
  readonly clusters: ClusterIndex;
  /** See `replacedChildren`. */
  readonly replaced: ReadonlyMap<string, Child>;
}

/**
 * The child that tells that the cluster of an entry was replaced. If the entry has none on that cluster, another one of
 * the Application may tell: what is new there would be installed on a cluster that nobody accepted. Never throws.
 */
export function tellerOf(
  { cluster }: Entry,
  live: Child | undefined,
  { clusters, replaced }: Replacements,
): Child | undefined {
  if (live !== undefined && replacementOf(live, clusters) !== undefined) return live;
  const id = cluster && clusterIdText(cluster.id);
  return id === undefined || (live !== undefined && clusterIdOf(live) === id) ? undefined : replaced.get(id);
}

/** Why nothing may be done for an entry; undefined: its cluster is the one that its children are for. */
export function replacedViolation(
  entry: Entry,
  live: Child | undefined,
  { clusters, replaced }: Replacements,
): Violation | undefined {
  const teller = tellerOf(entry, live, { clusters, replaced });
  const replacement = teller && replacementOf(teller, clusters);
  if (teller === undefined || replacement === undefined) return undefined;
  return { reason: 'ClusterReplaced', message: `${entry.path}: ${replacedText(teller, replacement)}` };
}

/** Why a child stays that no entry matches. */
export function whyHalted(child: Child, clusters: ClusterIndex): string | undefined {
  const replacement = replacementOf(child, clusters);
  if (replacement !== undefined) return `because ${replacedText(child, replacement)}`;
  // What is deleted while it is suspended leaves its release behind.
  if (resumingUid(child, clusters) === undefined) return undefined;
  return 'because it was suspended while its cluster was another one, and is resumed first';
}

/** The UID that a child was made for on this cluster. */
export function recordedIn(live: Child | undefined, id: string): string | undefined {
  return live !== undefined && clusterIdOf(live) === id ? recordedUid(live) : undefined;
}

/** The UIDs that children were made for, by their clusters; '' where they don't agree. Never throws. */
export function agreedUids(children: readonly Child[]): ReadonlyMap<string, string> {
  const agreed = new Map<string, string>();
  for (const child of children) {
    const [id, uid] = [clusterIdOf(child), recordedUid(child)];
    if (id === undefined || uid === undefined) continue;
    agreed.set(id, (agreed.get(id) ?? uid) === uid ? uid : '');
  }
  return agreed;
}

/** The UID that a child was made for, unless the cluster that answers now may take its place. */
function uidFor(live: Child | undefined, id: string, clusters: ClusterIndex, others: ReadonlyMap<string, string>) {
  const [recorded, now] = [recordedIn(live, id), factsOf(clusters, id).uid];
  if (now !== undefined && (recorded === undefined || isAccepted(id, now, clusters))) return now;
  return recorded ?? (live === undefined ? others.get(id) || undefined : undefined);
}

function withUid(desired: DesiredChild, clusters: ClusterIndex, others: ReadonlyMap<string, string>): DesiredChild {
  const { object, live } = desired;
  const id = clusterIdOf(object);
  const uid = id === undefined ? undefined : uidFor(live, id, clusters, others);
  if (uid === undefined) return desired;
  const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
  return { ...desired, object: { ...object, metadata: { ...object.metadata, annotations } } };
}

/**
 * The children with the UIDs of their clusters: the one that a child has, else that of the cluster that answers now, if
 * it is known; that one as well if it may take the place of the one before. While nothing answers, a new child gets the
 * one on which its siblings `agreed`, so that its engine acts on no other cluster. It is no part of the digest, as it
 * may become known later. Never throws.
 */
export function withUids(
  desired: readonly DesiredChild[],
  clusters: ClusterIndex,
  agreed: ReadonlyMap<string, string>,
): DesiredChild[] {
  return desired.map((each) => withUid(each, clusters, agreed));
}

/**
 * Merge patch of a child beside the steps: it is suspended while its cluster is another one, or resumed after that; or
 * only the UID is recorded that was accepted, or it is offered to no other Application any more.
 */
export interface Halting {
  readonly op: 'halt' | 'resume' | 'record' | 'withdraw';
  readonly live: Child;
  readonly change: {
    readonly metadata: { readonly annotations: Readonly<Record<string, string | null>> };
    readonly spec?: { readonly suspend: true | null };
  };
  /** For an event. */
  readonly message: string;
}

interface Situation {
  /** Children of the Application. */
  readonly owned: readonly Child[];
  readonly clusters: ClusterIndex;
  /** Flux reconciles the children. */
  readonly isEngineExternal?: boolean | undefined;
}

function haltOf(live: Child, { clusters, isEngineExternal }: Situation): Halting[] {
  const replacement = replacementOf(live, clusters);
  if (replacement === undefined || live.spec.suspend === true) return [];
  // The embedded engine waits by itself, and so knows later what it has to uninstall.
  if (isTerminating(live) && isEngineExternal !== true) return [];
  const change = {
    metadata: { annotations: { [HALTED_ANNOTATION]: replacement.found } },
    spec: { suspend: true },
  } as const;
  return [{ op: 'halt', live, change, message: `${describeChild(live)}: ${replacedText(live, replacement)}` }];
}

/** The children to suspend: what reconciles them may not know that their cluster is another one. Never throws. */
export function haltsOf(situation: Situation): Halting[] {
  return situation.owned.flatMap((child) => haltOf(child, situation));
}

/** Whether a child stays suspended for another reason; `desired` undefined: no entry says so. */
function staysSuspended(live: Child, desired: Child | undefined): boolean {
  return desired?.spec.suspend === true || isUnmanaged(live) || isSuspendedForRemoval(live);
}

/**
 * Resumes a child that we suspended, with the UID of the cluster that it is for now; undefined: it is not suspended by
 * us, or its cluster is not known to be the right one. `desired` is what its entry wants. Never throws.
 */
export function resumptionOf(live: Child, desired: Child | undefined, clusters: ClusterIndex): Halting | undefined {
  const uid = resumingUid(live, clusters);
  if (uid === undefined || isTerminating(live)) return undefined;
  const metadata = { annotations: { [HALTED_ANNOTATION]: null, [CLUSTER_UID_ANNOTATION]: uid } };
  const change = staysSuspended(live, desired) ? { metadata } : { metadata, spec: { suspend: null } };
  const message = `${describeChild(live)}: its cluster has the UID ${uid}, which is recorded or accepted`;
  return { op: 'resume', live, change, message };
}

/**
 * Records the UID that was accepted on a child that no step writes any more: one that was installed once would tell
 * that its cluster was replaced as soon as the acceptance is gone, and the engine of one that is being deleted would
 * wait for the old cluster for ever. Undefined: there is nothing to record, or something else records it. Never throws.
 */
export function recordingOf(live: Child, clusters: ClusterIndex): Halting | undefined {
  const [id, recorded] = [clusterIdOf(live), recordedUid(live)];
  const uid = id === undefined ? undefined : uidNow(id, clusters);
  if (id === undefined || uid === undefined || recorded === undefined || recorded === uid) return undefined;
  if (!(isLeftAlone(live) || isTerminating(live)) || isHalted(live) || !isAccepted(id, uid, clusters)) return undefined;
  const message = `${describeChild(live)}: its cluster has the UID ${uid}, which is accepted`;
  return { op: 'record', live, change: { metadata: { annotations: { [CLUSTER_UID_ANNOTATION]: uid } } }, message };
}

/** The children that such a patch is for: nothing else of the pass may write them. */
export function haltedIn(halting: readonly Halting[]): ReadonlySet<Child> {
  return new Set(halting.map(({ live }) => live));
}

/** True for a child that we suspended because its cluster was another one. */
export function isHalted(child: Child): boolean {
  return haltedFor(child) !== undefined;
}
