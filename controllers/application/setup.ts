import { controllerRevisionResource, secretResource } from '#api/core.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import { kindsFor, SOURCE_RESOURCES } from '#api/flux/source-kinds.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import { INLINE_SOURCE_LABEL } from '#api/v1alpha1/labels.js';
import { TEMPLATE_RESOURCES } from '#api/v1alpha1/template.js';
import { run } from '#engine/process/run.js';
import type { Cache, Controller, Permission, SetupContext, Watch } from '#runtime/controller.js';
import { createSchemaCheck } from '#runtime/isolation/schema-check.js';
import { referenceReader } from '../cluster/references.js';
import { Absences } from './absences.js';
import { AwaitedTargets, BY_TARGET, CountedRemovals, ProvenTargets, Reservations, Unmatched } from './memory.js';
import { inventoryWatches } from './cluster-news.js';
import {
  BY_CLUSTER,
  BY_INVENTORY,
  clusterValues,
  inventoryCaches,
  inventoryValues,
  type InventoryCaches,
} from './clusters.js';
import type { Deps, Settings } from './deps.js';
import { expressionEvaluator } from './evaluators/expressions.js';
import { ResultCache } from './evaluators/result-cache.js';
import { templateEvaluator } from './evaluators/templates.js';
import { historyOf } from './history.js';
import {
  applicationToKeys,
  BY_CHILD_SOURCE,
  BY_LOOKUP,
  BY_OFFER,
  BY_OWNER,
  BY_RELEASE,
  BY_SECRET,
  BY_SOURCE,
  chartToKeys,
  childSources,
  childToKeys,
  debounceMs,
  heldReleases,
  isOwnWrite,
  lookupToKeys,
  lookupValues,
  madeSourceToKeys,
  offers,
  ownerKeys,
  secretToKeys,
  secretValues,
  sourceToKeys,
  sourceValues,
  wantedReleases,
} from './mappings.js';
import { BACKENDS } from './model/backends/index.js';
import type { Backend } from './model/backends/types.js';
import type { Child } from './model/child/types.js';
import { targetValues } from './model/children/same-target.js';
import { MADE_RESOURCES } from './model/sources/made-source.js';
import { PINNED_RESOURCES } from './model/sources/pinned-copy.js';
import { reconcile } from './reconcile.js';
import { BY_TEMPLATE, templateCaches, templateSourceKeys, templateValues, templateWatches } from './templates.js';

const CONCURRENCY = 4;

/** Those that Fairlead makes for Applications. */
const MADE = [helmRepositoryResource, ...PINNED_RESOURCES];
const SOURCES = kindsFor('applications').map((kind) => SOURCE_RESOURCES[kind]);

