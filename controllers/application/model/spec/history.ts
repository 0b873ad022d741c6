import type { KubeObject } from '#api/meta.js';
import {
  type Application,
  applicationResource,
  type ApplicationRevision,
  type RevisionContent,
} from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION, CHANGE_CAUSE_ANNOTATION, REVISION_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import { revisionId } from '#api/v1alpha1/approve-command.js';
import { defined } from '#lib/plain.js';
import { newestFirst, nextNumber, superfluous } from '#lib/kube/revision-history.js';
import { digestOf, hashedName } from '#lib/hash.js';
import { describeObject } from '#lib/net/urls.js';
import { shortened } from '../child/messages.js';

const MAX_NAME = 253;
/** With a rollout: what is held is healed to an earlier revision. */
const DEFAULT_LIMIT = 10;
const NUMBER = /^[1-9]\d{0,8}$/;
const MAX_REVISION = 999_999_999;
const MAX_CAUSE = 250;
/** Numbers are given one after the other; so many may be pinned, or lost with a status that was not written. */
const MAX_AHEAD = 1_000;

/** A revision of an Application, as its metadata says. */
export interface KeptRevision {
  readonly revision: number;
  readonly digest: string | undefined;
  readonly object: KubeObject;
}

/** What has to be done for the history of an Application to be right. */
export interface HistoryPlan {
  /** Number of the revision that the spec is. */
  readonly current: number;
  /** The start of its digest; absent: it is not known. */
  readonly digest?: string;
  /** False: none are kept, and the number is of no revision. */
  readonly isKept: boolean;
  /** Absent if it is kept already, or none are. */
  readonly create?: ApplicationRevision;
  readonly remove: readonly KubeObject[];
}

const DIGEST_PREFIX = 'sha256:';
const SHORT_DIGEST = 8;

/** The start of a digest, which names the content of a revision beside its number. */
function shortDigest(digest: string): string {
  return digest.slice(DIGEST_PREFIX.length, DIGEST_PREFIX.length + SHORT_DIGEST);
}

/** Number and digest of a revision that is kept. */
export function keptId({ revision, digest }: Pick<KeptRevision, 'revision' | 'digest'>): string {
  return revisionId(revision, digest && shortDigest(digest));
}

/** The number of a revision in a text; undefined for any other text. */
export function parseRevision(text: string | undefined): number | undefined {
  return text !== undefined && NUMBER.test(text) ? Number(text) : undefined;
}

/** How many earlier revisions an Application keeps. */
export function historyLimit({ spec }: Application): number {
  const { rollout, revisionHistoryLimit } = spec;
  return rollout === undefined ? (revisionHistoryLimit ?? 0) : Math.max(1, revisionHistoryLimit ?? DEFAULT_LIMIT);
}

/** Somebody else wrote a number that is far from the last one: it must not use all numbers up. */
function isPlausible(revision: number, { status }: Application): boolean {
  const last = status?.history?.revision;
  return last === undefined || revision <= last + MAX_AHEAD;
}

/** True for a revision of this very Application, not of one that had its name before. */
function isOf({ metadata }: KubeObject, application: Application): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid }) => uid === application.metadata.uid);
}

/** The revisions of an Application among ControllerRevisions of its namespace, the newest first. */
export function keptRevisions(application: Application, objects: readonly KubeObject[]): KeptRevision[] {
  const kept = objects.flatMap((object) => {
    const revision = parseRevision(object.metadata.labels?.[APPLICATION_REVISION]);
    if (revision === undefined || !isOf(object, application) || !isPlausible(revision, application)) return [];
    return [{ revision, digest: object.metadata.annotations?.[REVISION_DIGEST_ANNOTATION], object }];
  });
  return newestFirst(kept);
}

/** What a user said about the change, as `kubectl rollout history` knows it. */
function causeOf({ metadata }: Application): Record<string, string> {
  const cause = metadata.annotations?.[CHANGE_CAUSE_ANNOTATION] ?? '';
  return cause === '' ? {} : { [CHANGE_CAUSE_ANNOTATION]: shortened(cause, MAX_CAUSE) };
}

