import { sentence } from '../../change/model/change.js';
import type { Application } from '#api/v1alpha1/application.js';
import { defined } from '#lib/plain.js';
import { abandonedNames, isSaver } from '#api/v1alpha1/labels.js';
import {
  abandonRequest,
  stuckClusters,
  approveRemovalsRequest,
  resumeRequest,
  suspendRequest,
  syncRequest,
} from '#queries/views/requests.js';
import { replacedClusters } from '#queries/views/accept-cluster.js';
import type { Requested } from '#queries/views/rollout-requests.js';
import { TEMPLATE_KINDS } from '#api/v1alpha1/template.js';
import type { ApplicationDetail, ReadApplication } from '#queries/answers/application.js';

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

/** Why an action cannot be asked for; empty if it can. What the server says then counts. */
export function refusalOf({ may }: Pick<ReadApplication, 'may'>, requested: Requested): string {
  if (!may.patch) return NO_PATCH;
  return 'problem' in requested ? sentence(requested.problem) : '';
}

/** The actions on an Application as a whole. */
export function offersOf(detail: ReadApplication): Offer[] {
  const application = applicationOf(detail);
  const { approval, destinations, may } = detail;
  const offer = (action: Offer['action'], label: string, refused = may.patch ? '' : NO_PATCH): Offer => {
    return { action, label, refused };
  };
  const isSuspended = application.spec.fluxApp?.spec.config.suspend === true;
  const canAbandon = stuckClusters(application).some((name) => !('problem' in abandonRequest(application, name)));
  const isSaved = TEMPLATE_KINDS.some((kind) => isSaver(application, kind));
  const removals = approveRemovalsRequest(application, approval);
  return [
    offer('sync', 'Sync', refusalOf(detail, syncRequest({ application, at: '' }))),
    isSuspended
      ? offer('resume', 'Resume', refusalOf(detail, resumeRequest(application)))
      : offer('suspend', 'Suspend', refusalOf(detail, suspendRequest(application))),
    ...(approval === '' ? [] : [offer('approve-removals', 'Approve removals', refusalOf(detail, removals))]),
    // The rights on the cluster's object decide; the dialog asks for them, and says how others can do it.
    ...(replacedClusters(destinations).length === 0
      ? []
      : [offer('accept-cluster-uid', 'Accept a replaced cluster', '')]),
    // Only where there is a cluster to give up, or one that was.
    ...(canAbandon ? [offer('abandon', 'Abandon a cluster')] : []),
    ...(abandonedNames(application).length > 0 ? [offer('abandon/end', 'End abandoning')] : []),
    // The server says under which name it would be saved, and whether it can be.
    isSaved
      ? offer('save-template/release', 'Stop saving as a template')
      : offer('save-template', 'Save as a template'),
    offer('delete', 'Delete', deletionRefusal(detail)),
  ];
}

function deletionRefusal({ may, state }: ReadApplication): string {
  if (!may.delete) return NO_DELETE;
  return state === 'Deleting' ? 'It is being deleted already.' : '';
}
