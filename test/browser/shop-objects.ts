import type { ResourceType } from '#api/meta.js';
import { helmTemplateResource } from '#api/v1alpha1/helm-template.js';
import { kustomizationTemplateResource } from '#api/v1alpha1/kustomization-template.js';

export const NAMESPACE = 'shop';

/** The first four exist; of the others, only what is said of them. */
export const CLUSTERS = [
  { name: 'eu-1', labels: { env: 'prod', region: 'eu', tier: 'canary' } },
  { name: 'eu-2', labels: { env: 'prod', region: 'eu', tier: 'main' } },
  { name: 'us-1', labels: { env: 'prod', region: 'us', tier: 'main' } },
  { name: 'ap-1', labels: { env: 'prod', region: 'ap', tier: 'main' } },
  { name: 'us-2', labels: { env: 'staging', region: 'us' } },
  { name: 'edge-1', labels: { env: 'edge', region: 'eu' } },
] as const;

const CHARTS = { kind: 'HelmRepository', name: 'shop-charts' };
const DEPLOY = { timeout: '30s', install: { createNamespace: true } };

const VALUES_SCHEMA = {
  type: 'object',
  required: ['host'],
  properties: {
    host: { type: 'string', description: 'Where customers reach it.' },
    replicas: { type: 'integer', minimum: 1, maximum: 20, description: 'How many pods there are.' },
    database: {
      ...{ type: 'object', description: 'Where it keeps its data.' },
      properties: { name: { type: 'string' }, sslMode: { enum: ['disable', 'require'], default: 'require' } },
    },
    cache: {
      type: 'object',
      properties: { enabled: { type: 'boolean', default: true }, size: { type: 'string', default: '64Mi' } },
    },
  },
};

function template(kind: string, name: string, spec: object): object {
  return { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind, metadata: { name, namespace: NAMESPACE }, spec };
}

const chartTemplate = (name: string, chart: object, more: object): [ResourceType, object] => {
  const spec = { sourceRef: { ...CHARTS, namespace: NAMESPACE }, chart, ...more };
  return [helmTemplateResource, template('HelmTemplate', name, spec)];
};

/** In the order in which they are written: the same name again is a new revision. */
export function templatesOf(): [ResourceType, object][] {
  const service = (version: string, replicas: number) =>
    chartTemplate(
      'web-service',
      { chart: 'web', version },
      { values: { replicas }, valuesSchema: VALUES_SCHEMA, deploy: DEPLOY, sharedWith: { namespaces: ['marketing'] } },
    );
  const files = { sourceRef: { kind: 'GitRepository', name: 'shop-site', namespace: NAMESPACE } };
  const site = { ...files, path: './kustomize/web', deploy: { interval: '5m' } };
  return [
    service('1.4.1', 2),
    chartTemplate('nightly-job', { chart: 'job', version: '2.x' }, { values: { schedule: '0 3 * * *' } }),
    [kustomizationTemplateResource, template('KustomizationTemplate', 'static-site', site)],
    service('1.4.2', 2),
  ];
}

/** Nobody is there to approve what came before the last version. */
function rolloutOf(version: string) {
  const stages = [
    { name: 'canary', clusters: { names: ['eu-1'] } },
    { name: 'europe', clusters: { selector: { matchLabels: { region: 'eu' } } } },
    { name: 'rest', approval: version === '1.5.0' },
  ];
  return { stages };
}

function checkoutOf(cause: string, version: string, more: object = {}) {
  const values = { host: 'checkout.${{ cluster.name }}.shop.example', replicas: 2, ...more };
  const overrides = [
    { clusters: { names: ['eu-2'] }, values: { database: { sslMode: 'disable' } } },
    { clusters: { names: ['us-1'] }, values: { replicas: 4 } },
  ];
  const destination = { clusterSelector: { matchLabels: { env: 'prod' } }, targetNamespace: NAMESPACE };
  const helmRelease = {
    chart: { chart: 'web', version },
    deploy: [{ destination, ...DEPLOY, values, overrides }],
  };
  const spec = { source: { sourceRef: CHARTS }, config: { helmRelease } };
  return { cause, kind: 'fluxcd', rollout: rolloutOf(version), fluxApp: { spec } };
}

function catalogOf(cause: string, size: string) {
  const entry = (cluster: string, replicas: number) => ({
    destination: { kubeConfig: { secretRef: { name: cluster } }, targetNamespace: NAMESPACE },
    values: { host: `catalog.${cluster}.shop.example`, replicas, cache: { size } },
  });
  const helmRelease = { template: 'web-service', deploy: [entry('eu-1', 3), entry('us-1', 2), entry('ap-1', 2)] };
  return { cause, kind: 'fluxcd', fluxApp: { spec: { config: { helmRelease } } } };
}

/** The revisions of what is deployed. */
export function applicationsOf() {
  return {
    catalog: [catalogOf('first release', '64Mi'), catalogOf('room for the sale', '128Mi')],
    checkout: [
      checkoutOf('first release', '1.4.1'),
      checkoutOf('SHOP-482: cache for the sale', '1.4.2', { cache: { size: '128Mi' } }),
      checkoutOf('SHOP-517: new payment page', '1.5.0', { cache: { size: '128Mi' } }),
    ],
  };
}
