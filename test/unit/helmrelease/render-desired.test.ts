import { describe, expect, test } from '@jest/globals';
import type { HelmReleaseSpec } from '#api/flux/helm-release.js';
import { prepareChart, renderDesired, type RenderStep } from '#controllers/helmrelease/render-desired.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import { record } from './model/builders.js';

const SECRET = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, data: { a: btoa('looked-up') } };
const RENDERED = '---\n# Source: web/templates/a.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n';
const FROM_SECRET = { valuesFrom: [{ kind: 'Secret', name: 'a' }] } as const;
const POST = { postRenderers: [{ kustomize: { patches: [{ patch: '' }] } }] };

/** A step of which helm and kustomize say so. */
function stepOf(spec: object, said: { crds?: string; helm?: string; output?: string; kustomize?: string }): RenderStep {
  const { signal } = new AbortController();
  const secrets = new SecretTexts();
  secrets.add('values', () => ({ secret: ['hunter22'] }));
  const step = {
    release: { metadata: { name: 'web', namespace: 'shop' }, spec: spec as HelmReleaseSpec },
    inputs: { artifact: {}, chart: record().chart, traits: { usesLookup: false }, values: {} },
    context: {
      member: { capabilities: () => Promise.resolve({}), kube: { read: () => Promise.resolve(SECRET) } },
      signal,
    },
    store: { locate: () => Promise.resolve('/chart.tgz') },
    chartCrds: () => Promise.resolve(said.crds === undefined ? { crds: [] } : { problem: said.crds }),
    render: async ({ cluster }: { cluster: { read: (path: string) => Promise<unknown> } }) => {
      await cluster.read('/api/v1/namespaces/shop/secrets/a');
      return said.helm === undefined ? { output: said.output ?? RENDERED } : { problem: said.helm };
    },
    postRender: () => Promise.resolve({ problem: said.kustomize ?? '' }),
    ...{ secrets, observedRevision: 0, signal },
  };
  return step as unknown as RenderStep; // as far as it is read
}

async function problemOf(spec: object, said: Parameters<typeof stepOf>[1]): Promise<string> {
  const step = stepOf(spec, said);
  const prepared = await prepareChart(step, false);
  const desired = 'problem' in prepared ? prepared : await renderDesired(step, false, prepared);
  return 'problem' in desired ? desired.problem : '';
}

describe('why a chart is not rendered', () => {
  test.each<[string, object, Parameters<typeof stepOf>[1], string]>([
    ['has no value of a Secret, as helm prints CRDs', {}, { crds: 'no hunter22' }, 'no *****'],
    ['has no value of a Secret, as helm renders', {}, { helm: 'no hunter22' }, 'no *****'],
    ['has nothing that the chart looked up', {}, { helm: `no looked-up, ${btoa('looked-up')}` }, 'no *****, *****'],
    ['is cut after that', {}, { helm: `${'x'.repeat(1_995)}hunter22` }, `${'x'.repeat(1_995)}*****`],
    ['is what kustomize says', POST, { kustomize: 'post renderer: no such patch' }, 'post renderer: no such patch'],
  ])('%s', async (_title, spec, said, expected) => {
    expect(await problemOf(spec, said)).toBe(expected);
  });

  test.each<[string, object, Parameters<typeof stepOf>[1], RegExp]>([
    [
      'is not what kustomize says of values from a Secret',
      { ...FROM_SECRET, ...POST },
      { kustomize: 'hunt' },
      /^post renderer: why is withheld/,
    ],
    [
      'is only the place of invalid YAML',
      FROM_SECRET,
      { output: `${RENDERED}data: {a: hunt: x}` },
      /is not valid YAML: line \d+, column \d+$/,
    ],
    [
      'is what is wrong with YAML without Secrets',
      {},
      { output: `${RENDERED}data: {a: hunt: x}` },
      /line \d+, column \d+: \w/,
    ],
  ])('%s', async (_title, spec, said, expected) => {
    expect(await problemOf(spec, said)).toMatch(expected);
  });
});
