import omit from 'lodash/omit.js';
import uniqBy from 'lodash/uniqBy.js';
import type { Application, FluxApplicationSpec } from '../../../api/v1alpha1/application.js';
import { parseTemplatesInUse, printTemplatesInUse } from '../../../api/v1alpha1/template.js';
import type { RevisionSpec, TemplateInUse } from '../../../api/v1alpha1/template.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { describeObject } from '../../runtime/pure/urls.js';
import { ENTRIES_PATH } from './entries.js';
import { childKindOf, fluxSpecOf, helmReleaseOf, kustomizationOf, sourceOf } from './flux-spec.js';
import { mergeLayers, type Layer } from './layers.js';
import {
  findTemplate,
  helmSpecOf,
  templatePlaces,
  type FoundTemplate,
  type TemplateUse,
  type TemplateView,
} from './template-lookup.js';
import type { Entry, Violation } from './types.js';
import type { Rules } from './validate.js';

const HELM_PATH = 'spec.fluxApp.spec.config.helmRelease.template';

/** A source that children read. */
export interface SourceUse {
  readonly ref: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** Where it is named, for messages. */
  readonly path: string;
}

/** An Application with its templates laid under its entries, or why there is none. */
export interface Resolved {
  /** Says the same without templates. */
  readonly application: Application;
  /** For `status.template`. */
  readonly inUse: string | undefined;
  /** The template that lies under an entry. */
  readonly templateOf: (entry: Pick<Entry, 'path'>) => TemplateInUse | undefined;
  /** The template of the chart. */
  readonly helm: FoundTemplate | undefined;
  /** By the path of an entry: why its template cannot be used. */
  readonly flaws: ReadonlyMap<string, Violation>;
  /** What the user should know. */
  readonly remark: string | undefined;
  /** What its children read, each once. */
  readonly sources: readonly SourceUse[];
}
export type Resolution = Resolved | { readonly violation: Violation } | 'pending';

/** Every place in an Application that names a template. */
export function templateUses(application: Application): TemplateUse[] {
  const namespace = application.metadata.namespace ?? '';
  const text = helmReleaseOf(application)?.template;
  const helm = text === undefined ? [] : [{ kind: 'HelmTemplate' as const, text, path: HELM_PATH, namespace }];
  const files = (kustomizationOf(application) ?? []).flatMap(({ template }, index) => {
    const path = `${ENTRIES_PATH.Kustomization}[${index}].template`;
    return template === undefined ? [] : [{ kind: 'KustomizationTemplate' as const, text: template, path, namespace }];
  });
  return [...helm, ...files];
}

/** What a template says of every entry. */
function layerOf(spec: RevisionSpec): Layer {
  const helm = helmSpecOf(spec);
  if (helm !== undefined) return { ...helm.deploy, values: helm.values };
  return 'path' in spec ? { ...spec.deploy, path: spec.path } : { ...spec.deploy };
}

function withSpec(application: Application, flux: FluxApplicationSpec): Application {
  return { ...application, spec: { ...application.spec, fluxApp: { spec: flux } } };
}

type Entries<Entry> = readonly Entry[];

/** Merged layers have the form of their top one: a template has fields of an entry only. */
function overTemplate<Entry extends object>(spec: RevisionSpec, entry: Entry, more: Layer = {}): Entry {
  return mergeLayers(layerOf(spec), omit(entry, 'template'), more) as Entry;
}

function withChart(application: Application, { spec }: FoundTemplate): Application {
  const flux = fluxSpecOf(application);
  const release = helmReleaseOf(application);
  const chart = helmSpecOf(spec)?.chart;
  if (flux === undefined || release === undefined || chart === undefined) return application;
  const deploy = release.deploy.map((entry) => overTemplate(spec, entry));
  const { sourceRef } = spec;
  return withSpec(application, {
    ...flux,
    source: { sourceRef },
    config: { ...flux.config, helmRelease: { chart, deploy } },
  });
}

