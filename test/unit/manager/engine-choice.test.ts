import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { chooseEngine, isFairleadCrd } from '#manager/engine-choice.js';

describe('chooseEngine', () => {
  it.each([
    ['auto', 'ours', 'embedded'],
    ['auto', 'foreign', 'external'],
    ['embedded', 'ours', 'embedded'],
    ['embedded', 'foreign', 'embedded'],
    ['external', 'ours', 'external'],
    ['external', 'foreign', 'external'],
  ] as const)('--engine=%s with %s Flux CRDs runs %s', (wanted, crds, expected) => {
    expect(chooseEngine(wanted, crds)).toBe(expected);
  });

  it('says what to do when there are no Flux CRDs at all', () => {
    expect(() => chooseEngine('auto', 'missing')).toThrow('run `fairlead install`, or install Flux');
  });
});

describe('isFairleadCrd', () => {
  const OURS = 'A Helm release that is kept as its spec says. Installed by Fairlead.';
  const THEIRS = 'HelmRelease is the Schema for the helmreleases API';
  const LABEL = { 'app.kubernetes.io/part-of': 'fairlead' };
  const GENERATED = { 'controller-gen.kubebuilder.io/version': 'v0.19.0' };

  function crd(labels: Record<string, string>, annotations: Record<string, string>, description: string): KubeObject {
    const metadata = { name: 'helmreleases.helm.toolkit.fluxcd.io', labels, annotations };
    const spec = { versions: [{ schema: { openAPIV3Schema: { description } } }] };
    return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec } as KubeObject;
  }

  it.each([
    ['ours as it was installed', crd(LABEL, {}, OURS), true],
    ['ours of a version without the note', crd(LABEL, {}, 'A Helm release that is kept as its spec says.'), true],
    ['ours, taken over from Flux, whose annotation stays', crd(LABEL, GENERATED, OURS), true],
    ["Flux's", crd({ 'app.kubernetes.io/part-of': 'flux' }, GENERATED, THEIRS), false],
    ["Flux's without a label", crd({}, GENERATED, THEIRS), false],
    ["Flux's, forced over ours, which leaves our label", crd(LABEL, GENERATED, THEIRS), false],
    ['our schema with the label of somebody else', crd({ 'app.kubernetes.io/part-of': 'flux' }, {}, OURS), false],
  ])('%s', (_, live, expected) => {
    expect(isFairleadCrd(live)).toBe(expected);
  });
});
