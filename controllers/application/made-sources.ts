import { secretResource } from '../../api/core.js';
import type { KubeObject, ObjectRef, ResourceType } from '../../api/meta.js';
import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER, INLINE_SOURCE_LABEL } from '../../api/v1alpha1/labels.js';
import { asksForDryRun } from '../dry-run/asked.js';
import type { Cache, Change, Controller, PassContext, SetupContext, Watch } from '../runtime/controller.js';
import type { EventRecorder } from '../runtime/events.js';
import type { Kube } from '../runtime/kube.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { describeObject } from '../runtime/pure/urls.js';
import { BY_SOURCE, sourceIndexValue, sourceValues } from './mappings.js';
import { BACKENDS } from './model/backends/index.js';
import {
  askedSource,
  isAskedAs,
  MADE_RESOURCES,
  planSource,
  secretsOf,
  sourcesOfChild,
  type LiveSource,
  type SourceStep,
} from './model/made-source.js';
import type { Child, Rules } from './model/types.js';

const CONCURRENCY = 2;
/** A Secret that is written again and again must not have its sources fetched each time. */
const SECRET_DELAY_MS = 500;
const BY_CHILD_SOURCE = 'child-source';
const BY_SECRET = 'made-source-secret';

interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  readonly rules: Rules;
  readonly type: ResourceType;
  readonly applications: Cache<Application>;
  readonly children: readonly Cache<Child>[];
  /** Metadata only. */
  readonly secrets: Cache<KubeObject>;
  /** All sources of the kind, metadata only. */
  readonly sources: Cache<KubeObject>;
  /** Those that were created here. */
  readonly made: Cache<LiveSource>;
}

function childSources(child: Child): string[] {
  return sourcesOfChild(child).map(({ kind, namespace, name }) => sourceIndexValue(kind, namespace, name));
}

function secretKeys(source: LiveSource): string[] {
  const { namespace } = source.metadata;
  return secretsOf(source).map((name) => keyOf({ namespace, name }));
}

function depsOf(context: SetupContext, rules: Rules, type: ResourceType): Deps {
  const indexes = { [BY_CHILD_SOURCE]: childSources };
  return {
    ...{ kube: context.kube, events: context.events, rules, type },
    applications: context.cache<Application>(applicationResource, { indexes: { [BY_SOURCE]: sourceValues } }),
    children: BACKENDS.map(({ resource, isOptional }) =>
      context.cache<Child>(resource, { indexes, optional: isOptional }),
    ),
    secrets: context.cache(secretResource, { metadataOnly: true }),
    sources: context.cache(type, { metadataOnly: true }),
    made: context.cache<LiveSource>(type, {
      labelSelector: INLINE_SOURCE_LABEL,
      indexes: { [BY_SECRET]: secretKeys },
    }),
  };
}

/** The keys of this kind among index values. */
function keysOf({ type }: Deps, values: readonly string[]): string[] {
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
  return [generation, deletionTimestamp, asksForDryRun(application), application.status?.kind];
}

function watchesOf(deps: Deps): Watch[] {
  const { applications, children, secrets, sources, made } = deps;
  const toApplications = { valuesOf: sourceValues, newsOf: newsOfApplication };
  const toChildren = { valuesOf: childSources, newsOf: () => undefined };
  // The runtime passes through what these very caches hold.
  const watch = <T extends KubeObject>(cache: Cache<T>, toKeys: (change: Change<T>) => string[]): Watch => ({
    cache,
    toKeys,
  });
  return [
    watch(applications, (change) => changedKeys(deps, change, toApplications)),
    ...children.map((cache) => watch(cache, (change) => changedKeys(deps, change, toChildren))),
    watch(made, ({ object }) => [keyOf(object.metadata)]),
    // Somebody else's source of a name that is asked for goes.
    watch(sources, ({ type, object }) => {
      const { namespace = '', name } = object.metadata;
      const isAsked = applications.byIndex(BY_SOURCE, sourceIndexValue(deps.type.kind, namespace, name)).length > 0;
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

function decide(ref: ObjectRef, deps: Deps): Decided {
  const { type, rules, applications, children, secrets, sources, made } = deps;
  const { namespace = '', name } = ref;
  const value = sourceIndexValue(type.kind, namespace, name);
  const users = applications.byIndex(BY_SOURCE, value);
  const asking = users
    .map((application) => ({ application, asked: askedSource(application, rules) }))
    .find(({ asked }) => isAskedAs(asked, { kind: type.kind, name }));
  const live = made.get(ref);
  const caches = [applications, ...children, secrets, sources, made];
  const step = planSource({
    ref,
    asked: asking?.asked,
    live,
    isTaken: live === undefined && sources.get(ref) !== undefined,
    users: children.reduce((count, cache) => count + cache.countByIndex(BY_CHILD_SOURCE, value), users.length),
    complete: caches.every(({ synced }) => synced),
    secretOf: (secret) => secrets.get({ namespace, name: secret }),
  });
  return { step, application: asking?.application };
}

async function act(step: SourceStep, { kube, type, made, signal }: Deps & PassContext): Promise<void> {
  const options = { fieldManager: FIELD_MANAGER, signal };
  switch (step.op) {
    case 'none':
      return;
    case 'create':
      // Unlike apply, it fails if somebody else has created one meanwhile.
      made.recordWrite(await kube.create<LiveSource>(type, step.object, options));
      return;
    case 'update':
      made.recordWrite(await kube.apply<LiveSource>(type, step.object, { ...options, force: true }));
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
      const message = `cannot create ${describeObject(pass.type.kind, ref)}: ${error instanceof Error ? error.message : String(error)}`;
      pass.events.record(application, 'Warning', 'SourceFailed', message);
    }
    throw error;
  }
  return {};
}

/**
 * Creates the Flux sources for inline ones, has them fetched again when their Secrets change, and deletes those that
 * nothing uses. A source has no owner: Applications share it, and it outlives them while a child refers to it.
 */
export function inlineSourceControllers(context: SetupContext, rules: Rules): Controller[] {
  return MADE_RESOURCES.map((type) => {
    const deps = depsOf(context, rules, type);
    return {
      name: `inline-${type.kind.toLowerCase()}`,
      concurrency: CONCURRENCY,
      watches: watchesOf(deps),
      reconcile: (key, pass) => reconcile(key, { ...deps, ...pass }),
    };
  });
}
