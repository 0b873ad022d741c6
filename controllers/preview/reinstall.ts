import type { HelmRelease } from '#api/flux/helm-release.js';
import { backendOf } from '../application/model/backends/index.js';
import { moves } from '../application/model/moves.js';
import type { Child } from '../application/model/types.js';
import { reasonToMove } from '../flux/helmrelease/model/target.js';

/** A chart of a HelmRepository is called so; of others, it is the last part of a path. */
function chartName({ spec }: HelmRelease): string | undefined {
  return spec.chart?.spec.chart.split('/').findLast((part) => part !== '');
}

/** The name of the chart that is wanted, as far as the spec tells; else that of the chart that is installed. */
function wantedChart(before: HelmRelease, after: HelmRelease): string {
  const installed = before.status?.history?.[0]?.chartName ?? '';
  const wanted = chartName(after);
  if (wanted === undefined) return installed;
  const isNamed = after.spec.chart?.spec.sourceRef.kind === 'HelmRepository';
  return isNamed || wanted !== chartName(before) ? wanted : installed;
}

/** The rule of the engine, for the release that it installed last. */
function isOtherRelease(live: Child, object: Child): boolean {
  if (live.kind !== 'HelmRelease') return false;
  // Of this kind, by their schemas.
  const before = live as unknown as HelmRelease;
  const after = { ...object, status: live.status } as unknown as HelmRelease;
  return reasonToMove(after, wantedChart(before, after)) !== undefined;
}

/**
 * True if what a child deployed would be uninstalled, since what it deploys then has another name, namespace or chart.
 * A chart whose name only its files tell is taken for the same one.
 */
export function isReinstalled(live: Child, object: Child): boolean {
  const isRemoved = moves(live, object) && backendOf(object).removesWhatMoved(object);
  return isRemoved || isOtherRelease(live, object);
}
