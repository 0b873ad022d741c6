import { conditionOf, fieldsOf, health, listOf, numberOf, textOf, type View, type Health } from './fields.js';

function current(message: string): Health {
  return health('Current', message);
}

function waiting(message: string): Health {
  return health('InProgress', message);
}

/** The first count that is too low, as a message; undefined if none is. */
function shortage(rows: readonly (readonly [label: string, have: number, want: number])[]): string | undefined {
  const row = rows.find(([, have, want]) => have < want);
  return row === undefined ? undefined : `${row[0]}: ${row[1]}/${row[2]}`;
}

/** A Deployment without a deadline: its controller does not report progress. */
const NO_DEADLINE = 2_147_483_647;

function isRolledOut(view: View): boolean {
  if (numberOf(view.spec, 'progressDeadlineSeconds', NO_DEADLINE) === NO_DEADLINE) return true;
  const { status, reason } = conditionOf(view, 'Progressing');
  return status === 'True' && reason === 'NewReplicaSetAvailable';
}

function deploymentShortage({ spec, status }: View): string | undefined {
  const want = numberOf(spec, 'replicas', 1);
  const have = numberOf(status, 'replicas');
  const updated = numberOf(status, 'updatedReplicas');
  const short = shortage([
    ['Replicas', have, want],
    ['Updated', updated, want],
  ]);
  if (short !== undefined) return short;
  if (have > want) return `Pending termination: ${have - want}`;
  return shortage([
    ['Available', numberOf(status, 'availableReplicas'), updated],
    ['Ready', numberOf(status, 'readyReplicas'), want],
  ]);
}

/** A Deployment is current when its newest ReplicaSet has all replicas, and they are available. */
export function deploymentHealth(view: View): Health {
  const isLate = conditionOf(view, 'Progressing').reason === 'ProgressDeadlineExceeded';
  if (isLate) return health('Failed', 'Progress deadline exceeded');
  const short = deploymentShortage(view);
  if (short !== undefined) return waiting(short);
  if (!isRolledOut(view)) return waiting('ReplicaSet not Available');
  if (conditionOf(view, 'Available').status !== 'True') return waiting('Deployment not Available');
  return current(`Deployment is available. Replicas: ${numberOf(view.status, 'replicas')}`);
}

/** A ReplicaSet is current when it has exactly the desired replicas, all of them available. */
export function replicaSetHealth(view: View): Health {
  const { spec, status } = view;
  const want = numberOf(spec, 'replicas', 1);
  const failure = conditionOf(view, 'ReplicaFailure');
  if (failure.status === 'True') return waiting(`Replica failure: ${failure.message}`);
  const have = numberOf(status, 'replicas');
  const short = shortage([
    ['Labelled', numberOf(status, 'fullyLabeledReplicas'), want],
    ['Available', numberOf(status, 'availableReplicas'), want],
    ['Ready', numberOf(status, 'readyReplicas'), want],
  ]);
  if (short !== undefined) return waiting(short);
  return have > want
    ? waiting(`Pending termination: ${have - want}`)
    : current(`ReplicaSet is available. Replicas: ${want}`);
}

function rolloutHealth({ spec, status }: View, want: number): Health {
  const { partition } = fieldsOf(fieldsOf(spec, 'updateStrategy'), 'rollingUpdate');
  if (typeof partition === 'number') {
    const short = shortage([['Partition updated', numberOf(status, 'updatedReplicas'), want - partition]]);
    if (short !== undefined) return waiting(short);
    return current(`Partition rollout complete. Updated: ${numberOf(status, 'updatedReplicas')}`);
  }
  const short = shortage([['Current', numberOf(status, 'currentReplicas'), want]]);
  if (short !== undefined) return waiting(short);
  return textOf(status, 'currentRevision') === textOf(status, 'updateRevision')
    ? current(`All replicas scheduled as expected. Replicas: ${want}`)
    : waiting('Waiting for updated revision to match current');
}

