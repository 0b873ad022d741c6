import { expect, test } from '@jest/globals';
import { BUILT_IN_KINDS } from '../../../support/built-in-kinds.js';
import { healthOf, on, told } from './builders.js';

type Row = readonly [fields: string, expected: string];

/** Kinds of which an object is current as soon as it is there; `test/oracles` compares all kinds with kstatus. */
const AT_ONCE: readonly string[] = [
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'apps/v1 ControllerRevision',
  'coordination.k8s.io/v1 Lease',
  'discovery.k8s.io/v1 EndpointSlice',
  'events.k8s.io/v1 Event',
  'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
  'flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration',
  'networking.k8s.io/v1 IPAddress',
  'networking.k8s.io/v1 IngressClass',
  'networking.k8s.io/v1 NetworkPolicy',
  'node.k8s.io/v1 RuntimeClass',
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
  'rbac.authorization.k8s.io/v1 Role',
  'rbac.authorization.k8s.io/v1 RoleBinding',
  'resource.k8s.io/v1 DeviceClass',
  'resource.k8s.io/v1 ResourceClaimTemplate',
  'resource.k8s.io/v1 ResourceSlice',
  'scheduling.k8s.io/v1 PriorityClass',
  'storage.k8s.io/v1 CSIDriver',
  'storage.k8s.io/v1 CSINode',
  'storage.k8s.io/v1 CSIStorageCapacity',
  'storage.k8s.io/v1 StorageClass',
  'storage.k8s.io/v1 VolumeAttributesClass',
  'v1 ComponentStatus',
  'v1 Endpoints',
  'v1 Event',
  'v1 LimitRange',
  'v1 PodTemplate',
  'v1 ServiceAccount',
];

const ROWS: Readonly<Record<string, Row>> = {
  'apiextensions.k8s.io/v1 CustomResourceDefinition': [
    on('NamesAccepted=True', 'Established=True'),
    'Current: CRD is established',
  ],
  'apiregistration.k8s.io/v1 APIService': [on('Available=False'), 'Current: Resource is current'],
  'apps/v1 DaemonSet': [
    '{metadata: {generation: 1}, status: {observedGeneration: 1, desiredNumberScheduled: 2, currentNumberScheduled: 2, updatedNumberScheduled: 2, numberAvailable: 1, numberReady: 1}}',
    'InProgress: Available: 1/2',
  ],
  'apps/v1 Deployment': ['{spec: {replicas: 2}, status: {replicas: 1}}', 'InProgress: Replicas: 1/2'],
  'apps/v1 ReplicaSet': [
    '{spec: {replicas: 0}, status: {replicas: 0}}',
    'Current: ReplicaSet is available. Replicas: 0',
  ],
  'apps/v1 StatefulSet': ['{spec: {replicas: 2}, status: {replicas: 1}}', 'InProgress: Replicas: 1/2'],
  'autoscaling/v2 HorizontalPodAutoscaler': [on('ScalingActive=False'), 'Current: Resource is current'],
  'batch/v1 CronJob': ['{spec: {suspend: true}}', 'Current: Resource is always ready'],
  'batch/v1 Job': [on('Failed=True: gave up'), 'Failed: Job Failed: gave up'],
  'certificates.k8s.io/v1 CertificateSigningRequest': [on('Denied=True'), 'Current: Resource is current'],
  'networking.k8s.io/v1 Ingress': ['{status: {loadBalancer: {}}}', 'Current: Resource is current'],
  'networking.k8s.io/v1 ServiceCIDR': [on('Ready=False: in use'), 'InProgress: in use'],
  'policy/v1 PodDisruptionBudget': [
    '{status: {currentHealthy: 0, desiredHealthy: 1}}',
    'Current: AllowedDisruptions has been computed.',
  ],
  'resource.k8s.io/v1 ResourceClaim': ['{status: {}}', 'Current: Resource is current'],
  'storage.k8s.io/v1 VolumeAttachment': ['{status: {attached: false}}', 'Current: Resource is current'],
  'v1 ConfigMap': ['{data: {}}', 'Current: Resource is always ready'],
  'v1 Namespace': ['{status: {phase: Active}}', 'Current: Resource is current'],
  'v1 Node': [on('Ready=Unknown: no news'), 'InProgress: no news'],
  'v1 PersistentVolume': ['{status: {phase: Pending}}', 'Current: Resource is current'],
  'v1 PersistentVolumeClaim': ['{status: {phase: Pending}}', 'InProgress: PVC is not Bound. phase: Pending'],
  'v1 Pod': [`{status: {phase: Running, ${told('Ready=True')}}}`, 'Current: Pod is Ready'],
  'v1 ReplicationController': ['{status: {replicas: 0}}', 'Current: Resource is current'],
  'v1 ResourceQuota': ['{status: {hard: {}}}', 'Current: Resource is current'],
  'v1 Secret': ['{data: {}}', 'Current: Resource is always ready'],
  'v1 Service': ['{spec: {type: LoadBalancer, clusterIP: 10.0.0.1}}', 'Current: Service is ready'],
};

const ALL: readonly (readonly [id: string, ...Row])[] = [
  ...Object.entries(ROWS).map(([id, row]) => [id, ...row] as const),
  ...AT_ONCE.map((id) => [id, '{}', 'Current: Resource is current'] as const),
];

test.each(ALL)('%s with %s', (id, fields, expected) => {
  const [apiVersion = '', kind = ''] = id.split(' ');
  expect(healthOf(apiVersion, kind, fields)).toBe(expected);
});

test('every kind of Kubernetes has its row, once', () => {
  expect(ALL.map(([id]) => id).sort()).toEqual([...BUILT_IN_KINDS].sort());
});
