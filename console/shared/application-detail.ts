import omit from 'lodash/omit.js';
import pick from 'lodash/pick.js';
import type { Condition } from '#api/meta.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { templatesInUse, type TemplateInUse } from '#api/v1alpha1/template.js';
import type { ApplicationView } from '#queries/views/application-view.js';
import { pendingViews, type PendingView } from '#queries/views/pending-view.js';
import { defined } from '#lib/plain.js';
import { cachedView } from './application-query.js';

/** One Application in a list. */
export type ApplicationItem = Omit<ApplicationView, 'destinations'> & {
  readonly uid: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly labels: Readonly<Record<string, string>>;
};

/** Removals that wait for an approval. */
export type HeldRemovals = Pick<
  NonNullable<ApplicationStatus['removals']>,
  'held' | 'heldSince' | 'clusters' | 'truncated'
>;

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
    /** Those that wait for an approval; absent if none do. */
    readonly removals?: HeldRemovals;
    /** Templates that it is made from, as its status says. */
    readonly templates: readonly TemplateInUse[];
    readonly history?: ApplicationStatus['history'];
    readonly rollout?: ApplicationStatus['rollout'];
  };

/** What the user may do, in the words of RBAC. */
export interface May {
  readonly patch: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  /** The revisions of Applications of the namespace. */
  readonly listRevisions: boolean;
}

/** One Application, as one of its readers has it. */
export type ReadApplication = ApplicationDetail & {
  readonly may: May;
  /** That its spec names, or that is made of `source.inline`; absent if it names none, or a template provides it. */
  readonly source?: { readonly kind: string; readonly namespace: string; readonly name: string };
};

export function itemOf(application: Application): ApplicationItem {
  const { uid = '', creationTimestamp: createdAt = '', labels = {} } = application.metadata;
  return { ...omit(cachedView(application), 'destinations'), uid, createdAt, labels };
}

export function detailOf(application: Application): ApplicationDetail {
  const { metadata, spec, status = {} } = application;
  const { pending, more: morePending } = pendingViews([application]);
  const view = cachedView(application);
  const removals =
    view.approval === '' ? undefined : pick(status.removals, ['held', 'heldSince', 'clusters', 'truncated']);
  const { resourceVersion = '', annotations = {} } = metadata;
  return {
    ...itemOf(application),
    ...{ resourceVersion, annotations, spec, pending, morePending },
    destinations: view.destinations,
    ...{ conditions: status.conditions ?? [], templates: templatesInUse(status) },
    ...defined({ history: status.history, removals, rollout: status.rollout }),
  };
}
