import omit from 'lodash/omit.js';
import { controllerRevisionResource, namespaceResource } from '#api/core.js';
import { helmChartResource, type HelmChart } from '#api/flux/helm-chart.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import type { Application } from '#api/v1alpha1/application.js';
import {
  LEGACY_TEMPLATE_MANAGER,
  MANAGED_BY_LABEL,
  REVISION_OF_LABEL,
  SAVED_BY_ANNOTATION,
  isSaver,
} from '#api/v1alpha1/labels.js';
import {
  namesSource,
  revisionSpecOf,
  TEMPLATE_KINDS,
  TEMPLATE_RESOURCES,
  type RevisionSpec,
  type Template,
  type TemplateRevision,
} from '#api/v1alpha1/template.js';
import type { Cache, Change, SetupContext, Watch } from '#runtime/controller.js';
import { getCondition } from '#lib/kube/conditions.js';
import { keyOf } from '#lib/kube/keys.js';
import { savedName } from './model/spec/saved-template.js';
import { templatePlaces, type TemplateView } from './model/spec/template-lookup.js';
import { templateUses } from './model/destinations/template-use.js';

/** Index of Applications by what their templates depend on. */
export const BY_TEMPLATE = 'application-template';
const BY_REVISION = 'application-revision';
const BY_SOURCE = 'application-template-source';

/** The caches that templates are looked up in. */
export interface TemplateCaches {
  readonly byKind: ReadonlyMap<string, Cache<Template>>;
  readonly revisions: Cache<TemplateRevision>;
  /** Templates of ks-devops among them: see isLegacyTemplate. */
  readonly charts: Cache<HelmChart>;
  /** Metadata only. */
  readonly namespaces: Cache<KubeObject>;
}

function indexValue(kind: string, ref: ObjectRef): string {
  return `${kind}/${keyOf(ref)}`;
}

/**
 * Index values of what the templates of an Application depend on: every place where they may be, the template that it
 * saves, and the labels of its namespace.
 */
export function templateValues(application: Application): string[] {
  const { namespace } = application.metadata;
  const uses = templateUses(application);
  const places = uses.flatMap((use) =>
    templatePlaces(use).flatMap((place) => [indexValue(use.kind, place), indexValue('HelmChart', place)]),
  );
  const saved = TEMPLATE_KINDS.filter((kind) => isSaver(application, kind)).map((kind) =>
    indexValue(kind, { namespace, name: savedName(application) }),
  );
  const own = uses.length === 0 ? [] : [indexValue('Namespace', { name: namespace ?? '' })];
  return [...new Set([...places, ...saved, ...own])];
}

function ownerOf({ metadata }: TemplateRevision): string[] {
  const { namespace } = metadata;
  return (metadata.ownerReferences ?? []).map(({ kind, name }) => indexValue(kind, { namespace, name }));
}

function revisionValues(revision: TemplateRevision): string[] {
  return (revision.metadata.ownerReferences ?? []).map(({ uid }) => `${uid}@${revision.revision}`);
}

function sourceValues(spec: RevisionSpec | undefined): string[] {
  return spec === undefined ? [] : [indexValue(spec.sourceRef.kind, spec.sourceRef)];
}

/** Requests these caches during setup. */
export function templateCaches(context: Pick<SetupContext, 'cache'>): TemplateCaches {
  return {
    byKind: new Map(TEMPLATE_RESOURCES.map((type) => [type.kind, context.cache<Template>(type)])),
    revisions: context.cache<TemplateRevision>(controllerRevisionResource, {
      labelSelector: REVISION_OF_LABEL,
      indexes: { [BY_REVISION]: revisionValues, [BY_SOURCE]: (revision) => sourceValues(revisionSpecOf(revision)) },
    }),
    charts: context.cache<HelmChart>(helmChartResource, {
      optional: true,
      indexes: { [BY_SOURCE]: (chart) => sourceValues(legacySpec(chart)) },
    }),
    namespaces: context.cache(namespaceResource, { metadataOnly: true }),
  };
}

function isLegacyTemplate({ metadata }: HelmChart): boolean {
  return metadata.labels?.[MANAGED_BY_LABEL] === LEGACY_TEMPLATE_MANAGER;
}

