import type { HelmRelease } from '#api/flux/helm-release.js';
import {
  currentTarget,
  desiredTarget,
  reasonToMove,
  targetChange,
} from '#controllers/flux/helmrelease/model/target.js';
import type { Child } from '../types.js';
import type { Reinstallation } from './types.js';

/** A chart of a HelmRepository is called so; of others, it is the last part of a path. */
function chartName({ spec }: HelmRelease): string | undefined {
  return spec.chart?.spec.chart.split('/').findLast((part) => part !== '');
}

/**
 * The name of the chart that is wanted, as far as the spec tells; else that of the chart that is installed. A path is
 * only believed if it told the truth before: its last part may be a version.
 */
function wantedChart(before: HelmRelease, after: HelmRelease): string {
  const installed = before.status?.history?.[0]?.chartName ?? '';
  const wanted = chartName(after);
  if (wanted === undefined) return installed;
  const isNamed = after.spec.chart?.spec.sourceRef.kind === 'HelmRepository';
  return isNamed || chartName(before) === installed ? wanted : installed;
}

/**
 * What uninstalls the release of a child if `object` is applied: the rule of the engine, for the release that it installed
 * last; as long as none is known, for that of the spec. A chart whose name only its files tell is taken for the same one.
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
