import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Kube } from '#runtime/client/kube.js';
import { SPEC } from '../apiserver/console/people.js';

const AT = '2026-01-01T00:00:00Z';

interface Row {
  readonly cluster: string;
  readonly state: string;
  readonly message?: string;
  /** The cluster that took the place of its own. */
  readonly replaced?: object;
}

export interface Story {
  readonly name: string;
  readonly reason: string;
  readonly isReady: boolean;
  readonly message: string;
  readonly rows: readonly Row[];
  /** Of the status, besides. */
  readonly more?: object;
  /** Of the spec, besides. */
  readonly spec?: object;
}

export const HTML = '<img src=x onerror="document.title=\'owned\'"><b>bold</b>';

/** As the controller would leave them. */
export const STORIES: readonly Story[] = [
  {
    ...{ name: 'checkout', isReady: false, reason: 'DestinationsFailed' },
    message: 'Helm upgrade failed for release app/checkout with chart web@1.5.0: no such image',
    rows: [
      { cluster: 'ap-1', state: 'Ready' },
      { cluster: 'eu-1', state: 'Failed', message: `no such image ${HTML}` },
      { cluster: 'us-1', state: 'Progressing', message: 'waiting for Deployment/app/checkout' },
    ],
  },
  {
    ...{ name: 'catalog', isReady: true, reason: 'AllReady', message: 'all destinations are ready' },
    rows: ['ap-1', 'eu-1', 'us-1'].map((cluster) => ({ cluster, state: 'Ready' })),
  },
  {
    ...{ name: 'search', isReady: false, reason: 'DestinationsFailed', message: 'us-1 cannot be reached' },
    rows: [
      { cluster: 'eu-1', state: 'Ready' },
      { cluster: 'us-1', state: 'Unreachable', message: 'connection refused' },
    ],
  },
  {
    ...{ name: 'payments', isReady: false, reason: 'Progressing', message: HTML },
    rows: [
      { cluster: 'ap-1', state: 'Suspended' },
      { cluster: 'eu-1', state: 'Pending' },
    ],
  },
];

function statusOf({ isReady, reason, message, rows, more = {} }: Story): object {
  const ready = rows.filter(({ state }) => state === 'Ready').length;
  return {
    conditions: [
      { type: 'Ready', status: isReady ? 'True' : 'False', reason, message, lastTransitionTime: AT },
      ...(reason === 'Progressing'
        ? [{ type: 'Reconciling', status: 'True', reason, message, lastTransitionTime: AT }]
        : []),
    ],
    summary: { desired: rows.length, ready: `${ready}/${rows.length}` },
    revision: '1.5.0',
    destinations: rows.map(({ cluster, state, message: why, replaced }) => ({
      ...{ name: `${cluster}-app`, cluster, namespace: 'app', release: 'web', state, revision: '1.5.0' },
      ...(why === undefined ? {} : { message: why }),
      ...(replaced === undefined ? {} : { replaced }),
    })),
    ...more,
  };
}

/** On the API server, with its status. */
export async function tell(kube: Kube, namespace: string, story: Story): Promise<void> {
  const metadata = { name: story.name, namespace };
  const object = {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata,
    spec: { ...SPEC, ...story.spec },
  };
  await kube.apply(applicationResource, object, { fieldManager: 'test', force: true });
  const body = { status: statusOf(story) };
  await kube.patch<Application>(
    applicationResource,
    metadata,
    { type: 'merge', body },
    { fieldManager: 'test', subresource: 'status' },
  );
}
