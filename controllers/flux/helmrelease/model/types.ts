import type { HelmReleaseSpec } from '#api/flux/helm-release.js';

export type { HelmChart } from '#api/flux/helm-chart.js';
export type { HelmRelease, HelmReleaseSpec } from '#api/flux/helm-release.js';

/** The fields that install, upgrade and rollback have in common. */
export type ActionFields = Pick<
  NonNullable<HelmReleaseSpec['install']>,
  'timeout' | 'disableHooks' | 'disableWait' | 'disableWaitForJobs'
>;
