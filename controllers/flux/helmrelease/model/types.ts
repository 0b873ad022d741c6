import type { HelmRelease as ApiHelmRelease, HelmReleaseSpec } from '../../../../api/flux/helm-release.js';
import type { ReleaseStatusFields } from './status.js';

export type { HelmChart } from '../../../../api/flux/helm-chart.js';
export type { HelmReleaseSpec } from '../../../../api/flux/helm-release.js';

/** The fields that install, upgrade and rollback have in common. */
export type ActionFields = Pick<
  NonNullable<HelmReleaseSpec['install']>,
  'timeout' | 'disableHooks' | 'disableWait' | 'disableWaitForJobs'
>;

/** A HelmRelease whose status this engine writes, and therefore knows. */
export interface HelmRelease extends Omit<ApiHelmRelease, 'status'> {
  status?: ReleaseStatusFields;
}
