import type { HelmChart } from '#api/flux/helm-chart.js';
import type { ExternalArtifact } from '#api/flux/external-artifact.js';
import type { OCIRepository } from '#api/flux/oci-repository.js';
import type { HelmReleaseSpec } from '#api/flux/helm-release.js';

export type { HelmChart } from '#api/flux/helm-chart.js';
export type { HelmRelease, HelmReleaseSpec } from '#api/flux/helm-release.js';

/** The fields that install, upgrade and rollback have in common. */
export type ActionFields = Pick<
  NonNullable<HelmReleaseSpec['install']>,
  'timeout' | 'disableHooks' | 'disableWait' | 'disableWaitForJobs'
>;

/** What the chart of a release is read from. */
export type ChartSource = HelmChart | OCIRepository | ExternalArtifact;

/** A chart that is fetched without being written; `dispose` removes what was fetched. */
export interface FetchedChart {
  readonly source: ChartSource;
  readonly dispose: () => Promise<void>;
}

/** Fetches the chart that a HelmChart would have if it existed. Throws what fetching throws. */
export type FetchChart = (desired: HelmChart, signal: AbortSignal) => Promise<FetchedChart>;
