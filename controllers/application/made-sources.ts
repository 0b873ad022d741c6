import { controllerRevisionResource, secretResource } from '#api/core.js';
import type { KubeObject, ObjectRef } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { APPLICATION_REVISION, FIELD_MANAGER } from '#api/v1alpha1/labels.js';
import { asksForDryRun } from '#engine/dry-run/report.js';
import type { Cache, Change, Controller, PassContext, SetupContext, Watch } from '#runtime/controller.js';
import type { EventRecorder } from '#runtime/event-recorder.js';
import type { Kube } from '#runtime/client/kube.js';
import { keyOf, parseKey } from '#lib/kube/keys.js';
import { describeObject } from '#lib/net/urls.js';
import { BY_CHILD_SOURCE, childSources } from './mappings.js';
import { BACKENDS } from './model/backends/index.js';
import { copyPlace, type SourceOf } from './model/sources/pinned-copy.js';
import {
  isMarked,
  type LiveSource,
  planSource,
  type RequestedSource,
  secretsOf,
  type SourceStep,
} from './model/sources/made-source.js';
import { type SourcePlace, sourceText } from './model/spec/flux-spec.js';
import type { Child, Rules } from './model/child/types.js';
import { firstFound } from './model/child/verdicts.js';
import { copyValues, SOURCE_REQUESTS, originValues, type SourceRequest } from './source-requests.js';

const CONCURRENCY = 2;
/** A Secret that is written again and again must not have its sources fetched each time. */
const SECRET_DELAY_MS = 500;
const BY_SECRET = 'made-source-secret';
const BY_COPY = 'revision-copy';
const BY_ORIGIN = 'copied-source';

interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  readonly rules: Rules;
  readonly request: SourceRequest;
  readonly applications: Cache<Application>;
  readonly children: readonly Cache<Child>[];
  /** Metadata only. */
  readonly secrets: Cache<KubeObject>;
  /** All sources of the kind, metadata only. */
  readonly sources: Cache<KubeObject>;
  /** Those that were created here. */
  readonly made: Cache<LiveSource>;
  /** For copies: the sources with all their fields, and the revisions that are kept of Applications. */
  readonly copied: { readonly origins: Cache<Child>; readonly revisions: Cache<KubeObject> } | undefined;
}

function secretKeys(source: LiveSource): string[] {
  const { namespace } = source.metadata;
  return secretsOf(source).map((name) => keyOf({ namespace, name }));
}

function copiedOf(context: SetupContext, { type, copies }: SourceRequest): Deps['copied'] {
  if (copies === undefined) return undefined;
  const indexes = {
    [BY_COPY]: (revision: KubeObject) => copyValues(copies.ofRevision(revision)),
    [BY_ORIGIN]: (revision: KubeObject) => originValues(copies.ofRevision(revision)),
  };
  return {
    origins: context.cache<Child>(type),
    revisions: context.cache(controllerRevisionResource, {
      ...{ metadataOnly: true, labelSelector: APPLICATION_REVISION, indexes },
    }),
  };
}

function depsOf(context: SetupContext, rules: Rules, request: SourceRequest): Deps {
  const { type, label, index, valuesOf } = request;
  const indexes = { [BY_CHILD_SOURCE]: childSources };
  return {
    ...{ kube: context.kube, events: context.events, rules, request },
    applications: context.cache<Application>(applicationResource, { indexes: { [index]: valuesOf } }),
    children: BACKENDS.map(({ resource, isOptional }) =>
      context.cache<Child>(resource, { indexes, optional: isOptional }),
    ),
    secrets: context.cache(secretResource, { metadataOnly: true }),
    sources: context.cache(type, { metadataOnly: true }),
    made: context.cache<LiveSource>(type, {
      labelSelector: label,
      indexes: { [BY_SECRET]: secretKeys },
    }),
    copied: copiedOf(context, request),
  };
}

/** The keys of this kind among index values. */
function keysOf({ request: { type } }: Deps, values: readonly string[]): string[] {
  const prefix = `${type.kind}/`;
  return values.flatMap((value) => (value.startsWith(prefix) ? [value.slice(prefix.length)] : []));
}

