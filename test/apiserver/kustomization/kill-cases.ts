import type { Kustomization } from '#api/flux/kustomization.js';

const GROUP = 'kustomize.toolkit.fluxcd.io';
/** Stands for the name of a run. */
const RUN = '${run}';

type Fields = Readonly<Record<string, unknown>>;

function manifest(kind: string, name: string, fields: Fields = {}, apiVersion = 'v1'): Fields {
  return { apiVersion, kind, metadata: { name, namespace: RUN }, ...fields };
}

function place(name = RUN): Fields {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function map(name: string, color = 'red'): Fields {
  return manifest('ConfigMap', name, { data: { color } });
}

/** Its type cannot be changed. */
function secret(color: string, type: string): Fields {
  return manifest('Secret', 'key', { type, stringData: { color } });
}

const PLAIN = 'example.com/plain';
const service = manifest('Service', 'web', { spec: { ports: [{ port: 80 }] } });
const kept = {
  ...map('kept'),
  metadata: { name: 'kept', namespace: RUN, annotations: { [`${GROUP}/prune`]: 'disabled' } },
};
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `kites.${RUN}.example.com` },
  spec: {
    ...{ group: `${RUN}.example.com`, scope: 'Namespaced', names: { kind: 'Kite', plural: 'kites' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const kite = manifest('Kite', 'high', {}, `${RUN}.example.com/v1`);
const rank = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: RUN }, value: 1 };

/** The folder of the source that this is the only manifest of; `nothing` says that it is empty. */
function folder(name: string, ...objects: readonly Fields[]): Readonly<Record<string, string>> {
  if (objects.length === 0) return { [`${name}/kustomization.yaml`]: '{resources: []}' };
  return { [`${name}/all.yaml`]: objects.map((object) => JSON.stringify(object)).join('\n---\n') };
}

/** What all runs are built from, by path. */
export const SOURCE: Readonly<Record<string, string>> = {
  ...folder('whole', place(), definition, rank, map('a'), secret('red', PLAIN), kite),
  ...folder('first', place(), map('a'), map('old'), kept, secret('red', PLAIN), service),
  ...folder('next', place(), map('a'), manifest('ServiceAccount', 'fresh'), secret('green', PLAIN)),
  ...folder('plain', place(), map('a'), secret('red', PLAIN)),
  ...folder('other-type', place(), map('a', 'green'), secret('red', 'example.com/other'), service),
  ...folder('half', place(), rank, map('a', 'green'), secret('red', 'example.com/other')),
  ...folder('lone', place(), map('a')),
  ...folder('shut', place(`${RUN}-own`), map('a'), kept, service),
  ...folder('guests', map('a'), kept),
  ...folder('nothing'),
};

export type Spec = Partial<Kustomization['spec']>;

/** One thing that happens to a Kustomization, and every write that it takes. */
export interface KillCase {
  /** Lower-case letters: part of object names. */
  readonly action: string;
  /** What is applied before; absent: nothing. */
  readonly before?: Spec;
  readonly wish: Spec | 'delete';
  /** The reason with which the wish ends; absent: it is Ready. */
  readonly fails?: string;
  /** What is wanted instead by the time that the next process starts. */
  readonly then?: Spec;
  /** Each as `METHOD plural`, in their order. The process is killed before each of them. */
  readonly writes: readonly string[];
  /** What is there in the end, as `cluster Kind/name`, beside what the server makes. */
  readonly leaves: readonly string[];
  /** Kinds of which another object takes the place of the one before. */
  readonly renews?: readonly string[];
}

export const STATUS = 'PATCH kustomizations/status';
export const ITSELF = 'PATCH kustomizations';

export const MEMBER = 'on-the-member';

export const KILL_CASES: readonly KillCase[] = [
  {
    action: 'create',
    wish: { path: 'whole' },
    writes: [
      ...[ITSELF, STATUS, 'PATCH customresourcedefinitions', 'PATCH namespaces', 'PATCH priorityclasses'],
      ...['PATCH configmaps', 'PATCH secrets', 'PATCH kites', STATUS],
    ],
    leaves: [
      ...['host ConfigMap/a', 'host CustomResourceDefinition/kites.RUN.example.com', 'host Kite/high'],
      ...['host Namespace/RUN', 'host PriorityClass/RUN', 'host Secret/key'],
    ],
  },
  {
    action: 'regret',
    wish: { path: 'other-type' },
    then: { path: 'lone' },
    writes: [
      ...[ITSELF, STATUS, 'PATCH namespaces', 'PATCH configmaps'],
      ...['PATCH secrets', 'PATCH services', STATUS],
    ],
    leaves: ['host ConfigMap/a', 'host Namespace/RUN'],
  },
  {
    action: 'change',
    before: { path: 'first' },
    wish: { path: 'next' },
    writes: [
      ...[STATUS, 'PATCH serviceaccounts', 'PATCH secrets', 'DELETE services'],
      ...['DELETE configmaps', STATUS],
    ],
    leaves: [
      ...['host ConfigMap/a', 'host ConfigMap/kept', 'host Namespace/RUN'],
      ...['host Secret/key', 'host ServiceAccount/fresh'],
    ],
  },
  {
    action: 'recreate',
    before: { path: 'plain' },
    wish: { path: 'other-type', force: true },
    writes: [STATUS, 'PATCH configmaps', 'DELETE secrets', 'PATCH secrets', 'PATCH services', STATUS],
    leaves: ['host ConfigMap/a', 'host Namespace/RUN', 'host Secret/key', 'host Service/web'],
    renews: ['Secret'],
  },
  {
    // The class is there by the time that another object is refused.
    action: 'refuse',
    before: { path: 'plain' },
    wish: { path: 'half' },
    fails: 'ReconciliationFailed',
    writes: [STATUS, 'PATCH priorityclasses', STATUS],
    leaves: ['host ConfigMap/a', 'host Namespace/RUN', 'host PriorityClass/RUN', 'host Secret/key'],
  },
  {
    action: 'mend',
    before: { path: 'plain' },
    wish: { path: 'half' },
    fails: 'ReconciliationFailed',
    then: { path: 'plain' },
    writes: [STATUS, 'PATCH priorityclasses', STATUS],
    leaves: ['host ConfigMap/a', 'host Namespace/RUN', 'host Secret/key'],
  },
  {
    action: 'empty',
    before: { path: 'shut' },
    wish: { path: 'nothing', deletionPolicy: 'Orphan' },
    writes: ['DELETE services', 'DELETE configmaps', 'DELETE namespaces', STATUS],
    leaves: ['host ConfigMap/kept'],
  },
  {
    action: 'delete',
    before: { path: 'guests' },
    wish: 'delete',
    writes: ['DELETE configmaps', ITSELF],
    leaves: ['host ConfigMap/kept'],
  },
  {
    action: 'await',
    before: { path: 'guests', deletionPolicy: 'WaitForTermination' },
    wish: 'delete',
    writes: ['DELETE configmaps', ITSELF],
    leaves: ['host ConfigMap/kept'],
  },
  {
    action: 'orphan',
    before: { path: 'guests', deletionPolicy: 'Orphan' },
    wish: 'delete',
    writes: [ITSELF],
    leaves: ['host ConfigMap/a', 'host ConfigMap/kept'],
  },
  {
    action: 'move',
    before: { path: 'plain' },
    wish: { path: 'plain', kubeConfig: { secretRef: { name: MEMBER } } },
    writes: ['PATCH namespaces', 'PATCH configmaps', 'PATCH secrets', STATUS],
    leaves: [
      ...['host ConfigMap/a', 'host Namespace/RUN', 'host Secret/key'],
      ...['member ConfigMap/a', 'member Namespace/RUN', 'member Secret/key'],
    ],
  },
];
