import type { HelmRelease } from '#api/flux/helm-release.js';
import {
  currentTarget,
  desiredTarget,
  reasonToMove,
  targetChange,
} from '#controllers/flux/helmrelease/model/target.js';
import type { Child } from '../types.js';
import type { Reinstallation } from './types.js';

/** The parts of the path of a chart: of a HelmRepository, its name. */
function partsOf({ spec }: HelmRelease): string[] {
  return spec.chart?.spec.chart.split('/').filter((part) => part !== '' && part !== '.') ?? [];
}

/** Where a chart is, whatever its version. */
function placeOf(release: HelmRelease): string {
  const { kind, namespace, name } = release.spec.chart?.spec.sourceRef ?? {};
  return JSON.stringify([kind, namespace, name, partsOf(release)]);
}

/**
 * The name of the chart that is wanted, as far as the spec tells. The last part of a path may be a version, or any folder:
 * if it did not tell the name before, it is the same chart where it was, and where a part of the path has its name.
 */
function wantedChart(before: HelmRelease, after: HelmRelease): string {
  const installed = before.status?.history?.[0]?.chartName ?? '';
  const parts = partsOf(after);
  const wanted = parts.at(-1);
  if (wanted === undefined) return installed;
  const isNamed = after.spec.chart?.spec.sourceRef.kind === 'HelmRepository';
  if (isNamed || partsOf(before).at(-1) === installed) return wanted;
  return placeOf(before) === placeOf(after) || parts.includes(installed) ? installed : wanted;
}

/**
 * What uninstalls the release of a child if `object` is applied: the rule of the engine, for the release that it installed
 * last; as long as none is known, for that of the spec.
 */
export function reinstallationOfRelease(live: Child, object: Child): Reinstallation | undefined {
  // Of this kind, by their schemas.
  const before = live as unknown as HelmRelease;
  const after = { ...object, status: live.status } as unknown as HelmRelease;
  const chart = wantedChart(before, after);
  const target = desiredTarget(after);
  const isInstalled = currentTarget(before) !== undefined;
  const why = isInstalled ? reasonToMove(after, chart) : targetChange(desiredTarget(before), target);
  if (why === undefined) return undefined;
  const isOtherChart = isInstalled && before.status?.history?.[0]?.chartName !== chart;
  return {
    why,
    to: JSON.stringify([target.releaseName, target.namespace, target.storageNamespace, chart]),
    isOtherChart,
  };
}
