import type { Application } from '#api/v1alpha1/application.js';
import { listed } from '#controllers/runtime/pure/listed.js';
import { describeObject } from '#controllers/runtime/pure/urls.js';
import { isVersionRange } from '#controllers/runtime/pure/version-range.js';
import { helmReleaseOf, sourceOf, sourceReference } from '../flux-spec.js';
import type { Layer } from '../layers.js';
import { CONFIG_PATH } from './flux-checks.js';
import type { ApplicationCheck } from '../verdicts.js';

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

/** The fields of a HelmRelease that say where its chart comes from. */
export function chartFields(application: Application): Layer {
  const stated = helmReleaseOf(application)?.chart;
  const chart: Layer = { ...stated, interval: stated?.interval ?? CHART_INTERVAL };
  const source = sourceReference(application);
  if (source === undefined) return { chart: { spec: chart } };
  // An OCI artifact is the chart itself.
  if (source.kind === 'OCIRepository') {
    return { chartRef: { kind: source.kind, name: source.name, namespace: source.namespace } };
  }
  return { chart: { spec: { ...chart, sourceRef: source } } };
}

/** Fields of a chart that have no effect, as a warning. */
export function ignoredOfChart(application: Application): string | undefined {
  const source = sourceReference(application);
  const chart = helmReleaseOf(application)?.chart;
  if (source?.kind !== 'OCIRepository' || chart === undefined) return undefined;
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
