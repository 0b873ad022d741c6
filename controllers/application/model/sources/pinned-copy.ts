import isEqual from 'lodash/isEqual.js';
import omit from 'lodash/omit.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { ociRepositoryResource } from '#api/flux/oci-repository.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import { LOCK_ANNOTATION, PINNED_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import { defined, isMap } from '#lib/plain.js';
import { describeObject } from '#lib/net/urls.js';
import { currentCondition, isReady } from '../child/metadata.js';
import type { Child } from '../child/types.js';
import { isTerminating } from '../children/state.js';
import { type SourcePlace, sourceText } from '../spec/flux-spec.js';
import { copyName, type LookupResult, readVersions } from '../spec/resolved-versions.js';
import type { RequestedSource, LiveSource } from './made-source.js';

const COMMIT = /(?:^|@)sha(?:1|256):([0-9a-f]{40,64})$/;
const DIGEST = /(?:^|@)(sha256:[0-9a-f]{64})$/;
/** Of tags a commit says nothing. */
const TAG_MODES: readonly unknown[] = ['Tag', 'TagAndHEAD'];
/** What a copy never does, or says otherwise. */
const OWN_FIELDS = ['ref', 'suspend'];

/** The kinds of sources of which copies are made. */
export const PINNED_RESOURCES: readonly ResourceType[] = [gitRepositoryResource, ociRepositoryResource];

/** A source of a user at one of its revisions. */
export interface Pinned {
  readonly source: SourcePlace;
  /** As the source reports it: `main@sha1:…`, `6.7.1@sha256:…`. */
  readonly revision: string;
}

/** A source as read: the fields of a child. */
export type SourceOf = (place: SourcePlace) => Child | undefined;

/** Where the copy is: beside the source, under a name that says what it is. */
export function copyPlace({ source, revision }: Pinned): SourcePlace {
  return { ...source, name: copyName(source, revision) };
}

/** A commit names no branch. With one, only that is fetched; an older copy may be of another branch. */
function gitReference(stated: unknown, revision: string): object | undefined {
  const [, commit] = COMMIT.exec(revision) ?? [];
  if (commit === undefined) return undefined;
  const { branch, tag, semver, name } = isMap(stated) ? stated : {};
  const isBranch = typeof branch === 'string' && [tag, semver, name].every((each) => each === undefined);
  return { commit, ...defined({ branch: isBranch && revision.startsWith(`${branch}@`) ? branch : undefined }) };
}

function digestReference(revision: string): object | undefined {
  const [, digest] = DIGEST.exec(revision) ?? [];
  return digest === undefined ? undefined : { digest };
}

/** The spec of the copy: that of the source, at one commit or digest; undefined if the revision names neither. */
export function copySpec({ source, revision }: Pinned, spec: Child['spec']): RequestedSource | undefined {
  const isGit = source.kind === gitRepositoryResource.kind;
  const ref = isGit ? gitReference(spec['ref'], revision) : digestReference(revision);
  return ref && { kind: source.kind, spec: { ...omit(spec, OWN_FIELDS), ref } };
}

/** True for a copy that says what its source says now, no more and no less. */
export function isSameSpec(live: LiveSource, requested: RequestedSource): boolean {
  return isEqual(live.spec, requested.spec);
}

/** Why no copy can stand for a source; undefined: one can. */
function whyNoCopy({ kind, namespace }: SourcePlace, own: string | undefined, live: Child | undefined) {
  if (PINNED_RESOURCES.every((each) => each.kind !== kind)) return `a ${kind} cannot be fetched as it was`;
  if (namespace !== own) return 'it is in another namespace';
  const { include, verify } = live?.spec ?? {};
  if (Array.isArray(include) && include.length > 0) return 'spec.include has files of other sources';
  const mode = isMap(verify) ? verify['mode'] : undefined;
  if (TAG_MODES.includes(mode)) return `spec.verify.mode is ${String(mode)}, and a commit has no tag`;
  return undefined;
}

function revisionOf(live: Child): string | undefined {
  const artifact = live.status?.['artifact'];
  return isMap(artifact) && typeof artifact['revision'] === 'string' ? artifact['revision'] : undefined;
}

