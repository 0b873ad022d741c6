import { describe, expect, test } from '@jest/globals';
import {
  missingKeys,
  readRendered,
  type ReferredName,
  referredNames,
  referredProblem,
  renderedMap,
  templateContext,
  templateProblem,
  withReferred,
} from '#controllers/application/model/destinations/values-template.js';
import { clusterApi } from '#controllers/cluster/model/adapters/cluster-api.js';
import { central, own } from './builders.js';

describe('a template', () => {
  test.each<[text: string, problem: RegExp]>([
    ['id: {{ uuidv4 }}', /^uuidv4 returns something else each time/],
    ['at: {{ now | date "2006" }}', /^now returns something else each time/],
    ['at: {{ date "2006" .x }}', /^date returns something else/],
    ['{{ $ca := genCA "ca" 365 }}', /^genCA returns/],
    ['{{ lookup "v1" "Secret" "" "" }}', /^lookup is not available here/],
    ['{{ getHostByName "x" }}', /^getHostByName is not available/],
    ['{{ tpl "{{ now }}" . }}', /^tpl is not available/],
    ['{{ durationRound (toDate "2006" "2020") }}', /^durationRound returns something else/],
    ['{{ printf "%p" .Cluster }}', /^%p of printf returns something else each time/],
    ['{{ .Cluster | printf `a %-5[1]p` }}', /^%p of printf/],
    ['{{ printf "%5%%p" 1 .Cluster }}', /^%p of printf/],
    ['{{ printf "%%%p" .Cluster }}', /^%p of printf/],
    ['{{ printf (print "%" "p") .Cluster }}', /^printf needs its format as a string/],
    ['{{ "%p" | printf }}', /^printf needs its format as a string/],
    ['{{ printf $format .Cluster }}', /^printf needs its format as a string/],
    [String.raw`{{ printf "\x25p" .Cluster }}`, /^printf needs its format as a string/],
    ['{{ keys .ClusterLabels }}', /^keys lists a map in another order each time: add "| sortAlpha"/],
  ])('%j is refused', (text, problem) => expect(templateProblem(text)).toMatch(problem));

  test.each([
    'a: {{ .ClusterName | upper }}',
    '# now, uuidv4',
    'a: {{ "now" }}{{/* uuidv4 */}}',
    'a: {{ keys .ClusterLabels | sortAlpha | join "," }}',
    'a: {{ .ClusterLabels.now }}',
    'a: {{ printf "%s is 100%% prod: %d\\n" .ClusterName 1 | quote }}',
    'a: {{ .ClusterName | printf `%s%%p` }}',
  ])('%j may be rendered', (text) => expect(templateProblem(text)).toBeUndefined());

  test.each<[text: string, names: string[]]>([
    ['a: {{ .ControlPlane.spec.replicas }}', ['ControlPlane']],
    ['a: {{ range .ClusterLabels }}{{ $.InfraCluster.spec }}{{ end }}', ['InfraCluster']],
    ['a: {{ .ClusterValues.InfraCluster }}{{ index . "ControlPlane" }}', ['ControlPlane', 'InfraCluster']],
    ['a: {{ .Cluster.spec.controlPlaneRef.name }}', []],
    ['a: {{ .Cluster.spec.ControlPlanes }}, KubeadmControlPlane', []],
  ])('%j names objects that must be read', (text, names) => expect(referredNames(text)).toEqual(names));
});

