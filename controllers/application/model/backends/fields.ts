import { kindsFor } from '#api/flux/source-kinds.js';
import omit from 'lodash/omit.js';
import type { Application } from '#api/v1alpha1/application.js';
import type { RevisionSpec } from '#api/v1alpha1/template.js';
import { listed } from '#lib/text/text.js';
import { isMap } from '#lib/plain.js';
import { describeObject } from '#lib/net/urls.js';
import { isVersionRange } from '#lib/semver/version-range.js';
import { type EntryLayers, type Layer, mergeEntry } from '../child/layers.js';
import type { Entry, Violation } from '../child/types.js';
import type { ApplicationCheck } from '../child/verdicts.js';
import { CONFIG_PATH, helmReleaseOf, sourceOf, sourceReference } from '../spec/flux-spec.js';
import { helmSpecOf } from '../spec/template-lookup.js';

/** `paused` as `suspend`. If both are set, it stays, and a check reports it. */
export function withSuspend(fields: Layer): Layer {
  const { paused, suspend } = fields;
  if (paused === undefined || suspend !== undefined) return fields;
  return { ...omit(fields, 'paused'), suspend: paused };
}

function detectionIn({ driftDetection }: Layer): Layer {
  return isMap(driftDetection) ? driftDetection : {};
}

function withMode(fields: Layer): Layer {
  const { correctDrift } = fields;
  const detection = detectionIn(fields);
  if (!isMap(correctDrift) || correctDrift['force'] === true || detection['mode'] !== undefined) return fields;
  const mode = correctDrift['enabled'] === true ? 'enabled' : 'disabled';
  return { ...omit(fields, 'correctDrift'), driftDetection: { ...detection, mode } };
}

/** `correctDrift` and `ignore` as `driftDetection`. What is set there as well, or Flux cannot do, stays for a check. */
export function withDriftDetection(fields: Layer): Layer {
  const moded = withMode(fields);
  const { ignore } = moded;
  const detection = detectionIn(moded);
  if (ignore === undefined || detection['ignore'] !== undefined) return moded;
  return { ...omit(moded, 'ignore'), driftDetection: { ...detection, ignore } };
}

function conflict(message: string): Violation {
  return { reason: 'FieldConflict', message };
}

function setTwice(path: string, one: string, other: string): Violation {
  return conflict(`${path}.${one} and ${other} say the same thing: remove one of them`);
}

/** The rest, which the functions above left. */
export function suspendIsSetTwice({ path, fields }: Entry): Violation | undefined {
  return fields['paused'] === undefined
    ? undefined
    : setTwice(path, 'paused', 'suspend (of the entry, of config, or of its template)');
}

/** The same for drift detection. */
export function driftIsSetTwice({ path, fields }: Entry): Violation | undefined {
  const { correctDrift, ignore } = fields;
  if (isMap(correctDrift) && correctDrift['force'] === true) {
    const message = `${path}.correctDrift.force: Flux corrects drift by server-side apply and recreates nothing: remove it`;
    return conflict(message);
  }
  if (correctDrift !== undefined) return setTwice(path, 'correctDrift', 'driftDetection.mode');
  return ignore === undefined ? undefined : setTwice(path, 'ignore', 'driftDetection.ignore');
}

/** Fields that a template sets for every entry. */
function layerOf(spec: RevisionSpec): Layer {
  const helm = helmSpecOf(spec);
  if (helm !== undefined) return { ...helm.deploy, values: helm.values };
  return 'path' in spec ? { ...spec.deploy, path: spec.path } : { ...spec.deploy };
}

/** Fields that no entry can set otherwise: files are those of the template. */
function fixedLayerOf(spec: RevisionSpec): Layer {
  return helmSpecOf(spec) === undefined ? { sourceRef: spec.sourceRef } : {};
}

/** The layers of an entry that uses a template, by these names. */
export function layersWithTemplate(
  spec: RevisionSpec,
  entry: object,
  names: { readonly template: string; readonly entry: string },
): EntryLayers {
  return {
    template: [{ origin: names.template, layer: layerOf(spec) }],
    entry: [{ origin: names.entry, layer: omit(entry, 'template') }],
    fixed: [{ origin: names.template, layer: fixedLayerOf(spec) }],
  };
}

/** An entry laid over its template. Merged layers have the form of their top one: a template has fields of an entry only. */
export function mergeTemplate<Entry extends object>(spec: RevisionSpec, entry: Entry): Entry {
  return mergeEntry(layersWithTemplate(spec, entry, { template: 'template', entry: 'entry' })) as Entry;
}

const CHART_PATH = `${CONFIG_PATH}.helmRelease.chart`;
/** The default interval of a chart; engines would use the interval of the release, which may be short. */
const CHART_INTERVAL = '10m';

