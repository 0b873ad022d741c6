import type { Unstructured } from '#api/meta.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';

/** Where everything of these Applications runs, on each cluster. */
export const FEATURE_NAMESPACE = 'features';
const REPOSITORY = { kind: 'HelmRepository', name: 'fairlead-charts' };
const FILES = { kind: 'GitRepository', name: 'fluxcd-github-repo' };

/** How a feature releases something: charts or files. */
export type Way = 'charts' | 'files';
export const WAYS: readonly Way[] = ['charts', 'files'];

/** Everything of an Application that a feature decides. */
interface Feature {
  readonly spec?: object;
  readonly metadata?: { readonly annotations: Record<string, string> };
  /** Fields of `fluxApp.spec.config`. */
  readonly config?: object;
  /** Entries; each runs where `destination` says, in the namespace of the features unless it names another. */
  readonly entries: readonly Entry[];
}

interface Entry {
  readonly name?: string;
  readonly destination?: object;
  /** Fields of the entry, whichever way. */
  readonly fields?: object;
  /** Differs between two revisions: a message of the chart, or a label of the files. */
  readonly text?: string;
  /** Fails wherever it is tried. */
  readonly fails?: boolean;
}

const EVERYWHERE = { clusterSelector: { matchLabels: { env: 'prod' } } };
const byRef = (name: string): object => ({ clusterRef: { kind: 'Secret', name } });

function chartEntry({ name, destination, fields, text, fails }: Entry): object {
  return {
    ...(name === undefined ? {} : { name }),
    destination: { targetNamespace: FEATURE_NAMESPACE, ...destination },
    // The schema of the chart knows three colors.
    values: { light: { message: text ?? 'first', ...(fails === true ? { color: 'purple' } : {}) } },
    ...fields,
  };
}

function fileEntry(prefix: string, { name, destination, fields, text, fails }: Entry): object {
  return {
    ...(name === undefined ? {} : { name }),
    destination: { targetNamespace: FEATURE_NAMESPACE, ...destination },
    path: fails === true ? './kustomize/nowhere' : './kustomize/base',
    namePrefix: `${prefix}-${name === undefined ? '' : `${name}-`}`,
    commonMetadata: { labels: { text: text ?? 'first' } },
    ...fields,
  };
}

/** The Application of a feature: `NAME-charts` or `NAME-files`. */
export function featureApplication(feature: string, way: Way, made: Feature): Unstructured {
  const name = `${feature}-${way}`;
  const { spec = {}, metadata = {}, config = {}, entries } = made;
  const chart = { chart: 'lighthouse', version: '1.4.x' };
  const released =
    way === 'charts'
      ? {
          source: { sourceRef: REPOSITORY },
          config: { ...config, helmRelease: { chart, deploy: entries.map(chartEntry) } },
        }
      : {
          source: { sourceRef: FILES },
          config: { ...config, kustomization: entries.map((entry) => fileEntry(name, entry)) },
        };
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: PROJECT_NAMESPACE, ...metadata },
    spec: { kind: 'fluxcd', ...spec, fluxApp: { spec: released } },
  };
}

const stages = (more: object = {}) => ({
  stages: [
    { name: 'canary', clusters: { names: ['c1'] } },
    { name: 'rest', ...more },
  ],
});
const annotated = (name: string, value: string) => ({ annotations: { [`gitops.kubesphere.io/${name}`]: value } });
const everywhere = (more: Omit<Entry, 'destination'> = {}): Entry => ({ destination: EVERYWHERE, ...more });