/** The sources that an object refers to, before and after a change that may matter to them. */
function changedKeys<T extends KubeObject>(
  deps: Deps,
  { type, object, previous }: Change<T>,
  { valuesOf, newsOf }: { readonly valuesOf: (object: T) => string[]; readonly newsOf: (object: T) => unknown },
): string[] {
  const textOf = (each: T): string => JSON.stringify([valuesOf(each), newsOf(each)]);
  if (type === 'updated' && previous !== undefined && textOf(previous) === textOf(object)) return [];
  const values = [object, previous].flatMap((each) => (each === undefined ? [] : valuesOf(each)));
  return keysOf(deps, [...new Set(values)]);
}

/** What decides whether an Application may have its source. */
function newsOfApplication(application: Application): unknown {
  const { generation, deletionTimestamp } = application.metadata;
  const { kind } = application.status ?? {};
  return [generation, deletionTimestamp, asksForDryRun(application), kind];
}

/** The copies of a source that are needed. */
function copiesOfOrigin({ applications, request, copied }: Deps, { metadata }: KubeObject): string[] {
  const { namespace = '', name } = metadata;
  const value = sourceText({ kind: request.type.kind, namespace, name });
  const needed = [
    ...applications.byIndex(request.index, value).flatMap((each) => request.copies?.ofApplication(each) ?? []),
    ...(copied?.revisions.byIndex(BY_ORIGIN, value) ?? []).flatMap((each) => request.copies?.ofRevision(each) ?? []),
  ];
  const own = needed.filter(({ source }) => sourceText(source) === value);
  return [...new Set(own.map((each) => keyOf(copyPlace(each))))];
}

function specText({ spec }: Child): string {
  return JSON.stringify(spec);
}

/** A copy says what its source says, and is needed as long as a revision is kept. */
function copyWatches(deps: Deps, { origins, revisions }: NonNullable<Deps['copied']>): Watch[] {
  const toRevisions = {
    valuesOf: (revision: KubeObject) => copyValues(deps.request.copies?.ofRevision(revision) ?? []),
    newsOf: () => undefined,
  };
  const ofOrigin = ({ object, previous }: Change<Child>): string[] =>
    previous !== undefined && specText(previous) === specText(object) ? [] : copiesOfOrigin(deps, object);
  return [
    { cache: origins, toKeys: ofOrigin },
    { cache: revisions, toKeys: (change) => changedKeys(deps, change, toRevisions) },
  ];
}

function watchesOf(deps: Deps): Watch[] {
  const { applications, children, secrets, sources, made, request, copied } = deps;
  const toApplications = { valuesOf: request.valuesOf, newsOf: newsOfApplication };
  const toChildren = { valuesOf: childSources, newsOf: () => undefined };
  // The runtime passes through what these very caches hold.
  const watch = <T extends KubeObject>(cache: Cache<T>, toKeys: (change: Change<T>) => string[]): Watch => ({
    cache,
    toKeys,
  });
  return [
    ...(copied === undefined ? [] : copyWatches(deps, copied)),
    watch(applications, (change) => changedKeys(deps, change, toApplications)),
    ...children.map((cache) => watch(cache, (change) => changedKeys(deps, change, toChildren))),
    watch(made, ({ object }) => [keyOf(object.metadata)]),
    // Somebody else's source of a name that is asked for goes.
    watch(sources, ({ type, object }) => {
      const { namespace = '', name } = object.metadata;
      const isAsked =
        applications.byIndex(request.index, sourceText({ kind: request.type.kind, namespace, name })).length > 0;
      return type === 'deleted' && isAsked ? [keyOf(object.metadata)] : [];
    }),
    {
      ...watch(secrets, ({ object }) =>
        made.byIndex(BY_SECRET, keyOf(object.metadata)).map(({ metadata }) => keyOf(metadata)),
      ),
      delayMs: () => SECRET_DELAY_MS,
    },
  ];
}

interface Decided {
  readonly step: SourceStep;
  /** Whose source it is to be. */
  readonly application: Application | undefined;
}

