import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import type { Result } from '#controllers/application/evaluators/evaluator.js';
import { ResultCache } from '#controllers/application/evaluators/result-cache.js';
import { templateEvaluator } from '#controllers/application/evaluators/templates.js';
import type { Layer } from '#controllers/application/model/child/layers.js';
import type { Cluster } from '#controllers/cluster/model/cluster.js';
import { run, type Run } from '#engine/process/run.js';
import type { Offload } from '#runtime/isolation/offload.js';
import { parseYaml } from '#lib/yaml/yaml.js';
import { ensureTools } from '#sandbox/tools.js';
import { blocksIn } from '../../support/doc-blocks.js';
import { builtOffload } from '../../support/offload.js';

const BUILD_MS = 600_000;
let helmPath = '';
let offload: Offload;

beforeAll(async () => {
  ({ helm: helmPath } = await ensureTools(['helm'], { log: (line) => process.stdout.write(`${line}\n`) }));
  offload = builtOffload();
}, BUILD_MS);
afterAll(() => offload.close());

function cluster(name: string, labels: Record<string, string> = {}, spec: object = {}): Cluster {
  const metadata = { name, namespace: 'fleet', labels };
  return {
    id: { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'fleet', name },
    labels,
    annotations: {},
    facts: { cluster: { metadata, spec } },
    kubernetesVersion: 'v1.33.1',
    readiness: { state: 'Ready', message: '' },
    isPaused: false,
    isHost: false,
    credential: { type: 'none', why: 'a test' },
  };
}

/** A renderer, and how many processes it started. */
function renderer(): {
  readonly render: (text: string, ...clusters: Cluster[]) => Promise<readonly Result<Layer>[]>;
  runs: number;
} {
  const counted: Run = (...args) => {
    result.runs += 1;
    return run(...args);
  };
  const evaluate = new ResultCache(Date.now).remembering(templateEvaluator({ run: counted, helmPath, offload }));
  const pass = { tenant: 'shop', signal: new AbortController().signal };
  const result = {
    runs: 0,
    render: (source: string, ...clusters: Cluster[]) =>
      evaluate(
        clusters.map((each) => ({ source, cluster: each })),
        pass,
      ),
  };
  return result;
}

const pods = (block: string): object => ({ clusterNetwork: { pods: { cidrBlocks: [block] } } });

