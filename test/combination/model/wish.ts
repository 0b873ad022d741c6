import type { Application, FluxApplicationSpec, HelmReleaseConfig } from '#api/v1alpha1/application.js';
import type { Rollout } from '#api/v1alpha1/rollout.js';
import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { KustomizationTemplateSpec } from '#api/v1alpha1/kustomization-template.js';
import { filesName } from './content.js';
import type { ApplicationName, ApplicationObject, TargetKind, World } from './facts.js';
import { merge, textOf } from './layers.js';
import type { RuleName } from './rules.js';
import { findTemplate } from './templates.js';

type Config = FluxApplicationSpec['config'];
type FilesEntry = NonNullable<Config['kustomization']>[number];
type ChartEntry = HelmReleaseConfig['deploy'][number];
export type DestinationSpec = NonNullable<ChartEntry['destination']>;

/** The fields of an entry, without those that say what it is and where, after all layers below it were merged. */
export type Fields = Partial<Omit<ChartEntry, 'destination' | 'overrides'> & Omit<FilesEntry, 'destination'>>;
type Override = NonNullable<ChartEntry['overrides']>[number];

/** One item of `deploy` or `kustomization`, with its template and all defaults. */
export interface Entry {
  readonly index: number;
  readonly name?: string | undefined;
  /** Undefined if neither the entry nor the Application has one. */
  readonly destination?: DestinationSpec | undefined;
  /** Name and version of the chart; empty for files. */
  readonly chart: string;
  readonly version: string;
  /** The files of a Kustomization; empty for a chart. */
  readonly files: string;
  readonly fromTemplate: boolean;
  readonly fields: Fields;
  readonly overrides: readonly Override[];
  /** The rule that leaves the entry unchanged, if its own fields don't make sense. */
  readonly rejected?: RuleName | undefined;
}

/** The wish of an Application, with its templates merged: the model's revision of an Application. */
export interface Wish {
  readonly application: ApplicationName;
  readonly namespace: string;
  readonly kind: TargetKind;
  readonly entries: readonly Entry[];
  /** Set if the Application as a whole is left unchanged. */
  readonly stalled?: RuleName | undefined;
  /** Two wishes with one text are the same revision. */
  readonly text: string;
}

export const nameOf = ({ metadata }: ApplicationObject): ApplicationName =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

interface Given {
  readonly metadata: Application['metadata'];
  readonly flux: FluxApplicationSpec;
  readonly world: World;
}

const isSet = (text: string | undefined): boolean => text !== undefined && text !== '';

/** A field by both names is rejected. */
const hasBothNames = (fields: { suspend?: boolean; paused?: boolean }): boolean =>
  fields.suspend !== undefined && fields.paused !== undefined;

/** An entry uses the clusters of all entries unless it sets others; the namespace is a default of its own. */
function destinationOf(common: DestinationSpec | undefined, own: DestinationSpec | undefined) {
  if (own === undefined) return common;
  const ways = [own.kubeConfig, own.clusterRef, own.clusterSelector].filter((way) => way !== undefined);
  const namespace = own.targetNamespace ?? common?.targetNamespace;
  const clusters = ways.length > 0 ? own : { ...common, ...own };
  return namespace === undefined ? clusters : { ...clusters, targetNamespace: namespace };
}

/** An inline source of a registry may be the chart itself. */
function inlineChart({ source }: FluxApplicationSpec): Pick<Entry, 'chart' | 'version'> {
  const { chart, repo = '', version = '' } = source?.inline ?? {};
  return { chart: chart ?? repo, version };
}

/** Name and version of the chart: of the template, of the Application, or of its inline source. */
function chartOf({ flux }: Given, template: HelmTemplateSpec | undefined): Pick<Entry, 'chart' | 'version'> {
  const named = template === undefined ? flux.config.helmRelease?.chart : template.chart;
  return named === undefined ? inlineChart(flux) : { chart: named.chart, version: named.version ?? '' };
}

function chartEntry(given: Given, own: ChartEntry, index: number, template: HelmTemplateSpec | undefined): Entry {
  const { destination, overrides = [], ...fields } = own;
  const defaults = template === undefined ? {} : { ...template.deploy, values: template.values };
  return {
    index,
    name: own.name,
    destination: destinationOf(given.flux.destination, destination),
    ...chartOf(given, template),
    files: '',
    fromTemplate: template !== undefined,
    fields: merge(defaults, fields),
    overrides,
    rejected: hasBothNames(fields) ? 'fieldByBothNames' : undefined,
  };
}

function filesTemplate({ world, metadata }: Given, reference = ''): KustomizationTemplateSpec | undefined {
  const found = findTemplate(world, metadata.namespace ?? '', { kind: 'KustomizationTemplate', reference });
  return found as KustomizationTemplateSpec | undefined;
}

