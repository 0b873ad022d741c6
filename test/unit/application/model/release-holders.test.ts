import { describe, expect, it } from '@jest/globals';
import { KustomizationSpec } from '#api/flux/kustomization.js';
import { workText } from '#controllers/application/model/destinations/identity.js';
import { ReleaseHolders } from '#controllers/application/model/children/release-holders.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child, DesiredChild } from '#controllers/application/model/child/types.js';
import type { ClusterId } from '#controllers/cluster/model/cluster.js';
import { cpuMsOf } from '../../../support/cpu-time.js';
import { cluster } from '../../cluster/model/builders.js';
import {
  application,
  applied,
  deploy,
  type Deploy,
  entriesOf,
  files,
  filesApplication,
  leaving,
  work,
} from './builders.js';
import { inventory, selecting } from './clusters/builders.js';

const made = (...entries: Deploy[]): Child[] => applied([], work(application(entries)).steps);
const [eu] = made(deploy('prod', 'eu'));

function wanted(entry: Deploy, live?: Child): DesiredChild {
  const app = application([entry]);
  return desiredChild(app, entriesOf(app)[0]!, live);
}

const moving = (child: Child, releaseName: string): Child => ({
  ...child,
  status: { storageNamespace: 'prod', history: [{ name: releaseName }] },
});

describe('a release is held', () => {
  it.each<[string, DesiredChild, Partial<ConstructorParameters<typeof ReleaseHolders>[0]>, boolean]>([
    ['by nobody when there is no other child', wanted(deploy('prod', 'eu')), {}, false],
    ['by a child that stays', wanted(deploy('prod', 'eu')), { staying: [eu!] }, true],
    ['not by the child itself', wanted(deploy('prod', 'eu'), eu), { staying: [eu!] }, false],
    ['not by a child that stays on another cluster', wanted(deploy('prod', 'us')), { staying: [eu!] }, false],
    ['by a child that goes, on any cluster', wanted(deploy('prod', 'us')), { going: [eu!] }, true],
    [
      'by a child that is being deleted, on any cluster',
      wanted(deploy('prod', 'us')),
      { staying: [leaving(eu!)] },
      true,
    ],
    ['not by a child that goes from another namespace', wanted(deploy('test', 'eu')), { going: [eu!] }, false],
    [
      'by a child that has not left it',
      wanted(deploy('prod', 'eu', { releaseName: 'old' })),
      { staying: [moving(eu!, 'old')] },
      true,
    ],
    [
      'by a child that has not left it on another cluster, for a new child',
      wanted(deploy('prod', 'us', { releaseName: 'old' })),
      { staying: [moving(eu!, 'old')] },
      true,
    ],
    [
      'not by a child that has not left it on another cluster, for a child that was beside it all the time',
      wanted(deploy('prod', 'us', { releaseName: 'old' }), made(deploy('prod', 'us'))[0]),
      { staying: [moving(eu!, 'old')] },
      false,
    ],
  ])('%s', (_, desired, { going = [], staying = [] }, isHeld) => {
    expect(new ReleaseHolders({ going, staying }).of(desired) !== undefined).toBe(isHeld);
  });
});

describe('of clusters of the inventory a release is held', () => {
  const on = (id: ClusterId): DesiredChild => {
    const target = cluster(id, { labels: { env: 'prod' } });
    const [entry] = entriesOf(application([selecting({ env: 'prod' })]), {
      ...inventory([target]),
      accessOf: () => ({ allowed: true, targetNamespaces: 'any' }),
    });
    return desiredChild(application([]), entry!, undefined);
  };
  const secret = (name: string): ClusterId => ({ apiGroup: '', kind: 'Secret', namespace: 'shop', name });
  const profile = (name: string): ClusterId => ({ ...secret(name), apiGroup: 'x', kind: 'ClusterProfile' });
  const unreadable = (child: Child): Child => ({
    ...child,
    metadata: { ...child.metadata, annotations: { 'gitops.kubesphere.io/cluster-id': 'junk' } },
  });

  it.each<[string, Child, boolean]>([
    ['by a child of the same cluster', on(secret('eu')).object, true],
    ['not by one of another cluster of the same kind', on(secret('us')).object, false],
    ['by one of another kind, which may be the same cluster', on(profile('us')).object, true],
    ['by one whose cluster cannot be read', unreadable(on(secret('us')).object), true],
    ['by one of no cluster of the inventory', made(deploy('web'))[0]!, true],
  ])('%s', (_, child, isHeld) => {
    expect(new ReleaseHolders({ going: [child], staying: [] }).of(on(secret('eu'))) !== undefined).toBe(isHeld);
  });

  it.each<[string, string | undefined, string | undefined, boolean]>([
    ['by one of another kind whose cluster is the same', 'a', 'a', true],
    ['by one of another kind while nobody knows its cluster', undefined, 'a', true],
    ['by one of another kind while nobody knows that of the entry', 'a', undefined, true],
    ['not by one of another kind that is on another cluster', 'a', 'b', false],
  ])('%s', (_, uid, uidOfEntry, isHeld) => {
    const child = on(profile('us')).object;
    const holders = new ReleaseHolders({
      ...{ going: [child], staying: [] },
      ...{ uidOfChild: () => uid, uidOfEntry: () => uidOfEntry },
    });
    expect(holders.of(on(secret('eu'))) !== undefined).toBe(isHeld);
  });

  it('and 3,000 clusters of another kind are asked about in linear time', () => {
    const old = Array.from({ length: 3_000 }, (_, index) => on(profile(`a${index}`)).object);
    const fresh = Array.from({ length: 3_000 }, (_, index) => on(secret(`b${index}`)));
    const numbers = new Map(old.map((child, index) => [child, String(index)]));
    const cost = cpuMsOf(() => {
      const holders = new ReleaseHolders({
        ...{ going: old, staying: [] },
        ...{ uidOfChild: (child) => numbers.get(child), uidOfEntry: ({ clusterName }) => `1${clusterName}` },
      });
      expect(fresh.filter((each) => holders.of(each) !== undefined)).toEqual([]);
    });
    expect(cost).toBeLessThan(2_000);
  });

  it('and 3,000 clusters that replace 3,000 others are asked about in linear time', () => {
    const children = (prefix: string): DesiredChild[] =>
      Array.from({ length: 3_000 }, (_, index) => on(secret(`${prefix}${index}`)));
    const [old, fresh] = [children('a'), children('b')];
    const cost = cpuMsOf(() => {
      const holders = new ReleaseHolders({ going: old.map(({ object }) => object), staying: [] });
      expect(fresh.filter((each) => holders.of(each) !== undefined)).toEqual([]);
    });
    expect(cost).toBeLessThan(2_000);
  });
});

