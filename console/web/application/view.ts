import type { ReadApplication } from '../../shared/application-detail.js';

/** What each view of an Application gets. */
export interface ViewProps {
  readonly detail: ReadApplication;
  /** Of its API. */
  readonly path: string;
}

/** What a dialog about an Application gets. */
export interface ActionProps extends ViewProps {
  readonly close: () => void;
}
