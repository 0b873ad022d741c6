import type { ApplicationDetail } from '#console/server/model/application-detail.js';

/** What each view of an Application gets. */
export interface ViewProps {
  readonly detail: ApplicationDetail;
  /** Of its API. */
  readonly path: string;
}