describe('two children do the same', () => {
  const kustomizations = (...entries: Parameters<typeof filesApplication>[0]): Child[] =>
    applied([], work(filesApplication(entries)).steps);

  it('when they are about one release', () => {
    const named = made(deploy('prod', 'eu', { name: 'main' }));
    expect(workText(named[0]!)).toBe(workText(eu!));
    expect(workText(made(deploy('prod', 'us'))[0]!)).not.toBe(workText(eu!));
  });

  it('when they apply one directory to one place', () => {
    const [one, two, three] = kustomizations(
      files('prod', 'eu', { name: 'one', path: './a' }),
      files('prod', 'eu', { name: 'two', path: 'a/' }),
      files('prod', 'eu', { name: 'three', path: './b' }),
    );
    expect(workText(one!)).toBe(workText(two!));
    expect(workText(one!)).not.toBe(workText(three!));
  });
});

const twin = { kind: 'GitRepository', name: 'fleet' } as const;
const check = { apiVersion: 'example.com/v1', kind: 'Gauge', current: 'true' };

/** Another value of each field of a Kustomization, and whether other objects come out with it. */
const OTHERS: { [Field in keyof Required<KustomizationSpec>]: [KustomizationSpec[Field], boolean] } = {
  sourceRef: [{ ...twin, name: 'other' }, true],
  path: ['./b', true],
  kubeConfig: [{ secretRef: { name: 'us' } }, true],
  targetNamespace: ['test', true],
  namePrefix: ['b-', true],
  nameSuffix: ['-b', true],
  patches: [[{ patch: '{}' }], true],
  components: [['../b'], true],
  postBuild: [{ substitute: { tenant: 'b' } }, true],
  interval: ['1h', false],
  retryInterval: ['1h', false],
  timeout: ['1h', false],
  suspend: [true, false],
  wait: [true, false],
  healthChecks: [[{ kind: 'Pod', name: 'a' }], false],
  healthCheckExprs: [[check], false],
  dependsOn: [[{ name: 'db' }], false],
  // How objects are written, and what becomes of them.
  force: [true, false],
  prune: [false, false],
  deletionPolicy: ['Orphan', false],
  serviceAccountName: ['deployer', false],
  ignore: [[{ paths: ['/spec/replicas'] }], false],
  // What is in objects: neither their number nor a name.
  images: [[{ name: 'web', newTag: '2' }], false],
  commonMetadata: [{ labels: { tier: 'b' } }, false],
  buildMetadata: [['originAnnotations'], false],
  decryption: [{ provider: 'sops' }, false],
  ignoreMissingComponents: [true, false],
};

describe('two Kustomizations of one directory', () => {
  const spec = { sourceRef: { ...twin, namespace: 'shop' }, path: './a', interval: '1m', prune: true };
  const kustomization = (more: object): Child => ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'web', namespace: 'shop' },
    spec: { ...spec, ...more },
  });

  const from = (more: object): object => ({
    postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'vars', ...more }] },
  });

  it('have a row for every field', () => {
    expect(Object.keys(OTHERS).sort()).toEqual(Object.keys(KustomizationSpec.properties).sort());
  });

  it.each(Object.entries(OTHERS))('with another %s: other objects or the same', (field, [value, areOthers]) => {
    expect(workText(kustomization({ [field]: value })) !== workText(kustomization({}))).toBe(areOthers);
  });

  it.each<[string, object, object]>([
    ['what a server fills in', from({ optional: false }), from({})],
    ['empty fields', { postBuild: { substitute: {} }, patches: [], namePrefix: null }, {}],
    ['the namespace of the source, which is their own', { sourceRef: twin }, {}],
    ['the version of the source', { sourceRef: { ...spec.sourceRef, apiVersion: 'v1' } }, {}],
    [
      'the order of variables',
      { postBuild: { substitute: { a: '1', b: '2' } } },
      { postBuild: { substitute: { b: '2', a: '1' } } },
    ],
  ])('do the same when only %s differs', (_, one, other) => {
    expect(workText(kustomization(one))).toBe(workText(kustomization(other)));
  });

  it('do other things when a variable is empty for one of them', () => {
    const empty = kustomization({ postBuild: { substitute: { tenant: '' } } });
    expect(workText(empty)).not.toBe(workText(kustomization({})));
  });
});
