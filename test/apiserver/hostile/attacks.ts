import { gzipSync } from 'node:zlib';
import type { Unstructured } from '#api/meta.js';
import { billionLaughs } from '../../support/billion-laughs.js';
import { bombExpression, endlessExpression } from '../../support/endless-expression.js';
import { nested } from '../../support/nested.js';

/** Kind and name of an object, and what its conditions say. */
export type Told = readonly [kind: string, name: string, says: RegExp];

/** What a tenant may write that costs more than its length. */
export interface Attack {
  readonly name: string;
  readonly objects: readonly Unstructured[];
  /** What tells that it has begun; absent: it has at once. */
  readonly begun?: readonly Told[];
  /** The object that is told of it in the end; absent: nobody is. */
  readonly victim?: Told;
}

const TOO_MANY_PARTS = /spec\.driftDetection\.ignore\[0\]\.target: the pattern .* more than 1000 parts/;
const SOURCE = 'source.toolkit.fluxcd.io/v1';
const OURS = 'gitops.kubesphere.io/v1alpha1';

function object(apiVersion: string, kind: string, name: string, fields: Record<string, unknown>): Unstructured {
  return { apiVersion, kind, metadata: { name }, ...fields };
}

export function repository(name: string, url: string): Unstructured {
  return object(SOURCE, 'HelmRepository', name, { spec: { url, interval: '1m' } });
}

function configMap(name: string, data: Record<string, string>): Unstructured {
  return object('v1', 'ConfigMap', name, { data });
}

function chartSpec(chart: string): Record<string, unknown> {
  return { chart, version: '1.0.0', sourceRef: { kind: 'HelmRepository', name: 'charts' } };
}

function release(name: string, spec: Record<string, unknown>, chart = 'quiet'): Unstructured {
  return object('helm.toolkit.fluxcd.io/v2', 'HelmRelease', name, {
    spec: { interval: '10m', timeout: '20s', chart: { spec: chartSpec(chart) }, ...spec },
  });
}

function template(name: string, valuesSchema: object): Unstructured {
  const sourceRef = { kind: 'HelmRepository', name: 'charts', namespace: 'NAMESPACE' };
  return object(OURS, 'HelmTemplate', name, { spec: { sourceRef, chart: { chart: 'quiet' }, valuesSchema } });
}

/** An Application for a cluster that is defined only by this Secret. */
function onCluster(name: string, values: unknown): Unstructured[] {
  const labels = { 'gitops.kubesphere.io/cluster': 'true', name };
  const destination = { clusterSelector: { matchLabels: { name } }, targetNamespace: 'NAMESPACE' };
  const config = { helmRelease: { chart: { chart: 'quiet' }, deploy: [{ destination, values }] } };
  const spec = { source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } }, config };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels } },
    object(OURS, 'Application', name, { spec: { kind: 'fluxcd', fluxApp: { spec } } }),
  ];
}

function user(name: string, values: unknown = { a: 1 }): Unstructured {
  const deploy = [{ destination: { targetNamespace: 'NAMESPACE' }, values }];
  const fluxApp = { spec: { config: { helmRelease: { template: name, deploy } } } };
  return object(OURS, 'Application', name, { spec: { kind: 'fluxcd', fluxApp } });
}

/** Each level asks twice for the next one. */
function doubling(levels: number): object {
  const ref = (level: number): object => ({ $ref: `#/definitions/a${level}` });
  const level = (index: number): [string, object] => [`a${index}`, { allOf: [ref(index + 1), ref(index + 1)] }];
  const definitions = Object.fromEntries(Array.from({ length: levels }, (_, index) => level(index)));
  return { definitions: { ...definitions, [`a${levels}`]: { type: 'object' } }, ...ref(0) };
}

const DRIFT = {
  mode: 'enabled',
  ignore: [{ paths: ['/__proto__/valueOf'], target: { labelSelector: `${'a,'.repeat(100_000)}a` } }],
};

/** A release for a member whose answers never end. */
function elsewhere(part: 'kinds' | 'pages'): readonly Unstructured[] {
  const name = `endless-${part}`;
  const kubeConfig = { secretRef: { name } };
  return [
    object('v1', 'Secret', name, { stringData: { value: `KUBECONFIG-${part}` } }),
    release(name, { kubeConfig, targetNamespace: 'NAMESPACE' }),
  ];
}