function whyNotReady(live: Child, shown: string): string {
  const ready = currentCondition(live, 'Ready');
  return `${shown} is not ready${ready?.status === 'False' ? `: ${ready.message}` : ' yet'}`;
}

/** What keeps a copy from being used; undefined: nothing. */
function copyProblem(pinned: Pinned, requested: RequestedSource, copy: Child | undefined): string | undefined {
  const place = copyPlace(pinned);
  const shown = describeObject(place.kind, place);
  if (copy === undefined) return `${shown} does not exist yet`;
  if (copy.metadata.labels?.[PINNED_SOURCE_LABEL] !== place.name) {
    return `${shown} exists, and Fairlead did not create it: delete it`;
  }
  if (!isEqual(copy.spec, requested.spec)) return `${shown} is not up to date yet`;
  return isReady(copy) && revisionOf(copy) !== undefined ? undefined : whyNotReady(copy, shown);
}

/**
 * The revision of a source of an Application in the namespace `own`. It is resolved once the copy at that revision was fetched:
 * until then, nothing could run from it. Never throws.
 */
export function foundRevision(source: SourcePlace, own: string | undefined, sourceAt: SourceOf): LookupResult {
  const live = sourceAt(source);
  const unresolvable = whyNoCopy(source, own, live);
  if (unresolvable !== undefined) return { unresolvable };
  const shown = describeObject(source.kind, source);
  if (live === undefined) return { problem: `${shown} does not exist` };
  const revision = revisionOf(live);
  // Nothing is fetched for a suspended source; what it has is what it means.
  if (revision === undefined || !(isReady(live) || live.spec.suspend === true)) {
    return { problem: whyNotReady(live, shown) };
  }
  const pinned = { source, revision };
  const requested = copySpec(pinned, live.spec);
  if (requested === undefined) return { unresolvable: `its revision ${revision} names no commit or digest` };
  const problem = copyProblem(pinned, requested, sourceAt(copyPlace(pinned)));
  return problem === undefined ? { resolved: revision } : { problem, next: revision };
}

/** The copies that the status of an Application names: of what it uses, and of what is available. */
export function copiesOf({ metadata, status }: Application): Pinned[] {
  return (status?.sources ?? []).flatMap(({ kind, namespace, name, chart, revision, available }) => {
    if (chart !== undefined || namespace !== metadata.namespace) return [];
    return [revision, available].flatMap((each) =>
      each === undefined ? [] : [{ source: { kind, namespace, name }, revision: each }],
    );
  });
}

/** The sources that an Application in stages has, whether there are copies or not. */
export function stagedSources({ status }: Application): SourcePlace[] {
  return (status?.sources ?? []).flatMap(({ kind, namespace, name, chart }) =>
    chart === undefined ? [{ kind, namespace, name }] : [],
  );
}

/** The copies that a kept revision needs. */
export function copiesOfRevision({ metadata }: KubeObject): Pinned[] {
  const { namespace = '', annotations } = metadata;
  return [...readVersions(annotations?.[LOCK_ANNOTATION])].flatMap(([text, revision]) =>
    PINNED_RESOURCES.flatMap(({ kind }) => {
      const start = `${kind}/${namespace}/`;
      const name = text.slice(start.length);
      return text.startsWith(start) && !name.includes(' ') ? [{ source: { kind, namespace, name }, revision }] : [];
    }),
  );
}

/** The copy of this place among those that are asked for, as its source is now. */
export function copyAt(pinned: readonly Pinned[], place: SourcePlace, sourceAt: SourceOf): RequestedSource | undefined {
  const text = sourceText(place);
  const found = pinned.find((each) => sourceText(copyPlace(each)) === text);
  const live = found && sourceAt(found.source);
  if (found === undefined || live === undefined) return undefined;
  const isOpen = whyNoCopy(found.source, place.namespace, live) === undefined;
  return isOpen ? copySpec(found, live.spec) : undefined;
}

/** The copy of this place, if the status of an Application asks for it. Never throws. */
export function requestedCopy(
  application: Application,
  { kind, namespace = '', name }: ObjectRef & { readonly kind: string },
  sourceAt: SourceOf,
): RequestedSource | undefined {
  if (isTerminating(application) || asksForDryRun(application)) return undefined;
  return copyAt(copiesOf(application), { kind, namespace, name }, sourceAt);
}