function revisionObject(application: Application, data: RevisionContent, revision: number): ApplicationRevision {
  const { metadata } = application;
  const digest = digestOf(data);
  const { kind, group, version } = applicationResource;
  const apiVersion = `${group}/${version}`;
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: hashedName(metadata.name, `${metadata.uid ?? ''} ${revision} ${digest}`, MAX_NAME),
      ...defined({ namespace: metadata.namespace }),
      labels: { [APPLICATION_REVISION]: String(revision) },
      annotations: { ...causeOf(application), [REVISION_DIGEST_ANNOTATION]: digest },
      ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true }],
    },
    data,
    revision,
  };
}

/** The numbers of revisions that something names. */
export interface NamedRevisions {
  /** Those of children and pins, and the one to go back to: they stay, whatever the limit is. */
  readonly used: ReadonlySet<number>;
  /** Those of pins. */
  readonly pinned: ReadonlySet<number>;
}

/** What is pinned to a number that no revision has must not get the next one because of that. */
function freeNumber(next: number, pinned: ReadonlySet<number>): number {
  let number = next;
  while (pinned.has(number)) number += 1;
  return number;
}

/** The numbers that children say, as far as they may be true: somebody else could use all numbers up. */
function numbersInUse(application: Application, { used, pinned }: NamedRevisions): number[] {
  return [...used].filter((number) => !pinned.has(number) && isPlausible(number, application));
}

/** What is to be done when `kept` are the revisions of an Application. */
export function planHistory(
  application: Application,
  content: RevisionContent,
  kept: readonly KeptRevision[],
  named: NamedRevisions,
): HistoryPlan {
  return { ...historyOf(application, content, kept, named), digest: shortDigest(digestOf(content)) };
}

function historyOf(
  application: Application,
  content: RevisionContent,
  kept: readonly KeptRevision[],
  named: NamedRevisions,
): HistoryPlan {
  const { used, pinned } = named;
  const limit = historyLimit(application);
  const [newest] = newestFirst(kept);
  const removable = (revisions: readonly { revision: number; object: KubeObject }[]): KubeObject[] =>
    superfluous(revisions, limit === 0 ? 0 : limit + 1, used).map(({ object }) => object);
  if (limit === 0) {
    // A pin that is misspelt must not use all numbers up: the status remembers this one.
    const known = [...used].filter((number) => !pinned.has(number));
    return { current: freeNumber(nextNumber(kept, ...known), pinned), isKept: false, remove: removable(kept) };
  }
  if (newest?.digest === digestOf(content)) return { current: newest.revision, isKept: true, remove: removable(kept) };
  // Children may have outlived the revisions that they say, e.g. with deletionPolicy Orphan.
  const inUse = numbersInUse(application, named);
  const current = freeNumber(nextNumber(kept, application.status?.history?.revision ?? 0, ...inUse), pinned);
  // It could not be read back.
  if (current > MAX_REVISION) return { current: MAX_REVISION, isKept: false, remove: [] };
  const create = revisionObject(application, content, current);
  return { current, isKept: true, create, remove: removable([{ revision: current, object: create }, ...kept]) };
}

/** Why nothing is written of the revision that could not be kept. */
export function whyUnkept({ current }: Pick<HistoryPlan, 'current'>): string {
  return `revision ${current} cannot be kept`;
}

/** Says which object could not be created, why, and the ways out. */
export function unkeptText({ current, create }: HistoryPlan, cause: string): string {
  const { name = '', namespace } = create?.metadata ?? {};
  const object = describeObject('ControllerRevision', { name, namespace });
  return `revision ${current} cannot be kept, so nothing is updated to it: cannot create ${object}: ${cause}; make room for it (ResourceQuota), or let it be created (RBAC, admission webhooks)`;
}
