import { describe, expect, test } from '@jest/globals';
import { healthOf, on, told } from './builders.js';

type Row = readonly [sentence: string, fields: string, expected: string];

function table(apiVersion: string, kind: string, rows: readonly Row[]): void {
  describe(kind, () => {
    test.each(rows)('%s', (_sentence, fields, expected) => {
      expect(healthOf(apiVersion, kind, fields)).toBe(expected);
    });
  });
}

table('example.com/v1', 'Widget', [
  ['without a status is current', '{}', 'Current: Resource is current'],
  ['with a status of another type is current', 'status: done', 'Current: Resource is current'],
  [
    'being deleted is terminating, whatever else it says',
    `{metadata: {deletionTimestamp: "2020-01-01T00:00:00Z"}, ${on('Stalled=True')}}`,
    'Terminating: Resource scheduled for deletion',
  ],
  [
    'not looked at by its controller since the last change is in progress',
    `{metadata: {generation: 3}, status: {observedGeneration: 2, ${told('Ready=True')}}}`,
    'InProgress: Widget generation is 3, but latest observed generation is 2',
  ],
  [
    'whose controller does not tell the generation is judged by its conditions',
    `{metadata: {generation: 3}, ${on('Ready=True')}}`,
    'Current: Resource is current',
  ],
  ['Reconciling is in progress', on('Reconciling=True: on it', 'Ready=True'), 'InProgress: on it'],
  [
    'Stalled before it was Reconciling has failed: the first one counts',
    on('Stalled=True', 'Reconciling=True'),
    'Failed: Stalled',
  ],
  ['Reconciling without a message says so', on('Reconciling=True'), 'InProgress: Reconciling'],
  ['Stalled has failed', on('Stalled=True: gave up'), 'Failed: gave up'],
  ['Stalled without a message says so', on('Stalled=True'), 'Failed: Stalled'],
  ['not Ready is in progress: only Stalled is final', on('Ready=False: gave up'), 'InProgress: gave up'],
  ['Ready unknown is in progress', on('Ready=Unknown'), 'InProgress: Ready is Unknown'],
  ['with conditions that are no list is current', 'status: {conditions: none}', 'Current: Resource is current'],
]);

const SCALED = 'replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2';
const AVAILABLE = told('Available=True');

table('apps/v1', 'Deployment', [
  ['new is in progress', '{}', 'InProgress: Replicas: 0/1'],
  ['with too few replicas', '{spec: {replicas: 2}, status: {replicas: 1}}', 'InProgress: Replicas: 1/2'],
  ['with old pods only', '{spec: {replicas: 2}, status: {replicas: 2}}', 'InProgress: Updated: 0/2'],
  [
    'with pods that are not available yet',
    '{spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 2, readyReplicas: 2}}',
    'InProgress: Available: 0/2',
  ],
  [
    'with pods that are not ready any more',
    '{spec: {replicas: 2}, status: {replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 1}}',
    'InProgress: Ready: 1/2',
  ],
  [
    'with an old pod left',
    '{spec: {replicas: 1}, status: {replicas: 2, updatedReplicas: 1, availableReplicas: 1, readyReplicas: 1}}',
    'InProgress: Pending termination: 1',
  ],
  [
    'not Available by its condition',
    `{spec: {replicas: 2}, status: {${SCALED}}}`,
    'InProgress: Deployment not Available',
  ],
  [
    'complete',
    `{spec: {replicas: 2}, status: {${SCALED}, ${AVAILABLE}}}`,
    'Current: Deployment is available. Replicas: 2',
  ],
  [
    'with a deadline whose new ReplicaSet is not there yet',
    `{spec: {replicas: 2, progressDeadlineSeconds: 600}, status: {${SCALED}, ${AVAILABLE}}}`,
    'InProgress: ReplicaSet not Available',
  ],
  [
    'with a deadline, complete',
    `{spec: {replicas: 2, progressDeadlineSeconds: 600}, status: {${SCALED}, ${told('Available=True', 'Progressing=True NewReplicaSetAvailable')}}}`,
    'Current: Deployment is available. Replicas: 2',
  ],
  ['scaled to zero and not seen yet', '{spec: {replicas: 0}, status: {}}', 'InProgress: Deployment not Available'],
  ['scaled to zero', `{spec: {replicas: 0}, status: {${AVAILABLE}}}`, 'Current: Deployment is available. Replicas: 0'],
  [
    'that scales down',
    `{spec: {replicas: 1}, status: {${SCALED}, ${AVAILABLE}}}`,
    'InProgress: Pending termination: 1',
  ],
  [
    'past its deadline',
    `{spec: {replicas: 2}, ${on('Progressing=False ProgressDeadlineExceeded')}}`,
    'Failed: Progress deadline exceeded',
  ],
]);

