import omit from 'lodash/omit.js';
import type { Condition } from '#api/meta.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { ApplicationView } from '#controllers/read-model/application-view.js';
import { pendingViews, type PendingView } from '#controllers/read-model/pending-view.js';
import { defined } from '#controllers/runtime/pure/defined.js';
import { cachedView } from './application-query.js';

/** One Application in a list. */
export type ApplicationItem = Omit<ApplicationView, 'destinations'> & {
  readonly uid: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
};

/** One Application with everything that the server knows of it. */
export type ApplicationDetail = ApplicationItem &
  Pick<ApplicationView, 'destinations'> & {
    /** To be sent with a change, so that nobody's is lost. */
    readonly resourceVersion: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly spec: Application['spec'];
    readonly conditions: readonly Condition[];
    /** Destinations that wait. */
    readonly pending: readonly PendingView[];
    /** How many more wait. */
    readonly morePending: number;
    readonly history?: ApplicationStatus['history'];
    readonly rollout?: ApplicationStatus['rollout'];
  };

export function itemOf(application: Application): ApplicationItem {
  const { uid = '', creationTimestamp: createdAt = '', labels = {} } = application.metadata;
  return { ...omit(cachedView(application), 'destinations'), uid, createdAt, labels };
}

export function detailOf(application: Application): ApplicationDetail {
  const { metadata, spec, status = {} } = application;
  const { pending, more: morePending } = pendingViews([application]);
  const { resourceVersion = '', annotations = {} } = metadata;
  return {
    ...itemOf(application),
    ...{ resourceVersion, annotations, spec, pending, morePending },
    destinations: cachedView(application).destinations,
    conditions: status.conditions ?? [],
    ...defined({ history: status.history, rollout: status.rollout }),
  };
}
