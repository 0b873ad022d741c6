import { applicationResource } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { NAMESPACE } from './shop-objects.js';

const AT = '2026-01-01T00:00:00Z';

interface Other {
  readonly name: string;
  readonly chart: string;
  readonly version: string;
  /** Cluster and state; what is ready needs no more words. */
  readonly rows: Readonly<Record<string, string>>;
}

const MESSAGES: Readonly<Record<string, string>> = {
  Unreachable: 'connect ETIMEDOUT 192.0.2.7:6443',
  Progressing: 'waiting for Deployment/shop/payments: 1 of 3 pods are ready',
};
const EVERYWHERE = { 'eu-1': 'Ready', 'eu-2': 'Ready', 'us-1': 'Ready', 'ap-1': 'Ready' };

/** What no page of the pictures goes into: it is only in lists. */
const OTHERS: readonly Other[] = [
  { name: 'search', chart: 'search', version: '3.2.0', rows: { ...EVERYWHERE, 'edge-1': 'Unreachable' } },
  { name: 'payments', chart: 'payments', version: '2.8.1', rows: { ...EVERYWHERE, 'us-1': 'Progressing' } },
  { name: 'basket', chart: 'basket', version: '1.9.4', rows: { ...EVERYWHERE, 'us-2': 'Ready' } },
  { name: 'images', chart: 'images', version: '0.7.3', rows: { ...EVERYWHERE, 'us-2': 'Suspended' } },
  { name: 'login', chart: 'login', version: '4.0.2', rows: { ...EVERYWHERE, 'us-2': 'Ready' } },
  { name: 'reports', chart: 'reports', version: '1.1.0', rows: { 'eu-1': 'Ready', 'us-2': 'Ready' } },
];

/** As the controller words it. */
function summaryOf({ rows }: Other): { status: string; reason: string; message: string } {
  const [cluster = '', state = 'Ready'] = Object.entries(rows).find(([, each]) => each in MESSAGES) ?? [];
  if (state === 'Ready') return { status: 'True', reason: 'AllReady', message: 'all destinations are ready' };
  const reason = state === 'Unreachable' ? 'DestinationsFailed' : 'Progressing';
  return { status: 'False', reason, message: `${cluster}: ${MESSAGES[state] ?? ''}` };
}

function statusOf(other: Other): object {
  const { name, version, rows } = other;
  const clusters = Object.entries(rows);
  const ready = clusters.filter(([, state]) => state === 'Ready').length;
  const condition = { ...summaryOf(other), lastTransitionTime: AT };
  const isMoving = condition.reason === 'Progressing';
  return {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', ...condition },
      ...(isMoving ? [{ type: 'Reconciling', ...condition, status: 'True' }] : []),
    ],
    summary: { desired: clusters.length, ready: `${ready}/${clusters.length}` },
    revision: version,
    destinations: clusters.map(([cluster, state]) => ({
      ...{ name: cluster, cluster, namespace: NAMESPACE, release: name, state, revision: version },
      ...(state in MESSAGES ? { message: MESSAGES[state] } : {}),
    })),
  };
}

/** Beside what is deployed: more Applications, with what a controller would say of them. None may run. */
export async function tellOthers(kube: Kube): Promise<void> {
  for (const other of OTHERS) {
    const { name, chart, version, rows } = other;
    const metadata = { name, namespace: NAMESPACE };
    const deploy = Object.keys(rows).map((cluster) => ({
      destination: { kubeConfig: { secretRef: { name: cluster } }, targetNamespace: NAMESPACE },
    }));
    const source = { sourceRef: { kind: 'HelmRepository', name: 'shop-charts' } };
    const spec = { source, config: { helmRelease: { chart: { chart, version }, deploy } } };
    const object = {
      ...{ apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata },
      spec: { kind: 'fluxcd', fluxApp: { spec } },
    };
    await kube.apply(applicationResource, object, { fieldManager: 'jane', force: true });
    const body = { status: statusOf(other) };
    await kube.patch(applicationResource, metadata, { type: 'merge', body }, { subresource: 'status' });
  }
}