table('apps/v1', 'ReplicaSet', [
  ['new is in progress', '{}', 'InProgress: Labelled: 0/1'],
  ['without available pods', 'status: {fullyLabeledReplicas: 1}', 'InProgress: Available: 0/1'],
  ['without ready pods', 'status: {fullyLabeledReplicas: 1, availableReplicas: 1}', 'InProgress: Ready: 0/1'],
  [
    'with a pod too many',
    'status: {replicas: 2, fullyLabeledReplicas: 2, availableReplicas: 2, readyReplicas: 2}',
    'InProgress: Pending termination: 1',
  ],
  [
    'complete',
    'status: {replicas: 1, fullyLabeledReplicas: 1, availableReplicas: 1, readyReplicas: 1}',
    'Current: ReplicaSet is available. Replicas: 1',
  ],
  [
    'that cannot make pods may still (a quota may grow)',
    on('ReplicaFailure=True: quota'),
    'InProgress: Replica failure: quota',
  ],
]);

const SET = 'replicas: 2, readyReplicas: 2';
const ROLLED_OUT = 'currentReplicas: 2, currentRevision: b, updateRevision: b';

table('apps/v1', 'StatefulSet', [
  ['new is in progress', '{}', 'InProgress: Replicas: 0/1'],
  ['without ready pods', 'status: {replicas: 1}', 'InProgress: Ready: 0/1'],
  ['with a pod too many', `status: {${SET}}`, 'InProgress: Pending termination: 1'],
  ['with old pods', `{spec: {replicas: 2}, status: {${SET}}}`, 'InProgress: Current: 0/2'],
  [
    'with two revisions',
    `{spec: {replicas: 2}, status: {${SET}, currentReplicas: 2, currentRevision: a, updateRevision: b}}`,
    'InProgress: Waiting for updated revision to match current',
  ],
  [
    'complete',
    `{spec: {replicas: 2}, status: {${SET}, ${ROLLED_OUT}}}`,
    'Current: All replicas scheduled as expected. Replicas: 2',
  ],
  [
    'rolled out down to its partition',
    `{spec: {replicas: 2, updateStrategy: {rollingUpdate: {partition: 1}}}, status: {${SET}, updatedReplicas: 1, currentRevision: a, updateRevision: b}}`,
    'Current: Partition rollout complete. Updated: 1',
  ],
  [
    'rolled out to all, whose revisions are not told equal yet',
    `{spec: {replicas: 2, updateStrategy: {rollingUpdate: {partition: 0}}}, status: {${SET}, updatedReplicas: 2, currentRevision: a, updateRevision: b}}`,
    'Current: Partition rollout complete. Updated: 2',
  ],
  [
    'above its partition',
    `{spec: {replicas: 2, updateStrategy: {rollingUpdate: {partition: 1}}}, status: {${SET}}}`,
    'InProgress: Partition updated: 0/1',
  ],
  [
    'whose pods its user replaces is current at once',
    '{spec: {replicas: 2, updateStrategy: {type: OnDelete}}, status: {replicas: 2, readyReplicas: 1}}',
    'Current: StatefulSet is using the OnDelete update strategy',
  ],
]);

const SEEN = 'metadata: {generation: 1}, status: {observedGeneration: 1';

table('apps/v1', 'DaemonSet', [
  [
    'without a generation is in progress',
    'status: {desiredNumberScheduled: 0}',
    'InProgress: Missing .metadata.generation',
  ],
  [
    'that its controller has not seen is in progress',
    '{metadata: {generation: 1}, status: {}}',
    'InProgress: Missing .status.observedGeneration',
  ],
  ['that was not counted is in progress', `{${SEEN}}}`, 'InProgress: Missing .status.desiredNumberScheduled'],
  ['without pods', `{${SEEN}, desiredNumberScheduled: 2}}`, 'InProgress: Current: 0/2'],
  ['with old pods', `{${SEEN}, desiredNumberScheduled: 2, currentNumberScheduled: 2}}`, 'InProgress: Updated: 0/2'],
  [
    'with pods that are not available',
    `{${SEEN}, desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1}}`,
    'InProgress: Available: 0/1',
  ],
  [
    'with pods that are not ready',
    `{${SEEN}, desiredNumberScheduled: 1, currentNumberScheduled: 1, updatedNumberScheduled: 1, numberAvailable: 1}}`,
    'InProgress: Ready: 0/1',
  ],
  [
    'for no node is complete',
    `{${SEEN}, desiredNumberScheduled: 0}}`,
    'Current: All replicas scheduled as expected. Replicas: 0',
  ],
]);

