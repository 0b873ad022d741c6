import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { objectHealth } from '#engine/health/object-health.js';
import { BUILT_IN_KINDS } from '../support/built-in-kinds.js';
import { differences, useOracle, type Answer } from './oracle.js';

type Fields = fc.Arbitrary<Record<string, unknown>>;

const count = fc.constantFrom(0, 1, 2, 2, 2, 3);
const want = fc.constantFrom(2, 2, 2, 2, 0, 1);
const generation = fc.constantFrom(1, 2, 2, 2, 2, 2, 2, 2);
const truth = fc.constantFrom('True', 'True', 'False', 'Unknown');

/** Each field may be absent. */
function fieldsOf(fields: Record<string, fc.Arbitrary<unknown>>): Fields {
  return fc.record(fields, { requiredKeys: [] });
}

/** Counts that mostly agree, as those of a rolled-out workload do. */
function countsOf(...names: readonly string[]): Fields {
  const all = (value: number): Record<string, number> => Object.fromEntries(names.map((name) => [name, value]));
  const some = fieldsOf(Object.fromEntries(names.map((name) => [name, count])));
  return fc
    .tuple(want, fc.oneof(fc.constant({}), fc.constant({}), some))
    .map(([value, others]) => ({ ...all(value), ...others }));
}

/** Conditions in any order, each type once. */
function conditionsOf(reasons: readonly string[], ...types: readonly string[]): fc.Arbitrary<unknown> {
  const condition = fc.record({
    type: fc.constantFrom(...types),
    status: truth,
    reason: fc.constantFrom('Because', ...reasons),
    message: fc.constantFrom('', 'so it is'),
  });
  return fc.uniqueArray(condition, { selector: ({ type }) => type, maxLength: types.length });
}

const STANDARD = ['Reconciling', 'Stalled'];
const standard = fieldsOf({ conditions: conditionsOf([], 'Ready', ...STANDARD) });

interface Kind {
  readonly id: readonly [apiVersion: string, kind: string];
  readonly spec?: Fields;
  readonly status: Fields;
  readonly conditions?: fc.Arbitrary<unknown>;
}

const revision = fc.constantFrom('a', 'a', 'a', 'b');

const KINDS: readonly Kind[] = [
  {
    id: ['apps/v1', 'Deployment'],
    spec: fieldsOf({ replicas: want, progressDeadlineSeconds: fc.constantFrom(600, 2_147_483_647) }),
    status: countsOf('replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'),
    conditions: conditionsOf(['NewReplicaSetAvailable', 'ProgressDeadlineExceeded'], 'Progressing', 'Available'),
  },
  {
    id: ['apps/v1', 'ReplicaSet'],
    spec: fieldsOf({ replicas: want }),
    status: countsOf('replicas', 'readyReplicas', 'availableReplicas', 'fullyLabeledReplicas'),
    conditions: conditionsOf([], 'ReplicaFailure'),
  },
  {
    id: ['apps/v1', 'StatefulSet'],
    spec: fieldsOf({
      replicas: want,
      updateStrategy: fieldsOf({
        type: fc.constantFrom('RollingUpdate', 'RollingUpdate', 'OnDelete'),
        rollingUpdate: fieldsOf({ partition: count }),
      }),
    }),
    status: fc
      .tuple(
        countsOf('replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas'),
        fieldsOf({ currentRevision: revision, updateRevision: revision }),
      )
      .map(([counts, revisions]) => ({ ...counts, ...revisions })),
  },
  {
    id: ['apps/v1', 'DaemonSet'],
    status: countsOf(
      ...['desiredNumberScheduled', 'currentNumberScheduled', 'updatedNumberScheduled'],
      ...['numberAvailable', 'numberReady'],
    ),
  },
  {
    id: ['batch/v1', 'Job'],
    spec: fieldsOf({ completions: count, suspend: fc.boolean() }),
    status: fieldsOf({ active: count, failed: count, startTime: fc.constant('2026-01-01T00:00:00Z') }),
    // A Job ends one way or the other.
    conditions: fc.oneof(conditionsOf([], 'Complete'), conditionsOf([], 'Failed')),
  },
  {
    id: ['v1', 'Pod'],
    status: fieldsOf({
      phase: fc.constantFrom('Pending', 'Running', 'Running', 'Running', 'Succeeded', 'Failed', 'Unknown'),
      containerStatuses: fc.array(
        fieldsOf({
          name: fc.constantFrom('web', 'log'),
          state: fieldsOf({ waiting: fieldsOf({ reason: fc.constantFrom('CrashLoopBackOff', 'ImagePullBackOff') }) }),
        }),
        { maxLength: 2 },
      ),
    }),
    conditions: conditionsOf(['Unschedulable'], 'Ready', 'PodScheduled'),
  },
  { id: ['v1', 'PersistentVolumeClaim'], status: fieldsOf({ phase: fc.constantFrom('Bound', 'Pending', 'Lost') }) },
  {
    id: ['v1', 'Service'],
    spec: fieldsOf({
      type: fc.constantFrom('ClusterIP', 'LoadBalancer', 'LoadBalancer'),
      clusterIP: fc.constantFrom('10.0.0.1', 'None', ''),
    }),
    status: fieldsOf({}),
  },
  { id: ['v1', 'Namespace'], status: fieldsOf({ phase: fc.constant('Active') }) },
  {
    id: ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    status: fieldsOf({}),
    conditions: conditionsOf(['Installing'], 'NamesAccepted', 'Established'),
  },
  { id: ['policy/v1', 'PodDisruptionBudget'], status: countsOf('disruptionsAllowed', 'currentHealthy') },
  { id: ['example.com/v1', 'Widget'], status: fieldsOf({}), conditions: conditionsOf([], 'Ready', 'Synced') },
];