/** Fields that choose a chart within its source. */
const CHOICES = [
  'version',
  'reconcileStrategy',
  'valuesFiles',
  'ignoreMissingValuesFiles',
  'verify',
  'interval',
] as const;

/** The kinds whose artifacts are charts, as those of an OCIRepository are. */
const CHARTS_THEMSELVES: readonly string[] = kindsFor('chartRefs');

/** The fields of a HelmRelease that say where its chart comes from. */
export function chartFields(application: Application): Layer {
  const stated = helmReleaseOf(application)?.chart;
  const chart: Layer = { ...stated, interval: stated?.interval ?? CHART_INTERVAL };
  const source = sourceReference(application);
  if (source === undefined) return { chart: { spec: chart } };
  if (CHARTS_THEMSELVES.includes(source.kind)) {
    return { chartRef: { kind: source.kind, name: source.name, namespace: source.namespace } };
  }
  return { chart: { spec: { ...chart, sourceRef: source } } };
}

/** Fields of a chart that have no effect, as a warning. */
export function ignoredOfChart(application: Application): string | undefined {
  const source = sourceReference(application);
  const chart = helmReleaseOf(application)?.chart;
  if (source === undefined || !CHARTS_THEMSELVES.includes(source.kind) || chart === undefined) return undefined;
  const given = CHOICES.filter((field) => chart[field] !== undefined).map((field) => `chart.${field}`);
  if (given.length === 0) return undefined;
  return `${listed(given, CHOICES.length)} ignored, ${describeObject(source.kind, source)} is the chart itself`;
}

export const chartAndTemplateAreNotOne: ApplicationCheck = (application) => {
  const release = helmReleaseOf(application);
  if (release === undefined) return undefined;
  const chart = release.chart !== undefined;
  const template = release.template !== undefined;
  if (chart && template) {
    const message = `${CONFIG_PATH}.helmRelease has both chart and template: remove one of them`;
    return { reason: 'ChartAndTemplate', message };
  }
  if (chart || template) return undefined;
  return {
    reason: 'ChartMissing',
    message: `${CONFIG_PATH}.helmRelease has neither chart nor template: set one of them`,
  };
};

export const versionIsNoRange: ApplicationCheck = (application) => {
  const version = helmReleaseOf(application)?.chart?.version;
  const isUsed = sourceOf(application)?.kind === 'HelmRepository';
  if (!isUsed || version === undefined || isVersionRange(version)) return undefined;
  const message = `${CHART_PATH}.version: "${version}" is neither a valid version nor a valid range; use e.g. "1.2.3", "1.x" or ">=1.2 <2"`;
  return { reason: 'InvalidVersion', message };
};

/** The API server would reject every HelmRelease: only a HelmChart has this field. */
export const signersAreNamed: ApplicationCheck = (application) => {
  if (helmReleaseOf(application)?.chart?.verify?.matchOIDCIdentity === undefined) return undefined;
  const message = `${CHART_PATH}.verify.matchOIDCIdentity: a HelmRelease has no field for the signers of its chart; remove it, or use an OCIRepository with spec.verify`;
  return { reason: 'VerifyUnsupported', message };
};

function mapIn(layer: Layer, field: string): Layer {
  const value = layer[field];
  return isMap(value) ? value : {};
}

function textIn(layer: Layer, field: string): string {
  const value = layer[field];
  return typeof value === 'string' ? value : '';
}

function referenceText(reference: unknown): string[] {
  if (!isMap(reference)) return [];
  const path = textIn(reference, 'targetPath');
  const key = textIn(reference, 'valuesKey') || 'values.yaml';
  const place = path === '' ? '' : ` at ${path}`;
  return [`${key} of ${textIn(reference, 'kind')} ${textIn(reference, 'name')} (valuesFrom)${place}`];
}

/** Sources of values that lie below those of a release and outside of the Application: files, ConfigMaps and Secrets. */
export function unreadValues(application: Application, { fields }: Entry): string[] {
  const spec = mapIn(mapIn(chartFields(application), 'chart'), 'spec');
  const chart = textIn(spec, 'chart') || `${sourceOf(application)?.kind ?? ''} ${sourceOf(application)?.name ?? ''}`;
  const files = Array.isArray(spec['valuesFiles']) ? spec['valuesFiles'].map(String) : [];
  const names = files.length === 0 ? ['values.yaml'] : files;
  const references: unknown[] = Array.isArray(fields['valuesFrom']) ? fields['valuesFrom'] : [];
  return [...names.map((file) => `${file} of chart ${chart}`), ...references.flatMap(referenceText)];
}