/** A StatefulSet is current when its replicas are ready and of the newest revision, as far as its partition goes. */
export function statefulSetHealth(view: View): Health {
  const { spec, status } = view;
  // The user decides when pods are replaced: there is nothing to wait for.
  const isManual = textOf(fieldsOf(spec, 'updateStrategy'), 'type') === 'OnDelete';
  if (isManual) return current('StatefulSet is using the OnDelete update strategy');
  const want = numberOf(spec, 'replicas', 1);
  const have = numberOf(status, 'replicas');
  const short = shortage([
    ['Replicas', have, want],
    ['Ready', numberOf(status, 'readyReplicas'), want],
  ]);
  if (short !== undefined) return waiting(short);
  if (have > want) return waiting(`Pending termination: ${have - want}`);
  return rolloutHealth(view, want);
}

/** A DaemonSet is current when every node that it targets has an up-to-date pod that is ready. */
export function daemonSetHealth({ object, status }: View): Health {
  // Before its controller has observed it, zero of zero would look complete.
  if (object.metadata.generation === undefined) return waiting('Missing .metadata.generation');
  const missing = ['observedGeneration', 'desiredNumberScheduled'].find((name) => status[name] === undefined);
  if (missing !== undefined) return waiting(`Missing .status.${missing}`);
  const want = numberOf(status, 'desiredNumberScheduled');
  const short = shortage([
    ['Current', numberOf(status, 'currentNumberScheduled'), want],
    ['Updated', numberOf(status, 'updatedNumberScheduled'), want],
    ['Available', numberOf(status, 'numberAvailable'), want],
    ['Ready', numberOf(status, 'numberReady'), want],
  ]);
  return short === undefined ? current(`All replicas scheduled as expected. Replicas: ${want}`) : waiting(short);
}

function crashLoop({ status }: View): string {
  const crashing = listOf(status, 'containerStatuses').filter(
    (container) => textOf(fieldsOf(fieldsOf(container, 'state'), 'waiting'), 'reason') === 'CrashLoopBackOff',
  );
  return crashing.map((container) => textOf(container, 'name')).join(',');
}

function runningPodHealth(view: View): Health {
  if (conditionOf(view, 'Ready').status === 'True') return current('Pod is Ready');
  const crashing = crashLoop(view);
  if (crashing !== '') return health('Failed', `Containers in CrashLoop state: ${crashing}`);
  return waiting('Pod is running but is not Ready');
}

function pendingPodHealth(view: View): Health {
  const { status, reason, message } = conditionOf(view, 'PodScheduled');
  // The cluster may still add a node for it: the caller's timeout decides, not this rule.
  if (status === 'False' && reason === 'Unschedulable') return waiting(`Pod could not be scheduled: ${message}`);
  return waiting('Pod is in the Pending phase');
}

/** A Pod is current when it is ready or has completed, and has failed when a container is in a crash loop. */
export function podHealth(view: View): Health {
  const phase = textOf(view.status, 'phase');
  switch (phase) {
    case '':
      return waiting('Pod phase not available');
    case 'Pending':
      return pendingPodHealth(view);
    case 'Running':
      return runningPodHealth(view);
    case 'Succeeded':
      return current('Pod has completed successfully');
    case 'Failed':
      // It ran to completion.
      return current('Pod has completed, but not successfully');
    default:
      return health('Unknown', `unknown phase ${phase}`);
  }
}

/** A Job is current when it is complete or suspended; in kstatus it is as soon as it has started. */
export function jobHealth(view: View): Health {
  const failed = conditionOf(view, 'Failed');
  if (failed.status === 'True') {
    const why = failed.message === '' ? failed.reason : failed.message;
    return health('Failed', `Job Failed: ${why}`);
  }
  if (conditionOf(view, 'Complete').status === 'True') return current('Job Completed');
  if (conditionOf(view, 'Suspended').status === 'True') return current('Job is suspended');
  const { status } = view;
  const counts = ['active', 'succeeded', 'failed'].map((name) => `${name}: ${numberOf(status, name)}`);
  return waiting(`Job in progress. ${counts.join(', ')}`);
}