function withFiles(application: Application, found: ReadonlyMap<string, FoundTemplate>): Application {
  const flux = fluxSpecOf(application);
  const entries: Entries<NonNullable<FluxApplicationSpec['config']['kustomization']>[number]> | undefined =
    kustomizationOf(application);
  if (flux === undefined || entries === undefined) return application;
  const kustomization = entries.map((entry, index) => {
    const template = found.get(`${ENTRIES_PATH.Kustomization}[${index}].template`);
    return template === undefined ? entry : overTemplate(template.spec, entry, { sourceRef: template.spec.sourceRef });
  });
  return withSpec(application, { ...flux, config: { ...flux.config, kustomization } });
}

/** What runs of a template that cannot be used now: its revision must not be thrown away meanwhile. */
function stillInUse({ status }: Application, use: TemplateUse): TemplateInUse[] {
  const places = templatePlaces(use).map(keyOf);
  return parseTemplatesInUse(status?.template).filter((each) => each.kind === use.kind && places.includes(keyOf(each)));
}

function remarkOf(application: Application, helm: FoundTemplate | undefined): string | undefined {
  if (helm === undefined || sourceOf(application) === undefined) return undefined;
  return `spec.fluxApp.spec.source is ignored: ${describeObject(helm.inUse.kind, helm.inUse)} provides the source`;
}

function sourceOfTemplate(path: string, { inUse, spec }: FoundTemplate): SourceUse {
  return { ref: spec.sourceRef, path: `${path}: spec.sourceRef of ${describeObject(inUse.kind, inUse)}` };
}

/** The source that the Application names itself. */
function ownSource(application: Application): SourceUse[] {
  const source = sourceOf(application);
  if (source === undefined) return [];
  const ref = { ...source, namespace: source.namespace ?? application.metadata.namespace ?? '' };
  return [{ ref, path: 'spec.fluxApp.spec.source.sourceRef' }];
}

/** An entry whose template cannot be used reads nothing. */
function sourcesOf(application: Application, found: ReadonlyMap<string, FoundTemplate>): SourceUse[] {
  const named = new Set(templateUses(application).map(({ path }) => path));
  const entries = kustomizationOf(application) ?? [];
  const paths = [HELM_PATH, ...entries.map((_, index) => `${ENTRIES_PATH.Kustomization}[${index}].template`)];
  const hasOwn =
    childKindOf(application) === 'HelmRelease'
      ? !named.has(HELM_PATH)
      : paths.slice(1).some((path) => !named.has(path));
  const all = paths.flatMap((path) => {
    const template = found.get(path);
    return template === undefined ? [] : [sourceOfTemplate(path, template)];
  });
  return uniqBy([...(hasOwn ? ownSource(application) : []), ...all], ({ ref }) => `${ref.kind}/${keyOf(ref)}`);
}

/**
 * Finds the templates of an Application and lays them under its entries. A valid Application is assumed. Never throws.
 */
export function resolveTemplates(application: Application, view: TemplateView, rules: Rules): Resolution {
  const found = new Map<string, FoundTemplate>();
  const flaws = new Map<string, Violation>();
  const inUse: TemplateInUse[] = [];
  for (const use of templateUses(application)) {
    const lookup = findTemplate({ use, view, rules });
    if (lookup === 'pending') return lookup;
    if ('violation' in lookup && use.kind === 'HelmTemplate') return lookup;
    inUse.push(...('violation' in lookup ? stillInUse(application, use) : [lookup.inUse]));
    if ('violation' in lookup) flaws.set(use.path.replace(/\.template$/, ''), lookup.violation);
    else found.set(use.path, lookup);
  }
  const helm = found.get(HELM_PATH);
  return {
    application: helm === undefined ? withFiles(application, found) : withChart(application, helm),
    inUse: printTemplatesInUse(inUse),
    templateOf: ({ path }) => (helm ?? found.get(`${path}.template`))?.inUse,
    helm,
    flaws,
    remark: remarkOf(application, helm),
    sources: sourcesOf(application, found),
  };
}
