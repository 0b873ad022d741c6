import { expect, test } from '@jest/globals';
import type { Unstructured } from '#api/meta.js';
import { objectHealth } from '#controllers/engine/health/object-health.js';
import { parseYaml } from '#controllers/runtime/pure/yaml.js';
import { BUILT_IN_KINDS } from '#test/support/built-in-kinds.js';

/** Of most kinds an object is current as soon as it is there; `test/oracles` compares all of them with kstatus. */
const ROWS: readonly (readonly [kind: string, fields: string, expected: string])[] = [
  ['admissionregistration.k8s.io/v1 MutatingWebhookConfiguration', '{}', 'Current: Resource is current'],
  ['admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy', '{}', 'Current: Resource is current'],
  ['admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding', '{}', 'Current: Resource is current'],
  ['admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration', '{}', 'Current: Resource is current'],
  [
    'apiextensions.k8s.io/v1 CustomResourceDefinition',
    '{status: {conditions: [{type: NamesAccepted, status: "True"}, {type: Established, status: "True"}]}}',
    'Current: CRD is established',
  ],
  [
    'apiregistration.k8s.io/v1 APIService',
    '{status: {conditions: [{type: Available, status: "False"}]}}',
    'Current: Resource is current',
  ],
  ['apps/v1 ControllerRevision', '{}', 'Current: Resource is current'],
  [
    'apps/v1 DaemonSet',
    '{metadata: {generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1, numberReady: 1}}',
    'InProgress: Available: 1/2',
  ],
  ['apps/v1 Deployment', '{spec: {replicas: 2}, status: {replicas: 1}}', 'InProgress: Replicas: 1/2'],
  [
    'apps/v1 ReplicaSet',
    '{spec: {replicas: 0}, status: {replicas: 0}}',
    'Current: ReplicaSet is available. Replicas: 0',
  ],
  ['apps/v1 StatefulSet', '{spec: {replicas: 2}, status: {replicas: 1}}', 'InProgress: Replicas: 1/2'],
  [
    'autoscaling/v2 HorizontalPodAutoscaler',
    '{status: {conditions: [{type: ScalingActive, status: "False"}]}}',
    'Current: Resource is current',
  ],
  ['batch/v1 CronJob', '{spec: {suspend: true}}', 'Current: Resource is always ready'],
  [
    'batch/v1 Job',
    '{status: {conditions: [{type: Failed, status: "True", message: gave up}]}}',
    'Failed: Job Failed: gave up',
  ],
  [
    'certificates.k8s.io/v1 CertificateSigningRequest',
    '{status: {conditions: [{type: Denied, status: "True"}]}}',
    'Current: Resource is current',
  ],
  ['coordination.k8s.io/v1 Lease', '{}', 'Current: Resource is current'],
  ['discovery.k8s.io/v1 EndpointSlice', '{}', 'Current: Resource is current'],
  ['events.k8s.io/v1 Event', '{}', 'Current: Resource is current'],
  ['flowcontrol.apiserver.k8s.io/v1 FlowSchema', '{}', 'Current: Resource is current'],
  ['flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration', '{}', 'Current: Resource is current'],
  ['networking.k8s.io/v1 IPAddress', '{}', 'Current: Resource is current'],
  ['networking.k8s.io/v1 Ingress', '{status: {loadBalancer: {}}}', 'Current: Resource is current'],
  ['networking.k8s.io/v1 IngressClass', '{}', 'Current: Resource is current'],
  ['networking.k8s.io/v1 NetworkPolicy', '{}', 'Current: Resource is current'],
  [
    'networking.k8s.io/v1 ServiceCIDR',
    '{status: {conditions: [{type: Ready, status: "False", message: in use}]}}',
    'InProgress: in use',
  ],
  ['node.k8s.io/v1 RuntimeClass', '{}', 'Current: Resource is current'],
  [
    'policy/v1 PodDisruptionBudget',
    '{status: {currentHealthy: 0, desiredHealthy: 1}}',
    'Current: AllowedDisruptions has been computed.',
  ],
  ['rbac.authorization.k8s.io/v1 ClusterRole', '{}', 'Current: Resource is current'],
  ['rbac.authorization.k8s.io/v1 ClusterRoleBinding', '{}', 'Current: Resource is current'],
  ['rbac.authorization.k8s.io/v1 Role', '{}', 'Current: Resource is current'],
  ['rbac.authorization.k8s.io/v1 RoleBinding', '{}', 'Current: Resource is current'],
  ['resource.k8s.io/v1 DeviceClass', '{}', 'Current: Resource is current'],
  ['resource.k8s.io/v1 ResourceClaim', '{status: {}}', 'Current: Resource is current'],
  ['resource.k8s.io/v1 ResourceClaimTemplate', '{}', 'Current: Resource is current'],
  ['resource.k8s.io/v1 ResourceSlice', '{}', 'Current: Resource is current'],
  ['scheduling.k8s.io/v1 PriorityClass', '{}', 'Current: Resource is current'],
  ['storage.k8s.io/v1 CSIDriver', '{}', 'Current: Resource is current'],
  ['storage.k8s.io/v1 CSINode', '{}', 'Current: Resource is current'],
  ['storage.k8s.io/v1 CSIStorageCapacity', '{}', 'Current: Resource is current'],
  ['storage.k8s.io/v1 StorageClass', '{}', 'Current: Resource is current'],
  ['storage.k8s.io/v1 VolumeAttachment', '{status: {attached: false}}', 'Current: Resource is current'],
  ['storage.k8s.io/v1 VolumeAttributesClass', '{}', 'Current: Resource is current'],
  ['v1 ComponentStatus', '{}', 'Current: Resource is current'],
  ['v1 ConfigMap', '{data: {}}', 'Current: Resource is always ready'],
  ['v1 Endpoints', '{}', 'Current: Resource is current'],
  ['v1 Event', '{}', 'Current: Resource is current'],
  ['v1 LimitRange', '{}', 'Current: Resource is current'],
  ['v1 Namespace', '{status: {phase: Active}}', 'Current: Resource is current'],
  ['v1 Node', '{status: {conditions: [{type: Ready, status: Unknown, message: no news}]}}', 'InProgress: no news'],
  ['v1 PersistentVolume', '{status: {phase: Pending}}', 'Current: Resource is current'],
  ['v1 PersistentVolumeClaim', '{status: {phase: Pending}}', 'InProgress: PVC is not Bound. phase: Pending'],
  ['v1 Pod', '{status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}', 'Current: Pod is Ready'],
  ['v1 PodTemplate', '{}', 'Current: Resource is current'],
  ['v1 ReplicationController', '{status: {replicas: 0}}', 'Current: Resource is current'],
  ['v1 ResourceQuota', '{status: {hard: {}}}', 'Current: Resource is current'],
  ['v1 Secret', '{data: {}}', 'Current: Resource is always ready'],
  ['v1 Service', '{spec: {type: LoadBalancer, clusterIP: 10.0.0.1}}', 'Current: Service is ready'],
  ['v1 ServiceAccount', '{}', 'Current: Resource is current'],
];

test.each(ROWS)('%s with %s', (id, fields, expected) => {
  const [apiVersion = '', kind = ''] = id.split(' ');
  // A mapping, as above.
  const rest = parseYaml(fields) as Pick<Unstructured, 'metadata'>;
  const { status, message } = objectHealth({ apiVersion, kind, ...rest, metadata: { ...rest.metadata, name: 'x' } });
  expect(`${status}: ${message}`).toBe(expected);
});

test('every kind of Kubernetes has its row', () => {
  expect(ROWS.map(([id]) => id)).toEqual(BUILT_IN_KINDS);
});