/** The template in a HelmChart of ks-devops; undefined if it is not one, or names no source. */
function legacySpec(helmChart: HelmChart): RevisionSpec | undefined {
  if (!isLegacyTemplate(helmChart) || !namesSource(helmChart.spec)) return undefined;
  const { metadata, spec } = helmChart;
  const { sourceRef } = spec;
  const chart = omit(spec, ['sourceRef', 'suspend']);
  return { sourceRef: { ...sourceRef, namespace: metadata.namespace ?? '' }, chart };
}

/** How the lookup of templates reads the caches. */
export function templateView({ byKind, revisions, charts, namespaces }: TemplateCaches): TemplateView {
  return {
    template: (kind, place) => byKind.get(kind)?.get(place),
    revision: ({ metadata }, revision) => {
      const found = revisions.byIndex(BY_REVISION, `${metadata.uid ?? ''}@${revision}`);
      // Anybody can write an owner's UID into an object of their own namespace.
      const own = found.find((each) => each.metadata.namespace === metadata.namespace);
      return own === undefined ? undefined : revisionSpecOf(own);
    },
    legacyChart: (place) => {
      const chart = charts.get(place);
      return chart === undefined ? undefined : legacySpec(chart);
    },
    namespaceLabels: (name) => namespaces.get({ name })?.metadata.labels ?? {},
  };
}

/** The parts of a template that Applications depend on; how often it is used is not one of them. */
function templateNews({ metadata, status, spec }: Template): string {
  const ready = getCondition(status?.conditions, 'Ready');
  const savedBy = metadata.annotations?.[SAVED_BY_ANNOTATION];
  return JSON.stringify([metadata.generation, spec, savedBy, status?.revision, ready?.status, ready?.message]);
}

function isNews<T extends KubeObject>({ type, object, previous }: Change<T>, newsOf: (object: T) => string): boolean {
  return type !== 'updated' || previous === undefined || newsOf(previous) !== newsOf(object);
}

/** Applications whose templates depend on what changed. */
export function templateWatches(applications: Cache<Application>, caches: TemplateCaches): Watch[] {
  const usersOf = (value: string): string[] =>
    applications.byIndex(BY_TEMPLATE, value).map(({ metadata }) => keyOf(metadata));
  const watch = <T extends KubeObject>(
    cache: Cache<T>,
    newsOf: (object: T) => string,
    values: (object: T) => string[],
  ): Watch => ({
    cache,
    toKeys: (change: Change) => {
      // The runtime passes through what this very cache holds.
      const typed = change as Change<T>;
      return isNews(typed, newsOf) ? values(typed.object).flatMap(usersOf) : [];
    },
  });
  const own = (type: ResourceType) => (object: KubeObject) => [indexValue(type.kind, object.metadata)];
  const labels = ({ metadata }: KubeObject): string => JSON.stringify(metadata.labels ?? {});
  const legacyNews = (chart: HelmChart): string => `${isLegacyTemplate(chart)} ${chart.metadata.generation}`;
  return [
    ...[...caches.byKind.values()].map((cache) => watch(cache, templateNews, own(cache.type))),
    watch(caches.revisions, ({ revision }) => String(revision), ownerOf),
    watch(caches.charts, legacyNews, own(helmChartResource)),
    watch(caches.namespaces, labels, own(namespaceResource)),
  ];
}

/** Applications whose template uses a source that was created or deleted. */
export function templateSourceKeys(
  applications: Cache<Application>,
  { revisions, charts }: TemplateCaches,
  change: Change,
): string[] {
  if (change.type === 'updated') return [];
  const value = indexValue(change.object.kind, change.object.metadata);
  const templates = revisions.byIndex(BY_SOURCE, value).flatMap(ownerOf);
  const legacy = charts.byIndex(BY_SOURCE, value).map(({ metadata }) => indexValue('HelmChart', metadata));
  const found = new Set([...templates, ...legacy]);
  const users = [...found].flatMap((template) => applications.byIndex(BY_TEMPLATE, template));
  return [...new Set(users.map(({ metadata }) => keyOf(metadata)))];
}