/** The first specs that users write, by feature. */
export const FIRST: Readonly<Record<string, Feature>> = {
  host: { entries: [{}] },
  named: {
    entries: [
      { name: 'eu', destination: byRef('c1') },
      { name: 'us', destination: byRef('c2') },
    ],
  },
  secret: { entries: [{ destination: { kubeConfig: { secretRef: { name: 'stage-kubeconfig' } } } }] },
  selector: { entries: [everywhere()] },
  overrides: {
    entries: [everywhere({ fields: { overrides: [{ clusters: { names: ['c3'] }, suspend: true }] } })],
  },
  once: { entries: [everywhere({ fields: { mode: 'Once' } })] },
  orphan: { spec: { deletionPolicy: 'Orphan' }, entries: [everywhere()] },
  suspended: { entries: [everywhere()] },
  'paused-cluster': { entries: [everywhere()] },
  'dry-run': { entries: [everywhere()] },
  edited: { spec: { revisionHistoryLimit: 5 }, entries: [everywhere()] },
  pinned: { spec: { revisionHistoryLimit: 5 }, entries: [everywhere()] },
  complete: { spec: { rollout: stages() }, entries: [everywhere()] },
  waits: { spec: { rollout: stages({ approval: true }) }, entries: [everywhere()] },
  halted: { spec: { rollout: stages() }, entries: [everywhere()] },
  'rolled-back': { spec: { rollout: { ...stages(), onFailure: 'Rollback' } }, entries: [everywhere()] },
  aborted: { spec: { rollout: stages({ approval: true }) }, entries: [everywhere()] },
  'held-removals': { spec: { maxRemovals: 1 }, entries: [everywhere()] },
  moves: { spec: { maxRemovals: 1 }, entries: [everywhere({ name: 'moving' })] },
  rejected: { entries: [everywhere(), { name: 'nowhere', destination: byRef('missing') }] },
  unreachable: { entries: [{ destination: byRef('silent') }, { name: 'eu', destination: byRef('c1') }] },
  replaced: { entries: [{ destination: byRef('swapped') }] },
  'left-cluster': { entries: [everywhere(), { name: 'going', destination: byRef('going') }] },
  'deleted-waits': { entries: [{ destination: byRef('going') }] },
  fails: {
    entries: [
      { name: 'bad', destination: byRef('c1'), fails: true },
      { name: 'good', destination: byRef('c2') },
    ],
  },
  depends: { entries: [{ destination: byRef('c1') }], config: { dependsOn: [{ name: 'nobody' }] } },
};

/** The specs that users write next. A feature without an entry here keeps its first spec. */
export const THEN: Readonly<Record<string, Feature>> = {
  suspended: { entries: [everywhere({ fields: { suspend: true }, text: 'second' })] },
  'paused-cluster': {
    entries: [everywhere({ fields: { overrides: [{ clusters: { names: ['c2'] }, paused: true }] }, text: 'second' })],
  },
  'dry-run': { metadata: annotated('dry-run', 'true'), entries: [everywhere({ text: 'second' })] },
  edited: { spec: { revisionHistoryLimit: 5 }, entries: [everywhere({ text: 'second' })] },
  pinned: {
    spec: { revisionHistoryLimit: 5 },
    metadata: annotated('pin-revision', '1'),
    entries: [everywhere({ text: 'second' })],
  },
  complete: { spec: { rollout: stages() }, entries: [everywhere({ text: 'second' })] },
  waits: { spec: { rollout: stages({ approval: true }) }, entries: [everywhere({ text: 'second' })] },
  halted: { spec: { rollout: stages() }, entries: [everywhere({ text: 'second', fails: true })] },
  'rolled-back': {
    spec: { rollout: { ...stages(), onFailure: 'Rollback' } },
    entries: [everywhere({ text: 'second', fails: true })],
  },
  aborted: {
    spec: { rollout: stages({ approval: true }) },
    entries: [everywhere({ text: 'second' })],
  },
  'held-removals': {
    spec: { maxRemovals: 1 },
    entries: [{ destination: { clusterSelector: { matchLabels: { env: 'prod', region: 'eu' } } } }],
  },
  moves: {
    spec: { maxRemovals: 1 },
    entries: [everywhere({ name: 'moving', fields: { destination: { ...EVERYWHERE, targetNamespace: 'moved' } } })],
  },
};
