import { secretResource } from '../../api/core.js';
import { helmChartResource } from '../../api/flux/helm-chart.js';
import type { KubeObject, ObjectRef, ResourceType } from '../../api/meta.js';
import { applicationResource, type Application } from '../../api/v1alpha1/application.js';
import { FIELD_MANAGER, INLINE_SOURCE_LABEL, LOOKUP_LABEL } from '../../api/v1alpha1/labels.js';
import { asksForDryRun } from '../dry-run/asked.js';
import type { Cache, Change, Controller, PassContext, SetupContext, Watch } from '../runtime/controller.js';
import type { EventRecorder } from '../runtime/events.js';
import type { Kube } from '../runtime/kube.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import { describeObject } from '../runtime/pure/urls.js';
import { BY_CHILD_SOURCE, BY_LOOKUP, BY_SOURCE, childSources, lookupValues, sourceValues } from './mappings.js';
import { BACKENDS } from './model/backends/index.js';
import { askedLookup } from './model/lock/chart-lookup.js';
import {
  askedSource,
  MADE_RESOURCES,
  planSource,
  secretsOf,
  type AskedSource,
  type LiveSource,
  type SourceStep,
} from './model/made-source.js';
import { sourceText } from './model/source-place.js';
import type { Child, Rules } from './model/types.js';

const CONCURRENCY = 2;
/** A Secret that is written again and again must not have its sources fetched each time. */
const SECRET_DELAY_MS = 500;
const BY_SECRET = 'made-source-secret';

/** What Applications ask for, of one kind. */
interface Demand {
  /** Of its controller. */
  readonly name: string;
  readonly type: ResourceType;
  /** On what is created for it. */
  readonly label: string;
  /** Of Applications, by what they ask for. */
  readonly index: string;
  readonly valuesOf: (application: Application) => string[];
  /** What an Application asks for in this place; undefined: nothing, or it may not. */
  readonly askedBy: (
    application: Application,
    ref: ObjectRef & { readonly kind: string },
    rules: Rules,
  ) => AskedSource | undefined;
}

const DEMANDS: readonly Demand[] = [
  ...MADE_RESOURCES.map((type) => ({
    ...{ name: `inline-${type.kind.toLowerCase()}`, type, label: INLINE_SOURCE_LABEL },
    ...{ index: BY_SOURCE, valuesOf: sourceValues, askedBy: askedSource },
  })),
  {
    ...{ name: 'version-lookup', type: helmChartResource, label: LOOKUP_LABEL },
    ...{ index: BY_LOOKUP, valuesOf: lookupValues, askedBy: askedLookup },
  },
];

interface Deps {
  readonly kube: Kube;
  readonly events: EventRecorder;
  readonly rules: Rules;
  readonly demand: Demand;
  readonly applications: Cache<Application>;
  readonly children: readonly Cache<Child>[];
  /** Metadata only. */
  readonly secrets: Cache<KubeObject>;
  /** All sources of the kind, metadata only. */
  readonly sources: Cache<KubeObject>;
  /** Those that were created here. */
  readonly made: Cache<LiveSource>;
}

function secretKeys(source: LiveSource): string[] {
  const { namespace } = source.metadata;
  return secretsOf(source).map((name) => keyOf({ namespace, name }));
}

function depsOf(context: SetupContext, rules: Rules, demand: Demand): Deps {
  const { type, label, index, valuesOf } = demand;
  const indexes = { [BY_CHILD_SOURCE]: childSources };
  return {
    ...{ kube: context.kube, events: context.events, rules, demand },
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
  };
}

/** The keys of this kind among index values. */
function keysOf({ demand: { type } }: Deps, values: readonly string[]): string[] {
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

function watchesOf(deps: Deps): Watch[] {
  const { applications, children, secrets, sources, made, demand } = deps;
  const toApplications = { valuesOf: demand.valuesOf, newsOf: newsOfApplication };
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
      const isAsked =
        applications.byIndex(demand.index, sourceText({ kind: demand.type.kind, namespace, name })).length > 0;
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
  const { rules, applications, children, secrets, sources, made } = deps;
  const { type, label, index, askedBy } = deps.demand;
  const { namespace = '', name } = ref;
  const value = sourceText({ kind: type.kind, namespace, name });
  const users = applications.byIndex(index, value);
  const asking = users
    .map((application) => ({ application, asked: askedBy(application, { ...ref, kind: type.kind }, rules) }))
    .find(({ asked }) => asked !== undefined);
  const live = made.get(ref);
  const caches = [applications, ...children, secrets, sources, made];
  const step = planSource({
    type,
    label,
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

async function act(step: SourceStep, { kube, demand, made, signal }: Deps & PassContext): Promise<void> {
  const { type } = demand;
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
      const message = `cannot create ${describeObject(pass.demand.type.kind, ref)}: ${error instanceof Error ? error.message : String(error)}`;
      pass.events.record(application, 'Warning', 'SourceFailed', message);
    }
    throw error;
  }
  return {};
}

/**
 * Creates the Flux sources for inline ones and what looks up version ranges, has them fetched again when their Secrets
 * change, and deletes those that nothing uses. A source has no owner: Applications share it, and it outlives them while
 * a child refers to it.
 */
export function madeSourceControllers(context: SetupContext, rules: Rules): Controller[] {
  return DEMANDS.map((demand) => {
    const deps = depsOf(context, rules, demand);
    return {
      name: demand.name,
      concurrency: CONCURRENCY,
      watches: watchesOf(deps),
      reconcile: (key, pass) => reconcile(key, { ...deps, ...pass }),
    };
  });
}