describe('values by a template', () => {
  test('of many clusters come from one process, and are kept as long as the facts stay', async () => {
    const clusters = Array.from({ length: 60 }, (_, index) => cluster(`edge-${index}`, { env: `e${index}` }));
    const ours = renderer();
    const text = 'name: {{ .ClusterName }}\nenv: {{ .ClusterLabels.env | quote }}';
    const rendered = await ours.render(text, ...clusters);
    expect(rendered[7]).toEqual({ values: { name: 'edge-7', env: 'e7' } });
    expect(rendered[59]).toEqual({ values: { name: 'edge-59', env: 'e59' } });
    expect(await ours.render(text, ...clusters)).toEqual(rendered);
    expect(ours.runs).toBe(1);
    expect(await ours.render(text, cluster('edge-0', { env: 'new' }), ...clusters.slice(1))).toHaveLength(60);
    expect(ours.runs).toBe(2);
  });

  test('a cluster for which the text fails is told apart, and the others are rendered', async () => {
    const text = 'pool: {{ index .Cluster.spec.clusterNetwork.pods.cidrBlocks 0 }}';
    const clusters = [cluster('a', {}, pods('10.1.0.0/16')), cluster('b'), cluster('c', {}, pods('10.3.0.0/16'))];
    const [a, b, c] = await renderer().render(text, ...clusters);
    expect([a, c]).toEqual([{ values: { pool: '10.1.0.0/16' } }, { values: { pool: '10.3.0.0/16' } }]);
    const problem = expect.stringMatching(/^line 1: .*nil pointer evaluating interface \{\}\.\w+/);
    expect(b).toEqual({ problem });
  });

  test.each<[name: string, text: string, problem: RegExp]>([
    ['fail', '{{ if eq .ClusterName "b" }}{{ fail "no b" }}{{ end }}a: 1', /no b/],
    ['required', 'a: {{ required "env is needed" .ClusterLabels.env }}', /env is needed/],
    [
      'a text that is no map',
      '{{ if eq .ClusterName "b" }}- 1{{ else }}a: 1{{ end }}',
      /does not render to a YAML map/,
    ],
    ['a text that is no YAML', '{{ if eq .ClusterName "b" }}a: [{{ else }}a: 1{{ end }}', /does not render to YAML/],
    [
      'a megabyte',
      'a: {{ if eq .ClusterName "b" }}{{ repeat 1000000 "x" }}{{ else }}1{{ end }}',
      /more than 262144 bytes/,
    ],
    [
      'recursion',
      '{{ define "r" }}{{ template "r" . }}{{ end }}a: {{ if eq .ClusterName "b" }}{{ template "r" . }}{{ end }}',
      /maximum template depth/,
    ],
    [
      'much memory',
      'a: {{ if eq .ClusterName "b" }}{{ len (until 1000000000) }}{{ end }}',
      /bytes of memory|ran longer/,
    ],
  ])('%s is a problem of that cluster only', async (_name, text, problem) => {
    const [a, b] = await renderer().render(text, cluster('a', { env: 'x' }), cluster('b'));
    expect(a).toHaveProperty('values');
    expect(b).toHaveProperty('problem', expect.stringMatching(problem));
  });

  test.each<[name: string, text: string, rendered: object]>([
    ['printed', 'a: {{ .ClusterLabels.zone }}', { problem: expect.stringContaining('"<no value>"'), lacksKey: true }],
    ['found by index', 'a: x{{ index .ClusterLabels "zone" }}', { problem: expect.any(String), lacksKey: true }],
    [
      'formatted',
      'a: {{ printf "%s-%v" .ClusterName .ClusterLabels.zone }}',
      { problem: expect.any(String), lacksKey: true },
    ],
    ['in a list', 'a: [{{ .ClusterLabels.zone }}]', { problem: expect.stringMatching(/^a\[0\] /), lacksKey: true }],
    ['quoted', 'a: {{ .ClusterLabels.zone | quote }}', { values: { a: null } }],
    ['given a default', 'a: {{ .ClusterLabels.zone | default "z" }}', { values: { a: 'z' } }],
  ])('a last key that is missing is a problem of that cluster, or nothing: %s', async (_name, text, rendered) => {
    const [a, b] = await renderer().render(text, cluster('a', { zone: 'x' }), cluster('b'));
    expect(a).toHaveProperty('values');
    expect(b).toEqual(rendered);
  });

  test.each<[name: string, text: string]>([
    ['end', '{{ end }}{{ .Values }}'],
    ['an unknown function', 'a: {{ env "HOME" }}'],
    ['an open action', 'a: {{ .ClusterName'],
  ])('a text with %s is none, and takes one process', async (_name, text) => {
    const ours = renderer();
    const [a, b] = await ours.render(text, cluster('a'), cluster('b'));
    expect([a, b]).toEqual([a, a]);
    expect(a).toHaveProperty('problem', expect.stringMatching(/^line 1: /));
    expect(ours.runs).toBe(1);
  });

  test('a text reads its cluster only: no other ones, files, release, or live cluster', async () => {
    const text = ['Values', 'Release', 'Files', 'Capabilities', 'Chart', 'Template', 'Subcharts']
      .map((name) => `${name.toLowerCase()}: {{ or .${name} $.${name} "nothing" }}`)
      .join('\n');
    const [a] = await renderer().render(text, cluster('a'), cluster('b'));
    const names = ['values', 'release', 'files', 'capabilities', 'chart', 'template', 'subcharts'];
    expect(a).toEqual({ values: Object.fromEntries(names.map((name) => [name, 'nothing'])) });
  });

  test('as the docs show them for a CNI', async () => {
    const block = blocksIn('docs/clusters.md', 'yaml').find(({ text }) => text.includes('tigera-operator'));
    const shown = parseYaml(block?.text ?? '') as Application; // its schema is tested with the docs
    const text = shown.spec.fluxApp?.spec.config.helmRelease?.deploy[0]?.valuesTemplate ?? '';
    const spec = { clusterNetwork: { pods: { cidrBlocks: ['10.1.0.0/16', 'fd00:1::/64'] } } };
    const [a] = await renderer().render(text, cluster('a', {}, spec));
    const pool = { encapsulation: 'None', natOutgoing: 'Enabled', nodeSelector: 'all()' };
    const ipPools = ['10.1.0.0/16', 'fd00:1::/64'].map((cidr) => ({ cidr, ...pool }));
    const cni = { type: 'Calico', ipam: { type: 'HostLocal' } };
    const calicoNetwork = { bgp: 'Disabled', mtu: 1350, ipPools };
    expect(a).toEqual({ values: { installation: { cni, calicoNetwork } } });
  });

  test('without helm there are no values, and nothing is remembered', async () => {
    const broken = templateEvaluator({ run, helmPath: '/no/helm', offload });
    const remembering = new ResultCache(Date.now).remembering(broken);
    const pass = { tenant: 'shop', signal: new AbortController().signal };
    const rendered = await remembering([{ source: 'a: 1', cluster: cluster('a') }], pass);
    expect(rendered).toEqual([{ problem: expect.stringContaining('cannot run'), retryAfterMs: 60_000 }]);
  });
});