/** The source that is asked for in a place, by whom, and how many name it. */
function requestedIn(place: SourcePlace, { rules, applications, copied, request }: Deps) {
  const value = sourceText(place);
  const sourceAt: SourceOf = (source) => copied?.origins.get(source);
  const users = applications.byIndex(request.index, value);
  const revisions = copied?.revisions.byIndex(BY_COPY, value) ?? [];
  // Each of thousands takes its time.
  const stated = firstFound(users, (application) => {
    const requested = request.requestedBy(application, place, { rules, sourceAt });
    return requested && { requested, application };
  });
  const kept = (): RequestedSource | undefined =>
    firstFound(revisions, (each) => request.copies?.requestedByRevision(each, place, sourceAt));
  return { application: undefined, ...(stated ?? { requested: kept() }), users: users.length + revisions.length };
}

function decide(ref: ObjectRef, deps: Deps): Decided {
  const { applications, children, secrets, sources, made, copied } = deps;
  const { type, label, markOf, isCurrent } = deps.request;
  const { namespace = '', name } = ref;
  const place = { kind: type.kind, namespace, name };
  const { requested, application, users } = requestedIn(place, deps);
  const found = made.get(ref);
  const mark = markOf(name);
  const live = found !== undefined && isMarked(found, { label, mark }) ? found : undefined;
  const caches = [applications, ...children, secrets, sources, made, ...Object.values(copied ?? {})];
  const step = planSource({
    ...{ type, label, mark, isCurrent, ref, requested, live },
    isTaken: live === undefined && (found ?? sources.get(ref)) !== undefined,
    users: children.reduce((count, cache) => count + cache.countByIndex(BY_CHILD_SOURCE, sourceText(place)), users),
    complete: caches.every(({ synced }) => synced),
    secretOf: (secret) => secrets.get({ namespace, name: secret }),
  });
  return { step, application };
}

async function act(step: SourceStep, { kube, request, made, signal }: Deps & PassContext): Promise<void> {
  const { type } = request;
  const options = { fieldManager: FIELD_MANAGER, signal };
  switch (step.op) {
    case 'none':
      return;
    case 'create':
      // Unlike apply, it fails if somebody else has created one meanwhile.
      made.recordWrite(await kube.create<LiveSource>(type, step.object, options));
      return;
    case 'update':
      made.recordWrite(
        await kube.patch<LiveSource>(type, step.live.metadata, { type: 'json', body: step.body }, options),
      );
      return;
    case 'refetch': {
      const { metadata } = step.live;
      const body = { metadata: { resourceVersion: metadata.resourceVersion, annotations: step.annotations } };
      made.recordWrite(await kube.patch<LiveSource>(type, metadata, { type: 'merge', body }, options));
      return;
    }
    case 'delete': {
      const { uid, resourceVersion } = step.live.metadata;
      await kube.delete(type, step.live.metadata, { uid, resourceVersion, signal });
    }
  }
}

async function reconcile(key: string, pass: Deps & PassContext): Promise<Record<string, never>> {
  const ref = parseKey(key);
  const { step, application } = decide(ref, pass);
  try {
    await act(step, pass);
  } catch (error: unknown) {
    if (step.op === 'create' && application !== undefined) {
      const message = `cannot create ${describeObject(pass.request.type.kind, ref)}: ${error instanceof Error ? error.message : String(error)}`;
      pass.events.record(application, 'Warning', 'SourceFailed', message);
    }
    throw error;
  }
  return {};
}

/**
 * Creates the Flux sources for inline ones, what looks up version ranges, and the copies of sources at one revision; has
 * them fetched again when their Secrets change, and deletes those that nothing uses. A source has no owner: Applications share it, and it outlives them while
 * a child refers to it.
 */
export function madeSourceControllers(context: SetupContext, rules: Rules): Controller[] {
  return SOURCE_REQUESTS.map((request) => {
    const deps = depsOf(context, rules, request);
    return {
      name: request.name,
      concurrency: CONCURRENCY,
      watches: watchesOf(deps),
      reconcile: (key, pass) => reconcile(key, { ...deps, ...pass }),
    };
  });
}
