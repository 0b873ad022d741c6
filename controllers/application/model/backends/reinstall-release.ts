import isEqual from 'lodash/isEqual.js';
import type { HelmRelease } from '#api/flux/helm-release.js';
import {
  currentTarget,
  desiredTarget,
  reasonToMove,
  targetChange,
} from '#controllers/flux/helmrelease/model/target.js';
import type { Child } from '../types.js';
import type { Reinstallation } from './types.js';

/** The segments of a chart's path. For a HelmRepository, the only segment is the chart's name. */
function partsOf({ spec }: HelmRelease): string[] {
  return spec.chart?.spec.chart.split('/').filter((part) => part !== '' && part !== '.') ?? [];
}

/** True for the same path, or one that ends in the chart's name and a version. */
function isSamePath(before: HelmRelease, after: HelmRelease, chart: string): boolean {
  const parts = partsOf(after);
  return isEqual(partsOf(before), parts) || (parts.at(-2) === chart && /^v?\d/.test(parts.at(-1) ?? ''));
}

/**
 * The desired chart name, as far as the spec shows it. Outside a HelmRepository, the last segment of the path may be a
 * version or any folder. If it was not the chart's name before, the installed name is kept in two cases: the path is
 * unchanged, or ends in that name and a version. The source tells nothing: those of Fairlead have a new name for each
 * version or digest.
 */
function wantedChart(before: HelmRelease, after: HelmRelease, installed: string): string {
  const wanted = partsOf(after).at(-1);
  if (wanted === undefined) return installed;
  const isNamed = after.spec.chart?.spec.sourceRef.kind === 'HelmRepository';
  if (isNamed || partsOf(before).at(-1) === installed) return wanted;
  return isSamePath(before, after, installed) ? installed : wanted;
}

/**
 * The reinstallation that applying `object` would cause. Applies the engine's rule to the release that was installed
 * last. If no release is known yet, it compares the two specs.
 */
export function reinstallationOfRelease(live: Child, object: Child): Reinstallation | undefined {
  // The schemas of both objects ensure that they are HelmReleases.
  const before = live as unknown as HelmRelease;
  const after = { ...object, status: live.status } as unknown as HelmRelease;
  const installed = before.status?.history?.[0]?.chartName;
  const chart = wantedChart(before, after, installed ?? '');
  const target = desiredTarget(after);
  const isInstalled = currentTarget(before) !== undefined;
  const why = isInstalled ? reasonToMove(after, chart) : targetChange(desiredTarget(before), target);
  if (why === undefined) return undefined;
  const isOtherChart = isInstalled && installed !== chart;
  return {
    why,
    to: JSON.stringify([target.releaseName, target.namespace, target.storageNamespace, chart]),
    isOtherChart,
  };
}