function filesOf({ flux, metadata }: Given, path: string | undefined, template: KustomizationTemplateSpec | undefined) {
  const ref = template?.sourceRef ?? flux.source?.sourceRef;
  if (ref === undefined) return filesName({ kind: '', namespace: '', name: '' }, path);
  const { kind, namespace = metadata.namespace ?? '', name } = ref;
  return filesName({ kind, namespace, name }, path ?? template?.path);
}

function rejectionOf(own: FilesEntry, template: KustomizationTemplateSpec | undefined): RuleName | undefined {
  if (isSet(own.template) && template === undefined) return 'templateProblem';
  return hasBothNames(own) ? 'fieldByBothNames' : undefined;
}

function filesEntry(given: Given, own: FilesEntry, index: number): Entry {
  const template = filesTemplate(given, own.template);
  const { destination, overrides = [], ...fields } = own;
  return {
    index,
    name: own.name,
    destination: destinationOf(given.flux.destination, destination),
    chart: '',
    version: '',
    files: filesOf(given, own.path, template),
    fromTemplate: template !== undefined,
    fields: merge(template?.deploy ?? {}, fields),
    overrides,
    rejected: rejectionOf(own, template),
  };
}

/** A version that no chart can have. An empty one is any version. */
const isVersion = (version: string): boolean => version === '' || /[\d*xX]/.test(version);

function stalledChart({ flux }: Given, helm: HelmReleaseConfig, template: unknown): RuleName | undefined {
  const { source = {} } = flux;
  if (isSet(helm.template)) {
    if (helm.chart !== undefined) return 'stalled';
    return template === undefined ? 'templateProblem' : undefined;
  }
  if (source.inline !== undefined) return undefined;
  if (helm.chart === undefined || source.sourceRef === undefined) return 'stalled';
  return isVersion(helm.chart.version ?? '') ? undefined : 'stalled';
}

type Parts = Pick<Wish, 'kind' | 'entries' | 'stalled'> & { readonly templates: unknown };

function chartWish(given: Given, helm: HelmReleaseConfig): Parts {
  const namespace = given.metadata.namespace ?? '';
  const template = findTemplate(given.world, namespace, { kind: 'HelmTemplate', reference: helm.template ?? '' });
  const chart = template as HelmTemplateSpec | undefined;
  const entries = helm.deploy.map((own, index) => chartEntry(given, own, index, chart));
  const stalled = stalledChart(given, helm, template);
  return { kind: 'HelmRelease', entries, stalled, templates: template };
}

function filesWish(given: Given, list: readonly FilesEntry[]): Parts {
  const entries = list.map((own, index) => filesEntry(given, own, index));
  const hasSource = given.flux.source?.sourceRef !== undefined || entries.every(({ fromTemplate }) => fromTemplate);
  return {
    kind: 'Kustomization',
    entries,
    stalled: hasSource ? undefined : 'stalled',
    templates: list.map((own) => filesTemplate(given, own.template)),
  };
}

function partsOf(given: Given): Parts {
  const { helmRelease, kustomization } = given.flux.config;
  const isOne = (helmRelease === undefined) !== (kustomization === undefined);
  if (!isOne) return { kind: 'HelmRelease', entries: [], stalled: 'stalled', templates: undefined };
  const parts = helmRelease === undefined ? filesWish(given, kustomization ?? []) : chartWish(given, helmRelease);
  if (parts.entries.length === 0) return { ...parts, stalled: 'noEntry' };
  return parts;
}

/** Two stages of one name or for one cluster, or one without clusters: the Application as a whole is stalled. */
function stalledRollout({ stages = [] }: Rollout): RuleName | undefined {
  const isRepeated = (texts: readonly string[]): boolean => new Set(texts).size < texts.length;
  const named = stages.flatMap(({ clusters }) => [...new Set(clusters?.names)]);
  const isEmpty = stages.some(
    ({ name, clusters }) => name !== 'rest' && clusters?.selector === undefined && (clusters?.names ?? []).length === 0,
  );
  return isEmpty || isRepeated(named) || isRepeated(stages.map(({ name }) => name)) ? 'stalled' : undefined;
}

/** Returns the wish of an Application at a moment. `suspend` of all entries is part of each entry. */
export function wishOf(application: ApplicationObject, world: World): Wish {
  const { metadata, spec } = application;
  const namespace = metadata.namespace ?? '';
  const name = nameOf(application);
  const flux = spec.fluxApp?.spec;
  if (flux === undefined || spec.kind === 'argocd') {
    return { application: name, namespace, kind: 'HelmRelease', entries: [], stalled: 'otherEngine', text: '' };
  }
  const { templates, entries, ...rest } = partsOf({ metadata, flux, world });
  const stalled = rest.stalled ?? stalledRollout(spec.rollout ?? {});
  const suspended = entries.map((entry) => ({
    ...entry,
    fields: { ...entry.fields, suspend: entry.fields.suspend ?? entry.fields.paused ?? flux.config.suspend ?? false },
  }));
  return { application: name, namespace, entries: suspended, ...rest, stalled, text: textOf({ flux, templates }) };
}
