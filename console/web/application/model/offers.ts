import type { Application } from '#api/v1alpha1/application.js';
import { defined } from '#lib/plain.js';
import { abandonedNames, isSaver } from '#api/v1alpha1/labels.js';
import { abandonRequest, stuckClusters } from '#queries/views/abandon-request.js';
import { replacedClusters } from '#queries/views/accept-cluster.js';
import { approveRemovalsRequest } from '#queries/views/removals-request.js';
import type { Requested } from '#queries/views/rollout-request.js';
import { resumeRequest, suspendRequest } from '#queries/views/suspend-request.js';
import { syncRequest } from '#queries/views/sync-request.js';
import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import type { ApplicationDetail, ReadApplication } from '../../../shared/application-detail.js';

/** The Application of an answer, as far as what can be asked of it depends on it. */
export function applicationOf(detail: ApplicationDetail): Application {
  const { namespace, name, uid, resourceVersion, annotations, labels, spec } = detail;
  const { kind, history, rollout, approval, removals } = detail;
  const destinations = detail.destinations.map((each) => ({
    name: each.name,
    state: each.state,
    cluster: each.cluster,
  }));
  const held = approval === '' ? undefined : { ...removals, approval };
  const status = { ...defined({ history, rollout, removals: held }), kind, destinations };
  return {
    ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', spec },
    metadata: { namespace, name, uid, resourceVersion, annotations, labels },
    // A state, as the server said it.
    status: status as Application['status'],
  } as Application;
}

/** Something that a user can ask for, or why he cannot. */
export interface Offer {
  /** Path of the action below that of the Application; `delete` is no path. */
  readonly action:
    | 'sync'
    | 'suspend'
    | 'resume'
    | 'approve-removals'
    | 'accept-cluster-uid'
    | 'abandon'
    | 'abandon/end'
    | 'save-template'
    | 'save-template/release'
    | 'delete';
  readonly label: string;
  /** Empty: it can be asked for. */
  readonly refused: string;
}

const NO_PATCH = 'You may not do this: it needs `patch` of applications.';
const NO_DELETE = 'You may not do this: it needs `delete` of applications.';

/** As a sentence. */
function sentence(text: string): string {
  return text === '' ? '' : `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Why an action cannot be asked for; empty if it can. What the server says then counts. */
export function refusalOf({ may }: Pick<ReadApplication, 'may'>, requested: Requested): string {
  if (!may.patch) return NO_PATCH;
  return 'refused' in requested ? sentence(requested.refused) : '';
}

/** What can be asked of an Application as a whole. */
export function offersOf(detail: ReadApplication): Offer[] {
  const application = applicationOf(detail);
  const isSuspended = application.spec.fluxApp?.spec.config.suspend === true;
  const suspend = suspendRequest(application);
  const refusedPatch = detail.may.patch ? '' : NO_PATCH;
  const removals = approveRemovalsRequest(application, detail.approval);
  return [
    { action: 'sync', label: 'Sync', refused: refusalOf(detail, syncRequest({ application, at: '' })) },
    isSuspended
      ? { action: 'resume', label: 'Resume', refused: refusalOf(detail, resumeRequest(application)) }
      : { action: 'suspend', label: 'Suspend', refused: refusalOf(detail, suspend) },
    ...(detail.approval === ''
      ? []
      : ([{ action: 'approve-removals', label: 'Approve removals', refused: refusalOf(detail, removals) }] as const)),
    ...acceptOffers(detail),
    ...clusterOffers(detail, application),
    // What it would be saved as, and whether it can be, the server says.
    TEMPLATE_KINDS.some((kind) => isSaver(application, kind))
      ? { action: 'save-template/release', label: 'Stop saving as a template', refused: refusedPatch }
      : { action: 'save-template', label: 'Save as a template', refused: refusedPatch },
    { action: 'delete', label: 'Delete', refused: deletionRefusal(detail) },
  ];
}

/** Who may do it is asked of the object of the cluster, and told in the dialog, which also says how others can. */
function acceptOffers({ destinations }: ReadApplication): Offer[] {
  if (replacedClusters(destinations).length === 0) return [];
  return [{ action: 'accept-cluster-uid', label: 'Accept a replaced cluster', refused: '' }];
}

/** Only where there is a cluster to give up, or one that was. */
function clusterOffers(detail: ReadApplication, application: Application): Offer[] {
  const refused = detail.may.patch ? '' : NO_PATCH;
  const abandoned = abandonedNames(application);
  const isLeft = stuckClusters(application).some((cluster) => !('refused' in abandonRequest(application, cluster)));
  return [
    ...(isLeft ? ([{ action: 'abandon', label: 'Abandon a cluster', refused }] as const) : []),
    ...(abandoned.length > 0 ? ([{ action: 'abandon/end', label: 'End abandoning', refused }] as const) : []),
  ];
}

function deletionRefusal({ may, state }: ReadApplication): string {
  if (!may.delete) return NO_DELETE;
  return state === 'Deleting' ? 'It is being deleted already.' : '';
}
