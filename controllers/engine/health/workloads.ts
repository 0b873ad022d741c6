import { conditionOf, fieldsOf, health, listOf, numberOf, textOf, type View } from './fields.js';
import type { Health } from './types.js';

const CURRENT = (message: string): Health => health('Current', message);
const WAITING = (message: string): Health => health('InProgress', message);

/** The first count that is short, as a message; undefined when all are enough. */
function shortage(rows: readonly (readonly [label: string, have: number, want: number])[]): string | undefined {
  const row = rows.find(([, have, want]) => have < want);
  return row === undefined ? undefined : `${row[0]}: ${row[1]}/${row[2]}`;
}

export function deploymentHealth(view: View): Health {
  const { spec, status } = view;
  const want = numberOf(spec, 'replicas', 1);
  const progressing = conditionOf(view, 'Progressing');
  if (progressing.reason === 'ProgressDeadlineExceeded') return health('Failed', 'Progress deadline exceeded');
  const have = numberOf(status, 'replicas');
  const short = shortage([
    ['Replicas', have, want],
    ['Updated', numberOf(status, 'updatedReplicas'), want],
    ['Available', numberOf(status, 'availableReplicas'), want],
    ['Ready', numberOf(status, 'readyReplicas'), want],
  ]);
  if (short !== undefined) return WAITING(short);
  if (have > want) return WAITING(`Pending termination: ${have - want}`);
  if (want > 0 && conditionOf(view, 'Available').status !== 'True') return WAITING('Deployment not Available');
  return CURRENT(`Deployment is available. Replicas: ${want}`);
}

export function replicaSetHealth(view: View): Health {
  const { spec, status } = view;
  const want = numberOf(spec, 'replicas', 1);
  const failure = conditionOf(view, 'ReplicaFailure');
  if (failure.status === 'True') return WAITING(`Replica failure: ${failure.message}`);
  const have = numberOf(status, 'replicas');
  const short = shortage([
    ['Labelled', numberOf(status, 'fullyLabeledReplicas'), want],
    ['Available', numberOf(status, 'availableReplicas'), want],
    ['Ready', numberOf(status, 'readyReplicas'), want],
  ]);
  if (short !== undefined) return WAITING(short);
  return have > want
    ? WAITING(`Pending termination: ${have - want}`)
    : CURRENT(`ReplicaSet is available. Replicas: ${want}`);
}

function rolloutHealth({ spec, status }: View, want: number): Health {
  const partition = numberOf(fieldsOf(fieldsOf(spec, 'updateStrategy'), 'rollingUpdate'), 'partition');
  const short = shortage([['Partition updated', numberOf(status, 'updatedReplicas'), want - partition]]);
  if (short !== undefined) return WAITING(short);
  if (partition > 0) return CURRENT(`Partition rollout complete. Updated: ${want - partition}`);
  return textOf(status, 'currentRevision') === textOf(status, 'updateRevision')
    ? CURRENT(`All replicas scheduled as expected. Replicas: ${want}`)
    : WAITING('Waiting for updated revision to match current');
}

export function statefulSetHealth(view: View): Health {
  const { spec, status } = view;
  // Its user decides when pods are replaced: nothing to wait for.
  const isManual = textOf(fieldsOf(spec, 'updateStrategy'), 'type') === 'OnDelete';
  if (isManual) return CURRENT('StatefulSet is using the OnDelete update strategy');
  const want = numberOf(spec, 'replicas', 1);
  const have = numberOf(status, 'replicas');
  const short = shortage([
    ['Replicas', have, want],
    ['Ready', numberOf(status, 'readyReplicas'), want],
  ]);
  if (short !== undefined) return WAITING(short);
  if (have > want) return WAITING(`Pending termination: ${have - want}`);
  return rolloutHealth(view, want);
}

export function daemonSetHealth({ object, status }: View): Health {
  // Before its controller saw it, zero of zero would look complete.
  if (object.metadata.generation !== undefined && status['observedGeneration'] === undefined) {
    return WAITING('Missing .status.observedGeneration');
  }
  const want = numberOf(status, 'desiredNumberScheduled');
  const short = shortage([
    ['Current', numberOf(status, 'currentNumberScheduled'), want],
    ['Updated', numberOf(status, 'updatedNumberScheduled'), want],
    ['Available', numberOf(status, 'numberAvailable'), want],
    ['Ready', numberOf(status, 'numberReady'), want],
  ]);
  return short === undefined ? CURRENT(`All replicas scheduled as expected. Replicas: ${want}`) : WAITING(short);
}

function crashLoop({ status }: View): string | undefined {
  const containers = [...listOf(status, 'initContainerStatuses'), ...listOf(status, 'containerStatuses')];
  const crashing = containers.find(
    (container) => textOf(fieldsOf(fieldsOf(container, 'state'), 'waiting'), 'reason') === 'CrashLoopBackOff',
  );
  return crashing === undefined ? undefined : textOf(crashing, 'name');
}

function runningPodHealth(view: View): Health {
  if (conditionOf(view, 'Ready').status === 'True') return CURRENT('Pod is Ready');
  const crashing = crashLoop(view);
  if (crashing !== undefined) return health('Failed', `Containers in CrashLoop state: ${crashing}`);
  return WAITING('Pod is running but is not Ready');
}

export function podHealth(view: View): Health {
  const phase = textOf(view.status, 'phase');
  if (phase === 'Succeeded') return CURRENT('Pod has completed successfully');
  if (phase === 'Failed') return health('Failed', 'Pod has completed, but not successfully');
  if (phase === 'Running') return runningPodHealth(view);
  const scheduled = conditionOf(view, 'PodScheduled');
  // A cluster may still grow a node for it: the caller's timeout decides, not this rule.
  if (scheduled.reason === 'Unschedulable') return WAITING(`Pod could not be scheduled: ${scheduled.message}`);
  return WAITING('Pod is in the Pending phase');
}

export function jobHealth(view: View): Health {
  const failed = conditionOf(view, 'Failed');
  if (failed.status === 'True') {
    const why = failed.message === '' ? failed.reason : failed.message;
    return health('Failed', `Job Failed: ${why}`);
  }
  if (conditionOf(view, 'Complete').status === 'True') return CURRENT('Job Completed');
  if (conditionOf(view, 'Suspended').status === 'True') return CURRENT('Job is suspended');
  const { status } = view;
  const counts = ['active', 'succeeded', 'failed'].map((name) => `${name}: ${numberOf(status, name)}`);
  return WAITING(`Job in progress. ${counts.join(', ')}`);
}