/** A revision in Helm's storage, of less than 1 MiB. */
function storedRevision(name: string, json: string): Unstructured {
  const packed = gzipSync(json, { level: 9 }).toString('base64');
  const data = { release: Buffer.from(packed).toString('base64') };
  const secret = object('v1', 'Secret', `sh.helm.release.v1.${name}.v1`, { type: 'helm.sh/release.v1', data });
  return {
    ...secret,
    metadata: { ...secret.metadata, labels: { owner: 'helm', name, status: 'deployed', version: '1' } },
  };
}

const STORED_HEAD = '---\n# Source: a/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';

function storedRecord(name: string, manifest: string): Record<string, unknown> {
  const chart = { metadata: { name: 'quiet', version: '1.0.0' } };
  return { name, version: 1, info: { status: 'deployed' }, chart, manifest };
}

const REPEATING = {
  mode: 'enabled',
  ignore: Array.from({ length: 3 }, () => ({
    paths: ['/a'],
    target: { name: String.raw`[\pL\pN]{1000}`.repeat(200) },
  })),
};

const MATCHING = {
  mode: 'enabled',
  ignore: Array.from({ length: 2 }, () => ({ paths: ['/a'], target: { name: '(a?){900}(a?){700}' } })),
};

/**
 * Hostile objects. NAMESPACE stands for the tenant's namespace, KUBECONFIG for a kubeconfig of a hostile member, and
 * ORIGIN for the address of the repositories.
 */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'a JSON schema that takes years',
    objects: [template('years', doubling(60)), user('years')],
    victim: ['HelmTemplate', 'years', /takes longer than 3 s/],
  },
  {
    name: 'a JSON schema that refers to itself',
    objects: [
      template('itself', { definitions: { a: { allOf: [{ $ref: '#/definitions/a' }] } }, $ref: '#/definitions/a' }),
    ],
    victim: ['HelmTemplate', 'itself', /is infinitely recursive/],
  },
  {
    name: 'ControllerRevisions that hold nothing',
    objects: Array.from({ length: 10 }, (_, index) => {
      const odd = object('apps/v1', 'ControllerRevision', `odd-${index}`, { data: { odd: true }, revision: 1 });
      return { ...odd, metadata: { ...odd.metadata, labels: { 'gitops.kubesphere.io/revision-of': 'HelmTemplate' } } };
    }),
  },
  {
    name: 'values of 300 bytes that expand without end',
    objects: [
      configMap('laughs', { 'values.yaml': billionLaughs(8) }),
      release('laughs', { valuesFrom: [{ kind: 'ConfigMap', name: 'laughs' }] }),
    ],
    victim: ['HelmRelease', 'laughs', /excessive aliasing/],
  },
  {
    name: 'a list that is set item by item',
    objects: [
      configMap('items', { text: Array.from({ length: 60_000 }, (_, index) => `1,a[${index}]=1`).join(',') }),
      release('items', { valuesFrom: [{ kind: 'ConfigMap', name: 'items', valuesKey: 'text', targetPath: 'b' }] }),
    ],
    victim: ['HelmRelease', 'items', /cannot be set at targetPath/],
  },
  {
    name: 'expressions that never end',
    objects: [
      release('expressions', {
        dependsOn: Array.from({ length: 50 }, () => ({ name: 'laughs', readyExpr: endlessExpression() })),
      }),
    ],
    victim: ['HelmRelease', 'expressions', /it takes too long/],
  },
  {
    name: 'an expression among values that would end the process',
    objects: onCluster('bomb', { a: `\${{ ${bombExpression()} }}` }),
    victim: ['Application', 'bomb', /it makes a text of more than 1048576 characters/],
  },
  {
    name: 'an expression about a dependency that would end the process',
    objects: [release('lethal', { dependsOn: [{ name: 'laughs', readyExpr: bombExpression() }] })],
    victim: ['HelmRelease', 'lethal', /it makes a text of more than 1048576 characters/],
  },
  {
    name: 'patterns of drift rules that repeat without end',
    objects: [release('repeating', { interval: '3s', driftDetection: REPEATING })],
    victim: ['HelmRelease', 'repeating', TOO_MANY_PARTS],
  },
  {
    name: 'patterns of drift rules that take long to match',
    objects: [release('matching', { interval: '3s', driftDetection: MATCHING })],
    victim: ['HelmRelease', 'matching', TOO_MANY_PARTS],
  },
  {
    name: 'drift rules of 200 KB that reach for what all objects share',
    objects: [release('drifting', { interval: '3s', driftDetection: DRIFT })],
    victim: ['HelmRelease', 'drifting', /Helm install succeeded/],
  },
  {
    name: 'values that nest a thousand levels deep',
    objects: [release('deep', { values: nested(1_000) })],
    victim: ['HelmRelease', 'deep', /spec\.values nests more than 500/],
  },
  {
    name: 'a release that exhausts the stack of who reads all of them',
    objects: [release('deeper', { values: nested(3_000) })],
    victim: ['HelmRelease', 'deeper', /spec\.values nests more than 500/],
  },
  {
    name: 'an Application that exhausts the stack of who reads all of them',
    objects: [user('deepest', nested(3_000))],
    victim: ['Application', 'deepest', /spec nests more than 500/],
  },
  {
    name: 'a chart of 300 KB that unpacks to 320 MB',
    objects: [release('bomb', {}, 'bomb')],
    victim: ['HelmRelease', 'bomb', /contains more than 33554432 bytes/],
  },
  {
    name: 'a chart whose values expand without end',
    objects: [release('laughing', {}, 'laughing')],
    victim: ['HelmRelease', 'laughing', /not valid YAML|aliasing/],
  },
  {
    name: 'a chart whose Chart.yaml has 13 MB',
    objects: [release('windy', {}, 'windy')],
    victim: ['HelmRelease', 'windy', /Chart\.yaml of .* has more than 1048576 bytes/],
  },
  {
    name: 'a values file of 13 MB',
    objects: [release('valued', { chart: { spec: { ...chartSpec('valued'), valuesFiles: ['more.yaml'] } } })],
    victim: ['HelmRelease', 'valued', /values file 'more\.yaml' has more than 4194304 bytes/],
  },
  {
    name: 'a template of 30 bytes that takes all memory',
    objects: [release('hungry', {}, 'hungry')],
    victim: ['HelmRelease', 'hungry', /took more than 536870912 bytes of memory/],
  },
  {
    name: 'a template that renders to 10 MB',
    objects: [release('wordy', {}, 'wordy')],
    victim: ['HelmRelease', 'wordy', /wordy/],
  },
  {
    name: 'an index that expands without end',
    objects: [repository('laughing-index', 'ORIGIN/laughing')],
    victim: ['HelmRepository', 'laughing-index', /excessive aliasing/],
  },
  {
    name: 'an index of many megabytes',
    objects: [repository('long-index', 'ORIGIN/long')],
    victim: ['HelmRepository', 'long-index', /stored artifact/],
  },
  {
    name: 'a kubeconfig of a server that serves gigabytes of kinds',
    objects: elsewhere('kinds'),
    victim: ['HelmRelease', 'endless-kinds', /answered with more than/],
  },
  {
    name: 'a kubeconfig of a server whose lists never end',
    objects: elsewhere('pages'),
    victim: ['HelmRelease', 'endless-pages', /answered with more than/],
  },
  {
    name: 'a release in the storage of Helm that unpacks to 240 MB of numbers',
    objects: [
      storedRevision('stored', `{"a":[${'1234567890123456789,'.repeat(12_000_000)}1]}`),
      release('stored', { releaseName: 'stored' }),
    ],
    victim: ['HelmRelease', 'stored', /sh\.helm\.release\.v1\.stored\.v1 has more than 33554432 bytes/],
  },
  {
    name: 'a release in the storage of Helm whose manifest of 20 MB is dense',
    objects: [
      storedRevision(
        'dense',
        JSON.stringify(storedRecord('dense', `${STORED_HEAD}x: [${'{},'.repeat(7_000_000)}{}]\n`)),
      ),
      release('dense', { releaseName: 'dense' }),
    ],
    victim: ['HelmRelease', 'dense', /sh\.helm\.release\.v1\.dense\.v1 has more than 1500000 lines/],
  },
  {
    name: 'a release in the storage of Helm with more objects than can be held',
    objects: [
      storedRevision('nodes', JSON.stringify(storedRecord('nodes', `${STORED_HEAD}x: [${'{},'.repeat(700_000)}{}]\n`))),
      release('nodes', { releaseName: 'nodes' }),
    ],
    victim: ['HelmRelease', 'nodes', /sh\.helm\.release\.v1\.nodes\.v1 has more than 300000 fields and items/],
  },
  {
    name: 'as many releases that wait for health as there are workers',
    objects: Array.from({ length: 4 }, (_, index) => release(`waits-${index}`, { timeout: '5m' }, 'waiting')),
    begun: Array.from({ length: 4 }, (_, index) => ['HelmRelease', `waits-${index}`, /Running 'install'/] as const),
  },
];
