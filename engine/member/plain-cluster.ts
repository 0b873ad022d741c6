import uniq from 'lodash/uniq.js';
import type { ResourceType } from '#api/meta.js';
import { TerminalError } from '#lib/errors.js';
import type { Capabilities } from './member.js';

/** The kinds of an API version: namespaced ones, those of the cluster, and those that are only asked of others. */
type Kinds = readonly [namespaced: string, ofCluster: string, parts?: string];

/** The Kubernetes that a cluster is taken for that nobody asks. */
export const KUBE_VERSION = 'v1.35.0';

const KINDS: Readonly<Record<string, Kinds>> = {
  'admissionregistration.k8s.io/v1': [
    '',
    'MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration',
  ],
  'apiextensions.k8s.io/v1': ['', 'CustomResourceDefinition'],
  'apiregistration.k8s.io/v1': ['', 'APIService'],
  'apps/v1': ['ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet', '', 'Scale'],
  'authentication.k8s.io/v1': ['', 'SelfSubjectReview TokenReview'],
  'authorization.k8s.io/v1': [
    'LocalSubjectAccessReview',
    'SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview',
  ],
  'autoscaling/v1': ['HorizontalPodAutoscaler', ''],
  'autoscaling/v2': ['HorizontalPodAutoscaler', ''],
  'batch/v1': ['CronJob Job', ''],
  'certificates.k8s.io/v1': ['', 'CertificateSigningRequest'],
  'coordination.k8s.io/v1': ['Lease', ''],
  'discovery.k8s.io/v1': ['EndpointSlice', ''],
  'events.k8s.io/v1': ['Event', ''],
  'flowcontrol.apiserver.k8s.io/v1': ['', 'FlowSchema PriorityLevelConfiguration'],
  'networking.k8s.io/v1': ['Ingress NetworkPolicy', 'IPAddress IngressClass ServiceCIDR'],
  'node.k8s.io/v1': ['', 'RuntimeClass'],
  'policy/v1': ['PodDisruptionBudget', ''],
  'rbac.authorization.k8s.io/v1': ['Role RoleBinding', 'ClusterRole ClusterRoleBinding'],
  'resource.k8s.io/v1': ['ResourceClaim ResourceClaimTemplate', 'DeviceClass ResourceSlice'],
  'scheduling.k8s.io/v1': ['', 'PriorityClass'],
  'storage.k8s.io/v1': ['CSIStorageCapacity', 'CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass'],
  v1: [
    'Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount',
    'ComponentStatus Namespace Node PersistentVolume',
    'Eviction NodeProxyOptions PodAttachOptions PodExecOptions PodPortForwardOptions PodProxyOptions Scale ServiceProxyOptions TokenRequest',
  ],
};

function wordsOf(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** What a cluster serves without any CRD, as its discovery says it. */
export const PLAIN_API_VERSIONS: readonly string[] = Object.entries(KINDS)
  .flatMap(([apiVersion, kinds]) => [
    apiVersion,
    ...kinds.flatMap((part = '') => wordsOf(part)).map((kind) => `${apiVersion}/${kind}`),
  ])
  .sort();

/** Whether the objects of a kind are in namespaces; undefined for one that such a cluster does not serve. */
export function isNamespacedKind(apiVersion: string, kind: string): boolean | undefined {
  const [namespaced = '', ofCluster = ''] = Object.hasOwn(KINDS, apiVersion) ? (KINDS[apiVersion] ?? []) : [];
  if (wordsOf(namespaced).includes(kind)) return true;
  return wordsOf(ofCluster).includes(kind) ? false : undefined;
}

/** Like `Member.resourceType`, of a cluster without CRDs. Throws TerminalError `NoKindMatch`. */
export async function plainResourceType(apiVersion: string, kind: string): Promise<Pick<ResourceType, 'namespaced'>> {
  const namespaced = isNamespacedKind(apiVersion, kind);
  if (namespaced !== undefined) return Promise.resolve({ namespaced });
  throw new TerminalError('NoKindMatch', `a cluster without CRDs serves no kind ${kind} in ${apiVersion}`);
}

/** What charts see of a cluster that serves `more` than a plain one. */
export function plainCapabilities(kubeVersion: string, more: readonly string[]): Capabilities {
  return { kubeVersion, apiVersions: uniq([...PLAIN_API_VERSIONS, ...more]).sort() };
}
