import { describe, expect, it } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import { CLUSTER_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { isSameCluster } from '#engine/flux/model/cluster.js';
import {
  holdersOf,
  isAtTarget,
  leftTargets,
  sharersOf,
  targetsOf,
  whyTaken,
} from '#controllers/helmrelease/model/same-target.js';
import type { HelmRelease, HelmReleaseSpec } from '#controllers/helmrelease/model/types.js';
import { helmRelease, snapshot } from './builders.js';

interface Facts {
  readonly spec?: Partial<HelmReleaseSpec>;
  readonly namespace?: string;
  readonly created?: string;
  readonly installed?: boolean;
  readonly uid?: string;
  readonly leaving?: boolean;
  readonly stalled?: string;
}

/** A HelmRelease for release web in the namespace apps. */
function made(name: string, facts: Facts = {}) {
  const { spec, namespace = 'shop', created = '1', installed, uid, leaving, stalled } = facts;
  const metadata = {
    ...{ name, namespace, uid: name, creationTimestamp: created },
    ...(uid === undefined ? {} : { annotations: { [CLUSTER_UID_ANNOTATION]: uid } }),
    ...(leaving === true ? { deletionTimestamp: 'now' } : {}),
  };
  const wanted = { releaseName: 'web', targetNamespace: 'apps', ...spec };
  const status =
    installed !== undefined ? { history: [snapshot()], storageNamespace: wanted.storageNamespace ?? namespace } : {};
  const condition = {
    type: 'Stalled',
    status: 'True',
    reason: stalled ?? '',
    message: '',
    lastTransitionTime: '',
  };
  return helmRelease(wanted, {
    metadata,
    status: stalled !== undefined ? { ...status, conditions: [condition as Condition] } : status,
  });
}

const NEW = made('new', { created: '2', spec: { storageNamespace: 'apps' } });
const names = (list: readonly HelmRelease[]): string[] => list.map(({ metadata }) => metadata.name);
const member = (name: string, key?: string) => ({ kubeConfig: { secretRef: { name, ...(key && { key }) } } });

describe('a HelmRelease waits for its target', () => {
  it.each<[string, Facts, boolean]>([
    ['with a release', { installed: true, created: '3' }, true],
    ['with a release, suspended', { installed: true, spec: { suspend: true } }, true],
    ['with a release that is being uninstalled', { installed: true, leaving: true }, true],
    ['with a release, of another namespace', { installed: true, namespace: 'other' }, false],
    ['that is older, and that its engine gave up on', { stalled: 'KubeConfigInvalid' }, false],
    ['that is older, and waits for the target as well', { stalled: 'TargetTaken' }, true],
    ['that is older', {}, true],
    ['that is younger', { created: '3' }, false],
    ['that is older and suspended', { spec: { suspend: true } }, false],
    ['that is older, of another namespace', { namespace: 'other' }, false],
    ['with another name', { installed: true, spec: { releaseName: 'api' } }, true],
    ['with the same record', { installed: true, spec: { storageNamespace: 'apps' } }, false],
  ])('of one %s', (_, facts, expected) => {
    expect(names(holdersOf(NEW, [NEW, made('old', facts)]))).toEqual(expected ? ['old'] : []);
  });

  it('of the one with a release before an older one', () => {
    expect(names(holdersOf(NEW, [made('a'), made('b', { installed: true })]))).toEqual(['b', 'a']);
  });

  it('unless it has its release already', () => {
    expect(isAtTarget(NEW)).toBe(false);
    expect(isAtTarget(made('old', { installed: true }))).toBe(true);
    expect(isAtTarget(made('old', { installed: true, spec: { targetNamespace: 'elsewhere' } }))).toBe(false);
  });
});

it('has the targets of its spec and of its release', () => {
  expect(targetsOf(made('a', { installed: true, spec: { releaseName: 'api' } }))).toEqual(['apps/api', 'apps/web']);
  expect(targetsOf(NEW)).toEqual(['apps/web']);
});

it.each<[string, HelmRelease, HelmRelease, boolean | undefined]>([
  ['the host', NEW, made('b'), true],
  ['one Secret', made('a', { spec: member('m') }), made('b', { spec: member('m', 'value.yaml') }), true],
  [
    'one name of Secrets of two namespaces',
    made('a', { spec: member('m') }),
    made('b', { spec: member('m'), namespace: 'x' }),
    undefined,
  ],
  ['two Secrets', made('a', { spec: member('m') }), made('b', { spec: member('n') }), undefined],
  ['one UID', made('a', { uid: 'u', spec: member('m') }), made('b', { uid: 'u', spec: member('n') }), true],
  ['two UIDs', made('a', { uid: 'u', spec: member('m') }), made('b', { uid: 'v', spec: member('n') }), false],
  ['nothing readable', made('a', { spec: { kubeConfig: {} } }), made('b', { spec: { kubeConfig: {} } }), false],
])('tells clusters apart: %s', (_, one, other, expected) => {
  expect(isSameCluster(one, other)).toBe(expected);
});

it('shares what it uninstalls with those that stay', () => {
  const at = { releaseName: 'web', namespace: 'apps', storageNamespace: 'apps' };
  const others = [
    made('elsewhere', { installed: true, namespace: 'other' }),
    ...[made('stays', { installed: true }), made('wants'), made('goes', { installed: true, leaving: true })],
    made('one-record', { installed: true, spec: { storageNamespace: 'apps' } }),
  ];
  expect(names(sharersOf(NEW, at, [NEW, ...others]))).toEqual(['stays']);
});

it('says who has it, and the ways out', () => {
  expect(whyTaken(NEW, made('old', { installed: true }))).toBe(
    'release web in namespace apps is that of HelmRelease shop/old: set another spec.releaseName or spec.targetNamespace. Deleting that HelmRelease uninstalls the release; to take it over, set spec.storageNamespace: shop here, then spec.suspend: true there, and delete it',
  );
  expect(whyTaken(NEW, made('old', { leaving: true }))).toContain(', or wait until it is deleted');

  const swapped = { installed: true, spec: { releaseName: 'api' } };
  const api = helmRelease(
    { releaseName: 'web', targetNamespace: 'apps', storageNamespace: 'apps' },
    { metadata: NEW.metadata, status: { history: [snapshot({ name: 'api' })], storageNamespace: 'apps' } },
  );
  expect(whyTaken(api, made('old', swapped))).toBe(
    'release web in namespace apps is that of HelmRelease shop/old: set another spec.releaseName or spec.targetNamespace. That one waits for the release of this one in turn, and neither goes first. To swap them, set a third name here, wait until both are Ready, and then set the name that you want',
  );
});

describe('who waits for a target hears of it', () => {
  const elsewhere = { spec: { releaseName: 'other' } };
  it.each<[string, Facts, Facts | undefined, string[]]>([
    ['that is gone', {}, undefined, ['apps/web']],
    ['that wants another one', {}, elsewhere, ['apps/web']],
    ['that is suspended before it installed anything', {}, { spec: { suspend: true } }, ['apps/web']],
    ['that its engine gave up on', {}, { stalled: 'ArtifactFailed' }, ['apps/web']],
    ['that is suspended, and keeps its release', { installed: true }, { installed: true, spec: { suspend: true } }, []],
    ['that is as it was', {}, {}, []],
  ])('from one %s', (_, before, now, expected) => {
    expect(leftTargets(made('old', before), now && made('old', now))).toEqual(expected);
  });
});
