import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { CRD_VERSION_LABEL, PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import { planCrds, refusalOf } from '#cli/install/crd-rules.js';
import { chooseEngine, ownerOfFluxCrds } from '#manager/engine-choice.js';

const OURS = 'applications.gitops.kubesphere.io';
const FLUX = 'helmreleases.helm.toolkit.fluxcd.io';
const FLUX_TOO = 'gitrepositories.source.toolkit.fluxcd.io';

function crd(name: string, version?: string): KubeObject {
  const labels = version === undefined ? {} : { [PART_OF_LABEL]: PART_OF_FAIRLEAD, [CRD_VERSION_LABEL]: version };
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name, labels } };
}

const WANTED = [crd(OURS, '0.2.0'), crd(FLUX, '0.2.0'), crd(FLUX_TOO, '0.2.0')];

function actions(live: KubeObject[], takeOver = false): string[] {
  return planCrds(WANTED, live, { takeOver }).map(({ action }) => action);
}

/** Ours by its label, and Flux's by what is in it. */
const FORCED = crd(FLUX, '0.1.0');
FORCED.metadata.annotations = { 'controller-gen.kubebuilder.io/version': 'v0.19.0' };

describe('planCrds', () => {
  test.each<[string, KubeObject[], boolean, string[]]>([
    ['an empty cluster gets all of them', [], false, ['apply', 'apply', 'apply']],
    ['an older version is upgraded', [crd(OURS, '0.1.0')], false, ['apply', 'apply', 'apply']],
    ['the same version is applied again', [crd(OURS, '0.2.0')], false, ['apply', 'apply', 'apply']],
    ['a newer version is not downgraded', [crd(OURS, '0.10.0')], false, ['refuse', 'apply', 'apply']],
    ['a newer version is not taken over either', [crd(OURS, '0.10.0')], true, ['refuse', 'apply', 'apply']],
    ['the CRD of somebody else is refused', [crd(OURS)], false, ['refuse', 'apply', 'apply']],
    ['the CRD of somebody else is taken over on demand', [crd(OURS)], true, ['apply', 'apply', 'apply']],
    ["all kinds of Flux are left when the HelmRelease is Flux's own", [crd(FLUX)], false, ['apply', 'leave', 'leave']],
    ['Flux is never taken over', [crd(FLUX), crd(FLUX_TOO)], true, ['apply', 'leave', 'leave']],
    ["a CRD of Flux that was forced over ours is Flux's", [FORCED], false, ['apply', 'leave', 'leave']],
    ['all are left, also ours', [crd(FLUX), crd(FLUX_TOO, '0.1.0')], false, ['apply', 'leave', 'leave']],
    ['what is left of a removed Flux is refused', [crd(FLUX_TOO)], false, ['apply', 'apply', 'refuse']],
    ['half a Flux over ours is refused', [crd(FLUX, '0.1.0'), crd(FLUX_TOO)], false, ['apply', 'apply', 'refuse']],
    ['half a Flux is not taken over either', [crd(FLUX_TOO)], true, ['apply', 'apply', 'refuse']],
    ['our own CRDs of Flux kinds are upgraded', [crd(FLUX, '0.1.0')], false, ['apply', 'apply', 'apply']],
  ])('%s', (_, live, takeOver, wanted) => {
    expect(actions(live, takeOver)).toEqual(wanted);
  });

  test.each<[string, KubeObject[], string[]]>([
    ['the CRDs of Flux are replaced on demand', [crd(FLUX), crd(FLUX_TOO)], ['apply', 'apply', 'apply']],
    ['those of half a Flux, too', [crd(FLUX, '0.1.0'), crd(FLUX_TOO)], ['apply', 'apply', 'apply']],
    ['but not those of somebody else', [crd(OURS), crd(FLUX)], ['refuse', 'apply', 'apply']],
  ])('%s', (_, live, wanted) => {
    const steps = planCrds(WANTED, live, { takeOver: false, replaceFlux: true });
    expect(steps.map(({ action }) => action)).toEqual(wanted);
  });

  test('the Receivers of Flux may stay: its notification-controller runs next to the embedded engine', () => {
    const receivers = 'receivers.notification.toolkit.fluxcd.io';
    const actionOn = (live: KubeObject[], replaceFlux = false): unknown =>
      planCrds([...WANTED, crd(receivers, '0.2.0')], live, { takeOver: true, replaceFlux })[3]?.action;
    expect(actionOn([crd(receivers)])).toBe('leave');
    expect(actionOn([crd(FLUX, '0.1.0'), crd(receivers)])).toBe('leave');
    expect(actionOn([crd(receivers)], true)).toBe('apply');
    expect(actionOn([crd(receivers, '0.1.0')])).toBe('apply');
  });

  test('a refusal names both versions and the way out', () => {
    const [step] = planCrds(WANTED, [crd(OURS, '0.10.0')], { takeOver: false });
    expect(step?.why).toBe('version 0.10.0 is installed, this is 0.2.0: use the newer fairlead');
  });

  test('a refusal of half a Flux names all of its CRDs once, and the ways out', () => {
    const other = 'helmcharts.source.toolkit.fluxcd.io';
    const steps = planCrds([...WANTED, crd(other, '0.2.0')], [crd(FLUX_TOO), crd(other)], { takeOver: false });
    expect(refusalOf(steps)).toMatch(
      new RegExp(`^CRD ${FLUX_TOO}, ${other}: owned by Flux, .*install the rest of Flux, or .*--replace-flux`),
    );
  });
});

describe('planCrds and the controller agree on the engine', () => {
  const STATES = [undefined, '0.2.0', 'foreign'] as const;
  const CASES = STATES.flatMap((release) => STATES.map((source) => [release, source] as const));
  const liveOf = (name: string, state: (typeof STATES)[number]): KubeObject[] =>
    state === undefined ? [] : [state === 'foreign' ? crd(name) : crd(name, state)];

  test.each(CASES)('HelmRelease %s, another kind of Flux %s', (release, source) => {
    const live = [...liveOf(FLUX, release), ...liveOf(FLUX_TOO, source)];
    const steps = planCrds(WANTED, live, { takeOver: false });
    if (refusalOf(steps) !== '') return;
    const after = live.find(({ metadata }) => metadata.name === FLUX) ?? WANTED[1];
    const isLeft = steps.some(({ action }) => action === 'leave');
    expect(chooseEngine('auto', ownerOfFluxCrds(after))).toBe(isLeft ? 'external' : 'embedded');
  });
});
