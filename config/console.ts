import type { KubeObject, ObjectRef } from '#api/meta.js';
import { GITOPS_GROUP, PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import { consolePolicy } from './network-policy.js';

/** That of the controller, too: config/manager. */
const IMAGE = 'fairlead:0.1.0';
const API_PORT = 8090;
const HEALTH_PORT = 8091;
const NAME_LABEL = 'app.kubernetes.io/name';

const selected = ({ name }: ObjectRef) => ({ [NAME_LABEL]: name });
const metadataOf = (ref: ObjectRef) => ({ ...ref, labels: { ...selected(ref), [PART_OF_LABEL]: PART_OF_FAIRLEAD } });

const httpGet = (path: string) => ({ httpGet: { path, port: 'health' } });

function container(): object {
  return {
    name: 'console',
    image: IMAGE,
    // Instead of the entry point of the image, which starts the controller.
    command: ['node', 'dist/cli/main.js', 'console'],
    args: [`--addr=0.0.0.0:${API_PORT}`, `--health-addr=0.0.0.0:${HEALTH_PORT}`],
    ports: [
      { name: 'api', containerPort: API_PORT },
      { name: 'health', containerPort: HEALTH_PORT },
    ],
    livenessProbe: { ...httpGet('/healthz'), initialDelaySeconds: 10 },
    readinessProbe: httpGet('/readyz'),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '2Gi' } },
    env: [{ name: 'TMPDIR', value: '/tmp' }],
    // For helm, which templates of values are rendered with.
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** Two processes: each has a cache of its own, and any of them may go. */
function deployment(account: ObjectRef): object {
  const labels = { ...selected(account), [PART_OF_LABEL]: PART_OF_FAIRLEAD };
  const annotations = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(HEALTH_PORT) };
  const user = {
    runAsNonRoot: true,
    runAsUser: 65_532,
    runAsGroup: 65_532,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const spread = { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' };
  const labelSelector = { matchLabels: selected(account) };
  return {
    replicas: 2,
    selector: labelSelector,
    template: {
      metadata: { labels, annotations },
      spec: {
        serviceAccountName: account.name,
        topologySpreadConstraints: [{ ...spread, labelSelector }],
        securityContext: user,
        containers: [container()],
        volumes: [{ name: 'tmp', emptyDir: { sizeLimit: '256Mi' } }],
      },
    },
  };
}

/** The manifests of the console server by file name, besides its rights. */
export function consoleManifests(account: ObjectRef): Map<string, KubeObject[]> {
  const metadata = metadataOf(account);
  const objects: Record<string, KubeObject & { spec?: object }> = {
    deployment: { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: deployment(account) },
    service: {
      ...{ apiVersion: 'v1', kind: 'Service', metadata },
      spec: {
        selector: selected(account),
        // Who was told of a change must find it in the next list: replicas hear of it one after the other.
        sessionAffinity: 'ClientIP',
        ports: [{ name: 'api', port: API_PORT, targetPort: 'api' }],
      },
    },
    'network-policy': consolePolicy(account, { api: API_PORT, health: HEALTH_PORT }),
  };
  return new Map(Object.entries(objects).map(([name, object]) => [`${name}.yaml`, [object]]));
}

/** What tells KubeSphere where the routes of the group are, by file name. */
export function kubesphereManifests({ name, namespace = '' }: ObjectRef): Map<string, KubeObject[]> {
  const [group, version] = [GITOPS_GROUP, 'v1alpha1'];
  const object: KubeObject & { spec: object; status: object } = {
    apiVersion: 'extensions.kubesphere.io/v1alpha1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [PART_OF_LABEL]: PART_OF_FAIRLEAD } },
    spec: { group, version, url: `http://${name}.${namespace}.svc:${API_PORT}` },
    // KubeSphere proxies to those that say so, and nothing else sets it.
    status: { state: 'Available' },
  };
  return new Map([['api-service.yaml', [object]]]);
}