const deletion = fc.oneof(
  { weight: 30, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ deletionTimestamp: '2026-01-01T00:00:00Z' }) },
);
const metadata = fc
  .tuple(fieldsOf({ generation }), deletion)
  .map(
    (parts) =>
      Object.assign({ name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' }, ...parts) as KubeObject['metadata'],
  );

function objectOf({ id: [apiVersion, kind], ...parts }: Kind): fc.Arbitrary<Unstructured> {
  const { spec = fieldsOf({}), conditions = conditionsOf([], ...STANDARD) } = parts;
  const observed = fieldsOf({ observedGeneration: generation });
  const told = fc.oneof({ weight: 4, arbitrary: fieldsOf({ conditions }) }, { weight: 1, arbitrary: standard });
  return fc
    .record({ metadata, spec, status: fc.tuple(parts.status, observed, told) })
    .map(({ status, ...others }) => ({ apiVersion, kind, ...others, status: Object.assign({}, ...status) }));
}

/**
 * Where we differ on purpose: Flux and Helm wait until a Job is done by a rule of their own, and whether a pod finds a
 * node in time is for the timeout to say, not for the first 15 seconds.
 */
function asWeWait({ status, message, error }: Answer): unknown {
  if (error !== undefined) return 'Unknown';
  const isOpen = String(message).startsWith('Job in progress') || message === 'Pod could not be scheduled';
  return isOpen ? 'InProgress' : status;
}

const ruled = new Set(KINDS.map(({ id }) => id.join(' ')));

/** Kinds without a rule of their own: what their controllers report must not be taken for one. */
const OTHERS = BUILT_IN_KINDS.filter((id) => !ruled.has(id)).map((id): Kind => {
  const [apiVersion = '', kind = ''] = id.split(' ');
  return {
    id: [apiVersion, kind],
    spec: fieldsOf({ replicas: want, suspend: fc.boolean() }),
    status: fieldsOf({
      phase: fc.constantFrom('Pending', 'Bound', 'Active', 'Failed', 'Released'),
      replicas: count,
      active: fc.constant([]),
      loadBalancer: fc.constant({}),
    }),
    conditions: conditionsOf([], 'Ready', 'Available', 'Failed', 'Complete', 'Progressing', ...STANDARD),
  };
});

const ask = useOracle('health');

test.each([
  ['with a rule of their kind', KINDS],
  ['of all other kinds of Kubernetes', OTHERS],
])('objects %s are as healthy as kstatus of Flux has them', async (_which, kinds) => {
  const cases = fc.oneof(...kinds.map(objectOf));
  expect(await differences({ ask, cases, theirs: asWeWait, ours: (object) => objectHealth(object).status })).toEqual(
    [],
  );
});
