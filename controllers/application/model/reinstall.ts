import type { HelmRelease } from '#api/flux/helm-release.js';
import {
  currentTarget,
  desiredTarget,
  reasonToMove,
  targetChange,
} from '#controllers/flux/helmrelease/model/target.js';
import { backendOf } from './backends/index.js';
import { moves } from './moves.js';
import type { Child } from './types.js';

/** A change of a child that its engine carries out by an uninstall, or a prune, of what the child deployed. */
export interface Reinstallation {
  /** Names what changes, e.g. `target namespace a -> b`. */
  readonly why: string;
  /** Equal for changes to the same release with the same chart, or to the same namespace of files. */
  readonly to: string;
  /** True if the chart has another name, whatever else changes. */
  readonly isOtherChart: boolean;
}

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

/** The rule of the engine, for the release that it installed last; as long as none is known, for that of the spec. */
function ofRelease(live: Child, object: Child): Reinstallation | undefined {
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

function namespaceText({ spec }: Child): string {
  return spec.targetNamespace ?? 'as in the files';
}

/**
 * What uninstalls the release of a child if `object` is applied; undefined: nothing does. A chart whose name only its
 * files tell is taken for the same one.
 */
export function reinstallationOf(live: Child, object: Child): Reinstallation | undefined {
  if (live.kind === 'HelmRelease') return ofRelease(live, object);
  if (!moves(live, object) || !backendOf(object).removesWhatMoved(object)) return undefined;
  const why = `target namespace ${namespaceText(live)} -> ${namespaceText(object)}`;
  return { why, to: object.spec.targetNamespace ?? '', isOtherChart: false };
}

/** The same, unless the spec of the child asks for it already: its engine is about to do it, or has begun. */
export function newReinstallationOf(live: Child, object: Child): Reinstallation | undefined {
  const found = reinstallationOf(live, object);
  return found !== undefined && reinstallationOf(live, live)?.to === found.to ? undefined : found;
}
