import { type HelmRelease, shortenReleaseName } from '#api/flux/helm-release.js';
import type { Snapshot } from '#api/flux/snapshot.js';

/** The release name of a HelmRelease: `releaseName`, else `[<targetNamespace>-]<name>`. */
export function releaseNameOf(release: {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly releaseName?: string | undefined; readonly targetNamespace?: string | undefined };
}): string {
  const { releaseName, targetNamespace } = release.spec;
  if (releaseName !== undefined && releaseName !== '') return shortenReleaseName(releaseName);
  const prefix = targetNamespace === undefined || targetNamespace === '' ? '' : `${targetNamespace}-`;
  return shortenReleaseName(prefix + release.metadata.name);
}

/** Where a release is installed; constant for its lifetime. */
export interface ReleaseTarget {
  readonly releaseName: string;
  /** The namespace of namespaced objects that name none. */
  readonly namespace: string;
  readonly storageNamespace: string;
}

/** The target in the spec. */
export function desiredTarget(release: HelmRelease): ReleaseTarget {
  const own = release.metadata.namespace ?? '';
  return {
    releaseName: releaseNameOf(release),
    namespace: release.spec.targetNamespace ?? own,
    storageNamespace: release.spec.storageNamespace ?? own,
  };
}

/** The target of the installed release; undefined without one. */
export function currentTarget(release: HelmRelease): ReleaseTarget | undefined {
  const latest: Snapshot | undefined = release.status?.history?.[0];
  if (latest === undefined) return undefined;
  return {
    releaseName: latest.name,
    namespace: latest.namespace,
    storageNamespace: release.status?.storageNamespace ?? release.metadata.namespace ?? '',
  };
}

/** What moved, for the message; undefined when nothing did. */
export function targetChange(current: ReleaseTarget | undefined, desired: ReleaseTarget): string | undefined {
  if (current === undefined) return undefined;
  if (current.releaseName !== desired.releaseName) {
    return `release name ${current.releaseName} -> ${desired.releaseName}`;
  }
  if (current.namespace !== desired.namespace) return `target namespace ${current.namespace} -> ${desired.namespace}`;
  if (current.storageNamespace === desired.storageNamespace) return undefined;
  return `storage namespace ${current.storageNamespace} -> ${desired.storageNamespace}`;
}

/** The target and chart of a release as it is installed. */
interface Installed {
  readonly target: ReleaseTarget | undefined;
  readonly chartName: string | undefined;
}

/** Why `before` cannot become the desired release by an upgrade; undefined when it can. */
export function reasonToReplace(release: HelmRelease, before: Installed, chartName: string): string | undefined {
  const moved = targetChange(before.target, desiredTarget(release));
  if (moved !== undefined || release.spec.upgrade?.chartNameChangeStrategy === 'InPlaceUpdate') return moved;
  const isSame = before.chartName === undefined || before.chartName === chartName;
  return isSame ? undefined : `chart name ${before.chartName} -> ${chartName}`;
}

/** Why the installed release must be uninstalled before the desired one is installed; undefined when it may stay. */
export function reasonToMove(release: HelmRelease, chartName: string): string | undefined {
  const before = release.status?.history?.[0]?.chartName;
  return reasonToReplace(release, { target: currentTarget(release), chartName: before }, chartName);
}

/**
 * True if the spec says what becomes of a release whose chart has another name, or was edited to name this chart. Only
 * with a HelmRepository does a spec name a chart: in other sources, the files do.
 */
function asksForChart({ metadata, spec, status }: HelmRelease, chartName: string): boolean {
  if (spec.upgrade?.chartNameChangeStrategy !== undefined) return true;
  const named = spec.chart?.spec;
  if (named?.sourceRef.kind !== 'HelmRepository' || named.chart !== chartName) return false;
  return status?.lastAttemptedGeneration !== metadata.generation;
}

/** Reason of a HelmRelease whose chart has another name, which nobody asked for. */
export const CHART_RENAMED = 'ChartRenamed';

/**
 * Why a release would be uninstalled although nobody asked for that: only the files of its chart say another name.
 * With the ways out; undefined: it would not be.
 */
export function unaskedReplacement(release: HelmRelease, chartName: string): string | undefined {
  const target = currentTarget(release);
  const [latest] = release.status?.history ?? [];
  if (target === undefined || latest === undefined || latest.status === 'uninstalled') return undefined;
  if (targetChange(target, desiredTarget(release)) !== undefined) return undefined;
  if (reasonToMove(release, chartName) === undefined || asksForChart(release, chartName)) return undefined;
  return (
    `the chart is named ${chartName} now, and that of release ${target.namespace}/${target.releaseName} ` +
    `${latest.chartName}: nothing was changed, because the release would be uninstalled first. Set ` +
    'upgrade.chartNameChangeStrategy: InPlaceUpdate to upgrade it, or Reinstall to uninstall it with its data'
  );
}