/** Permissions on the host cluster; this controller connects to no other. */
export const permissions: readonly Permission[] = [
  { group: clusterGrantResource.group, resources: [clusterGrantResource.plural], verbs: ['get', 'list', 'watch'] },
  { group: applicationResource.group, resources: ['applications'], verbs: ['get', 'list', 'watch', 'patch'] },
  { group: applicationResource.group, resources: ['applications/status'], verbs: ['patch', 'update'] },
  // blockOwnerDeletion of the children's owner reference.
  { group: applicationResource.group, resources: ['applications/finalizers'], verbs: ['update'] },
  ...BACKENDS.map(({ resource }) => ({
    group: resource.group,
    resources: [resource.plural],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  })),
  {
    group: helmRepositoryResource.group,
    resources: SOURCES.map(({ plural }) => plural),
    verbs: ['get', 'list', 'watch', 'patch'],
  },
  {
    group: helmRepositoryResource.group,
    resources: MADE.map(({ plural }) => plural),
    verbs: ['create', 'delete'],
  },
  // Only whether a Secret exists, and its version: metadata is requested, but RBAC has no verb for that.
  { group: '', resources: ['secrets'], verbs: ['list', 'watch'] },
  { group: '', resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  {
    group: applicationResource.group,
    resources: TEMPLATE_RESOURCES.map(({ plural }) => plural),
    verbs: ['get', 'list', 'watch', 'create', 'patch'],
  },
  {
    group: helmChartResource.group,
    resources: [helmChartResource.plural],
    verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
  },
  {
    group: controllerRevisionResource.group,
    resources: [controllerRevisionResource.plural],
    verbs: ['get', 'list', 'watch', 'create', 'delete'],
  },
];

function childCache(context: Pick<SetupContext, 'cache'>, { resource, isOptional }: Backend): Cache<Child> {
  const indexes = {
    [BY_OWNER]: ownerKeys,
    [BY_RELEASE]: heldReleases,
    [BY_OFFER]: offers,
    [BY_TARGET]: targetValues,
    [BY_CLUSTER]: clusterValues,
    [BY_CHILD_SOURCE]: childSources,
  };
  return context.cache<Child>(resource, { indexes, optional: isOptional });
}

function evaluatorsFor({ offload, now }: Pick<SetupContext, 'offload' | 'now'>, { helmPath = 'helm' }: Settings) {
  const results = new ResultCache(now);
  return {
    templates: results.remembering(templateEvaluator({ run, helmPath, offload })),
    expressions: results.remembering(expressionEvaluator(offload)),
  };
}

/** Requests the caches during setup. Also for whoever reads what a reconciliation would decide. */
export function applicationDeps(
  context: Omit<SetupContext, 'log'>,
  rules: Settings,
  inventory: InventoryCaches = inventoryCaches(context, rules),
): Deps {
  const sources = SOURCES.map((type) => [type.kind, context.cache(type, { metadataOnly: true })] as const);
  const made = MADE_RESOURCES.map(
    (type) => [type.kind, context.cache<Child>(type, { labelSelector: INLINE_SOURCE_LABEL })] as const,
  );
  return {
    kube: context.kube,
    events: context.events,
    now: context.now,
    checkSchema: createSchemaCheck(context.offload),
    evaluators: evaluatorsFor(context, rules),
    readReferences: referenceReader(context.kube),
    rules,
    reservations: new Reservations(),
    unmatched: new Unmatched(),
    counted: new CountedRemovals(),
    steadyNow: context.steadyNow ?? (() => performance.now()),
    absences: new Absences(),
    awaited: new AwaitedTargets(),
    proven: new ProvenTargets(),
    applications: context.cache<Application>(applicationResource, {
      indexes: {
        [BY_SOURCE]: sourceValues,
        [BY_LOOKUP]: lookupValues,
        [BY_SECRET]: secretValues,
        [BY_RELEASE]: wantedReleases,
        [BY_TEMPLATE]: templateValues,
        [BY_INVENTORY]: inventoryValues,
      },
    }),
    children: BACKENDS.map((backend) => childCache(context, backend)),
    secrets: context.cache(secretResource, { metadataOnly: true }),
    charts: context.cache<Child>(helmChartResource, { optional: true }),
    pinnable: new Map(PINNED_RESOURCES.map((type) => [type.kind, context.cache<Child>(type)] as const)),
    templates: templateCaches(context),
    history: historyOf(context),
    inventory,
    made: new Map(made),
    sources: new Map(sources),
  };
}

/** Erases the type of the objects: the runtime only passes them through. */
function watch<T extends KubeObject>(cache: Cache<T>, ways: Omit<Watch<T>, 'cache'>): Watch {
  return { cache, ...ways };
}

function watchesOf(deps: Deps): Watch[] {
  const { applications, children, secrets, charts, made, pinnable, sources, templates, history, inventory } = deps;
  // Reports of children and our own writes are debounced; edits of users are reconciled at once.
  const delayMs = (key: string): number => debounceMs(children.flatMap((cache) => cache.byIndex(BY_OWNER, key)).length);
  return [
    watch(applications, {
      toKeys: (change) => applicationToKeys(applications, change),
      delayMs: (key, { object, previous }) => (isOwnWrite(object, previous) ? delayMs(key) : 0),
    }),
    ...children.map((cache) => watch(cache, { toKeys: (change) => childToKeys(deps, change), delayMs })),
    watch(charts, {
      toKeys: (change) => [...chartToKeys(children, change), ...lookupToKeys(applications, charts.type, change)],
      delayMs,
    }),
    ...[...made.values()].map((cache) =>
      watch(cache, { toKeys: (change) => madeSourceToKeys(children, change), delayMs }),
    ),
    ...[...pinnable.values()].map((cache) =>
      watch(cache, { toKeys: (change) => lookupToKeys(applications, cache.type, change), delayMs }),
    ),
    watch(secrets, { toKeys: (change) => secretToKeys(applications, change) }),
    ...[...sources.values()].map((cache) =>
      watch(cache, {
        toKeys: (change) => [
          ...sourceToKeys(applications, cache.type, change),
          ...templateSourceKeys(applications, templates, change),
        ],
      }),
    ),
    ...templateWatches(applications, templates),
    watch(history.kept, { toKeys: ({ type, object }) => (type === 'deleted' ? ownerKeys(object) : []) }),
    ...inventoryWatches({ ...inventory, applications, children }),
  ];
}

/**
 * Turns each Application into one child per destination, in its own namespace of the host
 * cluster.
 */
export function applicationController(context: SetupContext, rules: Settings): Controller {
  const deps = applicationDeps(context, rules);
  return {
    name: 'application',
    concurrency: CONCURRENCY,
    watches: watchesOf(deps),
    reconcile: (key, pass) => reconcile(key, { ...deps, ...pass }),
  };
}