table('batch/v1', 'Job', [
  ['new is in progress', '{}', 'InProgress: Job in progress. active: 0, succeeded: 0, failed: 0'],
  [
    'running is in progress',
    'status: {active: 1, succeeded: 2, failed: 3}',
    'InProgress: Job in progress. active: 1, succeeded: 2, failed: 3',
  ],
  ['complete', on('Complete=True'), 'Current: Job Completed'],
  ['suspended', on('Suspended=True'), 'Current: Job is suspended'],
  ['failed', on('Failed=True: too often'), 'Failed: Job Failed: too often'],
  [
    'failed without a message shows the reason',
    on('Failed=True BackoffLimitExceeded'),
    'Failed: Job Failed: BackoffLimitExceeded',
  ],
]);

table('v1', 'Pod', [
  ['new is in progress', '{}', 'InProgress: Pod phase not available'],
  ['pending is in progress', 'status: {phase: Pending}', 'InProgress: Pod is in the Pending phase'],
  ['that its node does not tell of is unknown', 'status: {phase: Unknown}', 'Unknown: unknown phase Unknown'],
  ['succeeded', 'status: {phase: Succeeded}', 'Current: Pod has completed successfully'],
  ['failed', 'status: {phase: Failed}', 'Current: Pod has completed, but not successfully'],
  ['ready', `status: {phase: Running, ${told('Ready=True')}}`, 'Current: Pod is Ready'],
  ['not ready', `status: {phase: Running, ${told('Ready=False')}}`, 'InProgress: Pod is running but is not Ready'],
  [
    'that crashes again and again',
    'status: {phase: Running, containerStatuses: [{name: ok}, {name: web, state: {waiting: {reason: CrashLoopBackOff}}}]}',
    'Failed: Containers in CrashLoop state: web',
  ],
  [
    'without a node may still get one',
    `status: {phase: Pending, ${told('PodScheduled=False Unschedulable: 0/3 nodes')}}`,
    'InProgress: Pod could not be scheduled: 0/3 nodes',
  ],
]);

table('v1', 'Service', [
  ['of any type is ready', 'spec: {type: ClusterIP}', 'Current: Service is ready'],
  [
    'of type LoadBalancer without an address of its own is in progress',
    'spec: {type: LoadBalancer}',
    'InProgress: ClusterIP not set. Service type: LoadBalancer',
  ],
  [
    'of type LoadBalancer is ready without a balancer: a cluster may have none',
    'spec: {type: LoadBalancer, clusterIP: 10.0.0.1}',
    'Current: Service is ready',
  ],
]);

table('serving.knative.dev/v1', 'Service', [
  ['of another group has no built-in rule', 'spec: {type: LoadBalancer}', 'Current: Resource is current'],
]);

table('v1', 'PersistentVolumeClaim', [
  ['new is in progress', '{}', 'InProgress: PVC is not Bound. phase: unknown'],
  ['pending is in progress', 'status: {phase: Pending}', 'InProgress: PVC is not Bound. phase: Pending'],
  ['bound', 'status: {phase: Bound}', 'Current: PVC is Bound'],
  ['lost may be bound again', 'status: {phase: Lost}', 'InProgress: PVC is not Bound. phase: Lost'],
]);

table('policy/v1', 'PodDisruptionBudget', [
  ['is current', '{}', 'Current: AllowedDisruptions has been computed.'],
  [
    'that its controller has not seen since the change is in progress',
    '{metadata: {generation: 2}, status: {observedGeneration: 1}}',
    'InProgress: PodDisruptionBudget generation is 2, but latest observed generation is 1',
  ],
]);

table('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [
  ['new is in progress', '{}', 'InProgress: Install in progress'],
  ['being installed is in progress', on('Established=False Installing'), 'InProgress: Install in progress'],
  ['established', on('Established=True'), 'Current: CRD is established'],
  ['whose names are taken has failed', on('NamesAccepted=False: taken', 'Established=True'), 'Failed: taken'],
  [
    'that cannot be established has failed',
    on('Established=False NotAccepted: not all names'),
    'Failed: not all names',
  ],
]);