describe('objects that a cluster refers to', () => {
  const eu = own('eu');
  const metadata = { namespace: 'shop', name: 'eu-plane', resourceVersion: '7', generation: 2, labels: { a: 'b' } };
  const status = { observedGeneration: 2, conditions: [], v1beta2: {}, deprecated: {}, replicas: 3 };
  const controlPlane = { apiVersion: 'v1', kind: 'Plane', metadata, spec: { replicas: 3 }, status };
  const infraCluster = { apiVersion: 'v1', kind: 'Infra', metadata: { name: 'eu-infra' } };

  test('are read without what changes on its own, also below ClusterValues', () => {
    const stable = {
      ...controlPlane,
      metadata: { namespace: 'shop', name: 'eu-plane', labels: { a: 'b' } },
      status: { replicas: 3 },
    };
    const found = withReferred(eu, ['ControlPlane', 'InfraCluster'], { controlPlane, infraCluster });
    const own = templateContext(eu);
    const objects = { ControlPlane: stable, InfraCluster: infraCluster };
    expect(found).toEqual({ context: { ...own, ...objects, ClusterValues: { Cluster: own['Cluster'], ...objects } } });
  });

  test('are not read if the text does not name them', () => {
    const found = withReferred(eu, ['InfraCluster'], { controlPlane, infraCluster });
    expect(found).not.toHaveProperty('context.ControlPlane');
  });

  test.each<[names: ReferredName[], objects: object, problem: RegExp]>([
    [
      ['ControlPlane'],
      { infraCluster },
      /^\.ControlPlane is missing: spec\.controlPlaneRef of the cluster leads to no/,
    ],
    [['ControlPlane', 'InfraCluster'], { controlPlane }, /^\.InfraCluster is missing: spec\.infrastructureRef of the/],
  ])('%j are a problem of a cluster that has only %j', (names, objects, problem) => {
    expect(withReferred(eu, names, objects)).toEqual({ problem: expect.stringMatching(problem) });
  });

  test('are only read in the namespace of the Application', () => {
    expect(referredProblem(['ControlPlane'], eu, 'shop')).toBeUndefined();
    const problem = '.ControlPlane is only available for clusters in namespace web, because it may hold credentials';
    expect(referredProblem(['ControlPlane'], eu, 'web')).toContain(problem);
    expect(referredProblem(['ControlPlane'], central('eu'), 'web')).toContain(problem);
  });
});

describe('the keys that are empty', () => {
  const context = templateContext(own('eu', { env: 'prod' }));

  test.each<[text: string, missing: string[]]>([
    ['a: {{ .ClusterLabels.env }}{{ .ClusterName }}', []],
    ['a: {{ .ClusterLabels.zone }}', ['.ClusterLabels.zone']],
    ['a: {{ .ClusterLabels.zone | quote }}{{ $.Values }}', ['.ClusterLabels.zone', '.Values']],
    ['a: {{ .ClusterLabels.zone | default "z" }}', []],
    ['{{ if .ClusterLabels.zone }}a: 1{{ end }}', []],
    ['a: {{ required "zone!" .ClusterLabels.zone }}', []],
    ['a: {{ .Cluster.spec.a.b }}', []],
  ])('%j', (text, missing) => expect(missingKeys(text, context)).toEqual(missing));
});

describe('what a template reads', () => {
  test('is the cluster, whatever describes it', () => {
    expect(templateContext(own('eu', { env: 'prod' }))).toMatchObject({
      ClusterName: 'eu',
      ClusterNamespace: 'shop',
      ClusterLabels: { env: 'prod' },
      Cluster: { metadata: { name: 'eu', namespace: 'shop', labels: { env: 'prod' } } },
      ClusterValues: { Cluster: { metadata: { name: 'eu' } } },
    });
  });

  test('is the whole object of Cluster API, without what changes on its own', () => {
    const metadata = { name: 'eu', resourceVersion: '7', generation: 2, managedFields: [] };
    const object = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata };
    const more = { spec: { a: 1 }, status: { phase: 'Provisioned', conditions: [{ type: 'Ready' }] } };
    const context = templateContext(clusterApi.clusterOf(clusterApi.keep({ ...object, ...more })));
    const status = { phase: 'Provisioned' };
    expect(context['Cluster']).toEqual({
      ...object,
      metadata: { name: 'eu', annotations: {} },
      spec: { a: 1 },
      status,
    });
  });
});

test('the output of helm is texts by cluster', () => {
  const output =
    '---\n# Source: v/templates/c0.yaml\n{"index":0,"text":"a: 1\\n---\\n"}\n\n---\n{"index":3,"text":""}\n';
  expect(readRendered(output)).toEqual(
    new Map([
      [0, 'a: 1\n---\n'],
      [3, ''],
    ]),
  );
});

test.each<[parsed: unknown, expected: object]>([
  [{ a: 1 }, { values: { a: 1 } }],
  [null, { values: {} }],
  [undefined, { values: {} }],
  [[1], { problem: expect.stringMatching(/^it does not render to a YAML map: /) }],
  ['text', { problem: expect.stringMatching(/^it does not render to a YAML map: /) }],
  [
    { a: { b: ['x', 'to <no value>'] } },
    { problem: expect.stringMatching(/^a\.b\[1\] is .*"<no value>"/), lacksKey: true },
  ],
  [{ a: '%!s(<nil>)' }, { problem: expect.stringMatching(/^a is rendered with "<nil>"/), lacksKey: true }],
  [{ a: { 'x-<no value>': 1 } }, { problem: expect.stringMatching(/^a is rendered with/), lacksKey: true }],
])('%j is a map of values, or not', (parsed, expected) => expect(renderedMap(parsed)).toEqual(expected));
