import { describe, expect, it } from '@jest/globals';
import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  CLUSTER_UID_ANNOTATION,
  HALTED_ANNOTATION,
  INSTALLED_ONCE_ANNOTATION,
} from '#api/v1alpha1/labels.js';
import { otherNames } from '#controllers/application/model/clusters/shared-cluster.js';
import { desiredChild } from '#controllers/application/model/children/desired.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import { validate } from '#controllers/application/model/destinations/validate.js';
import { type ClusterView, indexClusters } from '#controllers/application/model/child/cluster.js';
import { clusterIdText, type Cluster } from '#controllers/cluster/model/cluster.js';
import { cpuMsOf } from '../../../../support/cpu-time.js';
import { INHERITED } from '../../../../support/inherited-names.js';
import { application, decideApproved, entriesOf, NO_TEMPLATES, observed, suspended, type Deploy } from '../builders.js';
import { inventory, own, selecting, toClusters } from './builders.js';

const to = (name: string, more: Partial<Deploy> = {}): Deploy =>
  toClusters({ clusterRef: { kind: 'Secret', name } }, more);
const CLUSTERS = [own('eu'), own('us'), own('ap')];

describe('the child of a cluster without an entry', () => {
  const app = application([to('eu')]);
  const both = application([to('eu'), to('us')]);
  const viewOf = (uids: Readonly<Record<string, string>>, accepting?: string) =>
    inventory(
      CLUSTERS.map((each) =>
        each.id.name === accepting ? { ...each, annotations: { [ACCEPT_CLUSTER_UID_ANNOTATION]: 'a' } } : each,
      ),
      { uidOf: (id) => uids[id.split('/').at(-1) ?? ''] },
    );
  const made = (recorded: Readonly<Record<string, string>>) =>
    entriesOf(both, viewOf({})).map((entry) => {
      const { object } = desiredChild(both, entry, undefined);
      const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: recorded[entry.clusterName]! };
      return { ...object, metadata: { ...object.metadata, annotations } };
    });
  const decided = (application: typeof app, owned: readonly Child[], clusters: ReturnType<typeof viewOf>) => {
    const validation = validate(application, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
    if (validation === 'pending') throw new Error('there is no template');
    return decideApproved({ ...observed(application, owned), validation, clusters });
  };
  const planFor = (owned: readonly Child[], clusters: ReturnType<typeof viewOf>) => {
    const { steps, halting } = decided(app, owned, clusters);
    return [...halting.map(({ op }) => op), ...steps.map(({ op }) => op)];
  };

  it('goes without an uninstall while another name of the cluster has its release', () => {
    const [eu, us] = made({ eu: 'a', us: 'a' });
    expect(planFor([eu!, us!], viewOf({ eu: 'a', us: 'a' }))).toEqual(['keep', 'suspend']);
    expect(planFor([eu!, suspended(us!)], viewOf({ eu: 'a', us: 'a' }))).toEqual(['keep', 'delete']);
    expect(planFor([us!], viewOf({ eu: 'a', us: 'a' }))).toEqual(['create', 'spare']);
    expect(planFor([eu!, us!], viewOf({}))).toEqual(['keep', 'suspend']);
    expect(planFor(made({ eu: 'a', us: 'b' }), viewOf({ eu: 'a', us: 'b' }))).toEqual(['keep', 'delete']);
  });

  it('stays while the other name was replaced, and nobody said whether that is right', () => {
    const [, us] = made({ eu: 'a', us: 'a' });
    const { object } = desiredChild(
      both,
      entriesOf(application([to('eu', { releaseName: 'one' })]), viewOf({}))[0]!,
      undefined,
    );
    const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: 'b' };
    const replaced = { ...object, metadata: { ...object.metadata, annotations } };
    const named = application([to('eu', { name: 'one', releaseName: 'one' }), to('eu', { name: 'web' })]);
    const plan = decided(named, [replaced, us!], viewOf({ eu: 'a', us: 'a' }));
    expect(plan.steps.map(({ op }) => op)).toEqual(['wait', 'wait', 'spare']);
    expect(plan.steps.at(-1)?.why).toContain(
      'until the old kubeconfig of cluster eu is back, or Secret shop/eu has the new UID in gitops.kubesphere.io/accept-cluster-uid, or spec.fluxApp.spec.config.helmRelease.deploy[1] (cluster eu) is removed: it has release web/web, too, and it is not settled which cluster eu is',
    );
    // It also stays if the entry has a child there, which is for another cluster.
    const moved = made({ eu: 'b', us: 'a' });
    expect(planFor(moved, viewOf({ eu: 'a', us: 'a' }))).toEqual(['halt', 'wait', 'spare']);
    expect(planFor(moved, viewOf({ eu: 'a', us: 'a' }, 'eu'))).toEqual(['update', 'suspend']);
    expect(planFor(moved, viewOf({ eu: 'b', us: 'a' }))).toEqual(['keep', 'delete']);
  });

  it('stays while the other name leads elsewhere by mistake, also after a restart', () => {
    const [eu, us] = made({ eu: 'a', us: 'a' });
    const annotations = { ...eu!.metadata.annotations, [HALTED_ANNOTATION]: 'b' };
    const halted = { ...eu!, metadata: { ...eu!.metadata, annotations }, spec: { ...eu!.spec, suspend: true } };
    expect(planFor([eu!, us!], viewOf({ eu: 'b', us: 'a' }))).toEqual(['halt', 'wait', 'spare']);
    for (const view of [viewOf({ eu: 'b', us: 'a' }), viewOf({ us: 'a' })])
      expect(planFor([halted, us!], view)).toEqual(['wait', 'spare']);
    expect(planFor([halted, us!], viewOf({ eu: 'a', us: 'a' }))).toEqual(['resume', 'keep', 'suspend']);
  });

  /** Two entries on eu: one has a child, which was made for the UID a, and the other one has the release of us. */
  const twoOnEu = application([to('eu', { name: 'one', releaseName: 'one' }), to('eu', { name: 'web' })]);
  const firstOnEu = (): Child => {
    const { object } = desiredChild(twoOnEu, entriesOf(twoOnEu, viewOf({}))[0]!, undefined);
    const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: 'a' };
    return { ...object, metadata: { ...object.metadata, annotations } };
  };
  const us = (): Child => made({ eu: 'a', us: 'a' })[1]!;

  it('stays while an entry without a child has its release under a name that leads elsewhere', () => {
    const { steps } = decided(twoOnEu, [firstOnEu(), us()], viewOf({ eu: 'b', us: 'a' }));
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'wait', 'spare']);
    expect(steps.at(-1)?.why).toMatch(/^until the old kubeconfig of cluster eu is back, .* which cluster eu is$/);
  });

  it('stays after a restart, before anybody asked the cluster, until the entry has it', () => {
    const { steps } = decided(twoOnEu, [firstOnEu(), us()], viewOf({}));
    expect(steps.map(({ op }) => op)).toEqual(['keep', 'create', 'spare']);
  });

  it('stays after a restart while the cluster may be the one that was accepted', () => {
    const view = (uids: Readonly<Record<string, string>>) => {
      const annotations = { [ACCEPT_CLUSTER_UID_ANNOTATION]: 'b' };
      const known = CLUSTERS.map((each) => (each.id.name === 'eu' ? { ...each, annotations } : each));
      return inventory(known, { uidOf: (id) => uids[id.split('/').at(-1) ?? ''] });
    };
    const opsFor = (uids: Readonly<Record<string, string>>) =>
      decided(twoOnEu, [firstOnEu(), us()], view(uids)).steps.map(({ op }) => op);
    expect(opsFor({ us: 'a' }).at(-1)).toBe('spare');
    expect(opsFor({ us: 'a', eu: 'b' }).at(-1)).toBe('delete');
    expect(opsFor({ us: 'a', eu: 'a' }).at(-1)).toBe('spare');
  });

  it('stays until the cluster with the other name was asked', () => {
    const moved = application([to('us')]);
    const [eu] = made({ eu: 'a', us: 'a' });
    const opsFor = (uids: Readonly<Record<string, string>>, ...unasked: string[]) => {
      const view = { ...viewOf(uids), isToBeAsked: (id: string) => unasked.includes(id.split('/').at(-1) ?? '') };
      return decided(moved, [eu!], view).steps.map(({ op, why }) => `${op}: ${why}`);
    };
    expect(opsFor({ eu: 'a' }, 'us')).toEqual([
      'create: new destination',
      expect.stringMatching(
        /^spare: until cluster us tells its UID or \S+deploy\[0\] \(cluster us\) is removed, for some minutes: it has release web\/web, too, and cluster us may be another name of cluster eu$/,
      ),
    ]);
    expect(opsFor({}, 'eu', 'us')[1]).toMatch(/^spare: /);
    const [unknown] = made({});
    const opOf = decided(moved, [unknown!], { ...viewOf({}), isToBeAsked: (id) => id.endsWith('/eu') }).steps.at(-1);
    expect(opOf?.why).toMatch(/^until cluster eu tells its UID or /);
    // It does not tell, is another one, or is the same.
    expect(opsFor({ eu: 'a' })).toEqual(['create: new destination', expect.stringMatching(/^delete: /)]);
    expect(opsFor({ eu: 'a', us: 'b' })).toEqual(['create: new destination', expect.stringMatching(/^delete: /)]);
    expect(opsFor({ eu: 'a', us: 'a' })[1]).toMatch(
      /^spare: until \S+deploy\[0\] \(cluster us\) is carried out or removed: it has release web\/web, too, and cluster us is another name of cluster eu$/,
    );
  });

  it('stays until an entry that has its release under another name of its cluster is carried out', () => {
    const children = made({ eu: 'a', us: 'a' });
    const view = viewOf({ eu: 'a', us: 'a' });
    const whyFor = (entry: Deploy, owned: readonly Child[] = children.slice(0, 1), clusters = view) =>
      decided(application([entry]), owned, clusters).steps.map(({ op, why }) => `${op}: ${why}`);
    const rejected = to('us', { releaseName: 'web', upgrade: { remediation: { retries: -2 } } });
    const paused = {
      ...view,
      ...inventory([CLUSTERS[0]!, { ...CLUSTERS[1]!, isPaused: true }], { uidOf: view.uidOf }),
    };
    for (const found of [whyFor(to('us')), whyFor(rejected), whyFor(to('us'), undefined, paused)])
      expect(found[1]).toMatch(/^spare: /);
    expect(whyFor(to('us'), children)[1]).toMatch(
      /^suspend: HelmRelease \S+ on us, another name of the same cluster, /,
    );
    // What the entry has now is another release.
    const { object: before } = desiredChild(
      application([to('us', { name: 'u', releaseName: 'old' })]),
      entriesOf(application([to('us', { name: 'u', releaseName: 'old' })]), view)[0]!,
      undefined,
    );
    expect(whyFor(to('us', { name: 'u', releaseName: 'web' }), [children[0]!, before])[1]).toMatch(/^spare: until /);
  });

  it('waits for the next answer of a cluster that is asked again, whatever it told last', () => {
    const view = { ...viewOf({ eu: 'a', us: 'a' }), isToBeAsked: (id: string) => id.endsWith('/us') };
    for (const owned of [made({ eu: 'a', us: 'a' }), made({ eu: 'a', us: 'a' }).slice(0, 1)])
      expect(decided(application([to('us')]), owned, view).steps.at(-1)).toMatchObject({
        op: 'spare',
        why: expect.stringMatching(/^until cluster us tells its UID or /),
      });
  });

  it('waits for the entry under another name of its cluster, whatever a third name tells later', () => {
    const view = { ...viewOf({ eu: 'a', us: 'a', ap: 'a' }), isToBeAsked: (id: string) => id.endsWith('/ap') };
    const whyFor = (...entries: Deploy[]) =>
      decided(application(entries), made({ eu: 'a' }).slice(0, 1), view).steps.at(-1)?.why;
    for (const entries of [
      [to('ap'), to('us')],
      [to('us'), to('ap')],
    ])
      expect(whyFor(...entries)).toMatch(/^until \S+ \(cluster us\) is carried out or removed: /);
    expect(whyFor(to('ap'))).toMatch(/^until cluster ap tells its UID or /);
  });

  it('does not keep the entry from its release that it waits for, if another kind of object describes its cluster', () => {
    const capi = { ...own('us'), id: { ...own('us').id, apiGroup: 'cluster.x-k8s.io', kind: 'Cluster' as const } };
    const clusterRef = { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', name: 'us' } as const;
    const view = inventory([own('eu'), capi], { uidOf: () => 'a' });
    const { steps } = decided(application([toClusters({ clusterRef })]), made({ eu: 'a' }).slice(0, 1), view);
    expect(steps.map(({ op }) => op)).toEqual(['create', 'spare']);
  });

  it('keeps no entry from its release on several clusters that objects of another kind describe', () => {
    const capi = (name: string) => ({
      ...own(name),
      id: { ...own(name).id, apiGroup: 'cluster.x-k8s.io', kind: 'Cluster' as const },
    });
    const reference = (name: string) =>
      toClusters({ clusterRef: { apiGroup: 'cluster.x-k8s.io', kind: 'Cluster', name } });
    const view = inventory([own('eu'), own('us'), capi('eu'), capi('us')], {
      uidOf: (id) => ({ eu: 'a', us: 'b' })[id.split('/').at(-1) ?? ''],
    });
    const { steps } = decided(application([reference('eu'), reference('us')]), made({ eu: 'a', us: 'b' }), view);
    expect(steps.map(({ op }) => op)).toEqual(['create', 'create', 'spare', 'spare']);
  });

  const recordedAs = (uid: string, child: Child): Child => {
    const annotations = { ...child.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
    return { ...child, metadata: { ...child.metadata, annotations } };
  };
  const childrenOf = (entries: Deploy[], uids: readonly string[]): Child[] => {
    const had = application(entries);
    return entriesOf(had, viewOf({})).map((entry, index) =>
      recordedAs(uids[index]!, desiredChild(had, entry, undefined).object),
    );
  };

  it('keeps no neighbour of the entry from being installed that it waits for', () => {
    const [r, s] = [{ releaseName: 'r' }, { releaseName: 's' }];
    const owned = childrenOf([to('eu', r), to('us', s)], ['a', 'a']);
    const { steps } = decided(application([to('us', r), to('eu', s)]), owned, viewOf({ eu: 'a', us: 'a' }));
    expect(steps.map(({ op }) => op)).toEqual(['create', 'create', 'spare', 'spare']);
  });

  it('stays while the only other one with its release may go without an uninstall, too', () => {
    const others = application([to('ap')]);
    const opOf = (owned: readonly Child[], uids: Readonly<Record<string, string>>) =>
      decided(others, owned, viewOf(uids)).steps.filter(({ op }) => op !== 'create');
    const owned = made({ eu: 'a', us: 'a' });
    // The kubeconfig of eu leads to another cluster: its child is suspended, and goes with what is on that one.
    expect(opOf(owned, { eu: 'v', us: 'a' })).toMatchObject([
      { op: 'spare' },
      {
        op: 'spare',
        why: expect.stringMatching(
          /^until HelmRelease \S+, which is for the same release, is deleted or settled \(it stays: .+\)$/,
        ),
      },
    ]);
    expect(opOf(owned, { eu: 'a', us: 'a' })).toMatchObject([{ op: 'delete' }, { op: 'delete' }]);
    // One that is suspended uninstalls nothing.
    expect(opOf([owned[0]!, suspended(owned[1]!)], { eu: 'v', us: 'a' })[1]?.op).toBe('delete');
  });

  it('and nothing new is installed beside it until then', () => {
    const [eu, us] = made({ eu: 'a', us: 'a' });
    const view = viewOf({ eu: 'a', us: 'a' });
    const paused = inventory([{ ...CLUSTERS[0]!, isPaused: true }, ...CLUSTERS.slice(1)], { uidOf: view.uidOf });
    const { steps } = decided(application([to('us', { releaseName: 's' })]), [suspended(eu!), us!], paused);
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'spare', 'spare']);
  });

  it('keeps its release from an update that uninstalls first, if another entry is to get it', () => {
    const [s, r] = [{ releaseName: 's' }, { releaseName: 'r' }];
    const owned = childrenOf([to('eu', s), to('us', { name: 'u', ...s })], ['a', 'a']);
    const edited = application([to('us', { name: 'u', ...r }), to('ap', s)]);
    const { steps } = decided(edited, owned, viewOf({ eu: 'a', us: 'a', ap: 'a' }));
    expect(steps.map(({ op }) => op)).toEqual(['wait', 'wait', 'spare']);
    expect(steps[0]?.why).toMatch(
      /^waiting: until \S.+: HelmRelease \S+ on eu, .+ which no entry specifies, has release /,
    );
  });

  it('goes without an uninstall beside one that was installed once, which goes with it', () => {
    const [once, us] = childrenOf([to('eu', { mode: 'Once' }), to('us')], ['a', 'a']);
    const annotations = { ...once!.metadata.annotations, [INSTALLED_ONCE_ANNOTATION]: '1.0.0' };
    const installed = { ...once!, metadata: { ...once!.metadata, annotations } };
    const { steps } = decided(application([to('ap')]), [installed, us!], viewOf({ eu: 'a', us: 'a', ap: 'b' }));
    expect(steps.filter(({ op }) => op !== 'create').map(({ op }) => op)).toEqual(['suspend', 'suspend']);
  });

  it('does not wait for an entry that was installed once as another release', () => {
    const [u] = childrenOf([to('us', { name: 'u', mode: 'Once', releaseName: 'web' })], ['a']);
    const annotations = { ...u!.metadata.annotations, [INSTALLED_ONCE_ANNOTATION]: '1.0.0' };
    const once = { ...u!, metadata: { ...u!.metadata, annotations } };
    const [old] = childrenOf([to('eu', { releaseName: 's' })], ['a']);
    const edited = application([to('us', { name: 'u', mode: 'Once', releaseName: 's' })]);
    const { steps } = decided(edited, [once, old!], viewOf({ eu: 'a', us: 'a' }));
    expect(steps.at(-1)?.op).toBe('delete');
  });

  it.each<[string, Partial<ClusterView>, Partial<Cluster>]>([
    ['whose kind is not read', { whyUnknown: (id) => (id.endsWith('/us') ? 'it was not read' : undefined) }, {}],
    ['that is not granted any more', { accessOf: ({ id }) => ({ allowed: id.name !== 'us' }) as never }, {}],
    ['that is paused', {}, { isPaused: true, labels: {} }],
    ['whose label flaps', {}, { labels: {} }],
  ])('is never uninstalled while a child without an entry has it under a name %s', (_title, more, us) => {
    const [env, uids] = [{ tier: 'x' }, { eu: 'a', us: 'a', c1: '1', c2: '2', c3: '3' }];
    const all = Object.keys(uids).map((name) => own(name, env));
    const selected = application([selecting(env)]);
    const owned = entriesOf(selected, inventory(all)).map((entry): Child => {
      const { object } = desiredChild(selected, entry, undefined);
      const uid = uids[entry.clusterName as keyof typeof uids];
      const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uid };
      return { ...object, metadata: { ...object.metadata, uid: `u-${entry.clusterName}`, annotations } };
    });
    const isThere = ({ id }: Cluster): boolean => more.whyUnknown === undefined || id.name !== 'us';
    const known = all.map((each) => (each.id.name === 'us' ? { ...each, ...us } : each)).filter(isThere);
    const uidOf = (id: string) => uids[(id.split('/').at(-1) ?? '') as keyof typeof uids];
    const clusters = inventory(known, { uidOf, ...more });
    const edited = application([selecting(env, ['eu'])]);
    const validation = validate(edited, { templates: NO_TEMPLATES, clusters }, { allowCrossNamespace: false });
    if (validation === 'pending') throw new Error('there is no template');
    const unmatchedForMs = ({ child }: { child: Child }) => (child.metadata.uid === 'u-us' ? 1_000 : 1e9);
    const { steps } = decideApproved({
      ...observed(edited, owned),
      validation,
      clusters,
      unmatchedForMs,
      delayMs: 30_000,
    });
    const opOf = (uid: string) => steps.find((step) => 'live' in step && step.live?.metadata.uid === uid)?.op;
    expect([opOf('u-eu'), opOf('u-us')]).toEqual(['suspend', 'spare']);
  });

  describe('is not uninstalled by an update', () => {
    const was = application([to('eu', { name: 'e' }), to('us', { name: 'u' })]);
    const [e, u] = entriesOf(was, viewOf({})).map((entry): Child => {
      const { object } = desiredChild(was, entry, undefined);
      const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: 'a' };
      return { ...object, metadata: { ...object.metadata, uid: `u-${entry.clusterName}`, annotations } };
    });
    const stepsFor = (owned: readonly Child[], e: Partial<Deploy>, view = viewOf({ eu: 'a', us: 'a' })) =>
      decided(application([to('eu', { name: 'e', ...e }), to('us', { name: 'u' })]), owned, view).steps;
    const OTHER: Record<string, Partial<Deploy>> = {
      'to another release': { releaseName: 'new' },
      'to another namespace': { destination: { clusterRef: { kind: 'Secret', name: 'eu' }, targetNamespace: 'other' } },
    };

    it.each(Object.entries(OTHER))('%s while a child has it under another name of its cluster', (_title, change) => {
      const [moved, kept] = stepsFor([e!, u!], change);
      expect([moved, kept]).toMatchObject([{ op: 'wait', hold: 'Removal' }, { op: 'keep' }]);
      expect(moved?.why).toMatch(
        /^remove or exclude one of the two entries: HelmRelease \S+ on us, another name of the same cluster, has release web\/web, too, which this change would uninstall$/,
      );
      const annotations = { ...u!.metadata.annotations, [CLUSTER_UID_ANNOTATION]: 'b' };
      const elsewhere = { ...u!, metadata: { ...u!.metadata, annotations } };
      expect(stepsFor([e!, elsewhere], change, viewOf({ eu: 'a', us: 'b' }))[0]?.op).toBe('update');
      // Nothing else of it is lost.
      expect(stepsFor([e!, u!], { interval: '7m' })[0]?.op).toBe('update');
    });

    it('while it is open whether an entry has it under another name of its cluster', () => {
      const view = { ...viewOf({ eu: 'a', us: 'b' }), isToBeAsked: (id: string) => id.endsWith('/us') };
      const annotations = { ...u!.metadata.annotations, [CLUSTER_UID_ANNOTATION]: 'b' };
      const elsewhere = { ...u!, metadata: { ...u!.metadata, annotations } };
      const moved = application([to('eu', { name: 'e', releaseName: 'new' }), to('us', { name: 'u' })]);
      // One without a child may get it in the same pass.
      expect(decided(moved, [e!], view).steps[0]?.op).toBe('wait');
      const plan = decided(moved, [e!, elsewhere], view);
      expect(plan.steps[0]).toMatchObject({
        op: 'wait',
        why: expect.stringMatching(/^waiting until cluster us tells/),
      });
      expect(plan.retryAfterMs).toBe(30_000);
    });

    it('and is installed under another name once it has left the first one', () => {
      const steps = stepsFor([e!], { releaseName: 'new' });
      expect(steps).toMatchObject([
        { op: 'update', uninstalls: expect.any(String) },
        { op: 'wait', why: expect.stringMatching(/^waiting until HelmRelease \S+ on eu, another name .* has left/) },
      ]);
      expect(stepsFor([e!], { releaseName: 'new' }, viewOf({ eu: 'a', us: 'b' }))[1]?.op).toBe('create');
    });

    it('and is installed under another name once its uninstall is over', () => {
      const terminating = { ...e!, metadata: { ...e!.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
      const opFor = (owned: readonly Child[]) =>
        decided(application([to('us', { name: 'u' })]), owned, viewOf({ eu: 'a', us: 'a' })).steps[0]?.op;
      expect([opFor([terminating]), opFor([suspended(terminating)]), opFor([])]).toEqual(['wait', 'create', 'create']);
    });
  });

  it('does not tell to wait for a cluster that is not asked', () => {
    const messageFor = (cluster: Cluster) => {
      const view = inventory([own('eu'), cluster], { uidOf: (id) => (id.endsWith('/eu') ? 'a' : undefined) });
      const open = { ...view, isToBeAsked: (id: string) => id.endsWith('/us') };
      return decided(application([to('us')]), made({ eu: 'a' }).slice(0, 1), open).steps.at(-1)?.why;
    };
    const notReady = own('us', {}, { readiness: { state: 'NotReady', message: '' } });
    const without = own('us', {}, { credential: { type: 'none', why: 'nobody gave one' } });
    for (const cluster of [notReady, without])
      expect(messageFor(cluster)).toMatch(
        /^for some minutes or until \S+ \(cluster us\) is removed, as cluster us cannot be asked now: it has release/,
      );
    expect(messageFor(own('us'))).toMatch(/^until cluster us tells its UID or /);
  });

  it('has a reason to stay that names the ways out within what a pending removal shows', () => {
    const asked = { ...viewOf({ eu: 'a' }), isToBeAsked: (id: string) => id.endsWith('/us') };
    const shown = (situation: readonly [typeof app, Child[], ReturnType<typeof viewOf>]) =>
      decided(...situation)
        .steps.at(-1)!
        .why.slice(0, 199);
    expect(shown([application([to('us')]), made({ eu: 'a' }).slice(0, 1), asked])).toContain('(cluster us) is removed');
    expect(shown([twoOnEu, [firstOnEu(), us()], viewOf({ eu: 'b', us: 'a' })])).toContain('(cluster eu) is removed');
  });

  it('stays until the cluster was asked, although its sibling there was made for another one', () => {
    const two = to('us', { name: 'two', releaseName: 'two' });
    const [eu] = made({ eu: 'a' });
    const { object } = desiredChild(both, entriesOf(application([two]), viewOf({}))[0]!, undefined);
    const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: 'b' };
    const sibling = { ...object, metadata: { ...object.metadata, annotations } };
    const opFor = (uids: Readonly<Record<string, string>>, isUnasked: boolean) => {
      const view = { ...viewOf(uids), isToBeAsked: (id: string) => isUnasked && id.endsWith('/us') };
      return decided(application([to('us'), two]), [eu!, sibling], view).steps.at(-1)?.op;
    };
    expect(opFor({ eu: 'a' }, true)).toBe('spare');
    // Its credential was changed after it told.
    expect(opFor({ eu: 'a', us: 'b' }, true)).toBe('spare');
    expect(opFor({ eu: 'a', us: 'b' }, false)).toBe('delete');
    expect(opFor({ eu: 'a' }, false)).toBe('delete');
  });

  it.each<[string, recorded: Readonly<Record<string, string>>, uids: Readonly<Record<string, string>>]>([
    ['a child of its own there has another UID', { eu: 'a', us: 'b' }, { eu: 'a', us: 'b' }],
    ['a child of its own there has no UID', { eu: 'a', us: '' }, { eu: 'a', us: 'b' }],
    ['a child of its own there has the UID before an accepted one', { eu: 'b', us: 'b' }, { eu: 'a', us: 'b' }],
    ['a child of its own there has another UID, and it never told one', { eu: 'a', us: 'b' }, { eu: 'a' }],
  ])('stays while the cluster of an entry is asked again, whether or not %s', (_title, recorded, uids) => {
    const opFor = (accepting?: string) => {
      const view = { ...viewOf(uids, accepting), isToBeAsked: (id: string) => id.endsWith('/us') };
      return decided(application([to('us')]), made(recorded), view).steps.at(-1)?.op;
    };
    for (const accepting of ['eu', 'us', undefined]) expect(opFor(accepting)).toBe('spare');
  });

  it('stays while the cluster of an entry does not answer, which may become its own', () => {
    const [eu, us] = made({ eu: 'a', us: 'b' });
    const opFor = (owned: readonly Child[], uids: Readonly<Record<string, string>>, accepting?: string) =>
      decided(application([to('us')]), owned, viewOf(uids, accepting)).steps.at(-1)?.op;
    // The user led us to the cluster of eu, accepted that, and removed the entry of eu.
    expect(opFor([eu!, us!], { eu: 'a' }, 'us')).toBe('spare');
    expect(opFor([eu!], { eu: 'a' }, 'us')).toBe('spare');
    expect(opFor([eu!, us!], { eu: 'a', us: 'a' }, 'us')).toBe('suspend');
    expect(opFor([eu!, us!], { eu: 'a', us: 'b' }, 'us')).toBe('delete');
    expect(opFor([eu!, us!], { eu: 'a' })).toBe('delete');
  });

  it.each(INHERITED)('is decided about if its cluster has the UID %s, as it is or as it is recorded', (uid) => {
    expect(planFor(made({ eu: 'b', us: uid }), viewOf({ eu: 'b', us: 'c' }))).toEqual(['halt', 'keep', 'spare']);
    expect(planFor(made({ eu: 'b', us: uid }), viewOf({ eu: 'b', us: uid }))).toEqual(['keep', 'delete']);
    expect(planFor(made({ eu: uid, us: uid }), viewOf({ eu: uid, us: uid }))).toEqual(['keep', 'suspend']);
    const other = application([to('eu', { releaseName: 'z' })]);
    const { steps } = decided(other, made({ eu: 'b', us: uid }).slice(1), viewOf({ eu: 'b', us: uid }));
    expect(steps.at(-1)?.op).toBe('delete');
  });

  it('is looked at again soon while it waits for that, and not after', () => {
    const [eu] = made({ eu: 'a' });
    const retryOf = (isUnasked: boolean) =>
      decided(application([to('us')]), [eu!], { ...viewOf({ eu: 'a' }), isToBeAsked: () => isUnasked }).retryAfterMs;
    expect([retryOf(true), retryOf(false)]).toEqual([30_000, undefined]);
  });

  it('does not wait for a cluster that is gone', () => {
    const [eu] = made({});
    const opsFor = (clusters: readonly Cluster[]) => {
      const view = inventory(clusters, { isToBeAsked: (id) => id === '/Secret/shop/eu' });
      return decided(application([to('us')]), [eu!], view).steps.map(({ op }) => op);
    };
    expect(opsFor(CLUSTERS)).toEqual(['create', 'spare']);
    expect(opsFor(CLUSTERS.slice(1))).toEqual(['create', 'suspend']);
  });

  it('has no new release beside it until that is settled', () => {
    const children = made({ eu: 'b', us: 'a' });
    const beside = application([to('eu'), to('us', { name: 'two', releaseName: 'two' })]);
    const opsFor = (clusters: ReturnType<typeof viewOf>) =>
      decided(beside, children, clusters).steps.map(({ op }) => op);
    expect(opsFor(viewOf({ eu: 'a', us: 'a' }))).toEqual(['wait', 'wait', 'spare']);
  });

  it('is not resumed for that', () => {
    const [eu, us] = made({ eu: 'a', us: 'b' });
    const annotations = { ...us!.metadata.annotations, [HALTED_ANNOTATION]: 'a' };
    const halted = { ...us!, metadata: { ...us!.metadata, annotations }, spec: { ...us!.spec, suspend: true } };
    expect(planFor([eu!, halted], viewOf({ eu: 'a', us: 'a' }))).toEqual(['keep', 'spare']);
    expect(planFor([eu!, halted], viewOf({ eu: 'a', us: 'a' }, 'us'))).toEqual(['keep', 'delete']);
  });

  it('is a warning of the Application as long as it has one', () => {
    const warned = (application: typeof app) =>
      decided(application, made({ eu: 'a', us: 'a' }), viewOf({ eu: 'a', us: 'a' })).finding.warnings;
    expect([warned(both), warned(app)]).toEqual([[expect.stringContaining('names of one cluster')], []]);
  });
});

describe('of 2,000 releases that leave beside 2,000 entries', () => {
  const names = Array.from({ length: 4_000 }, (_, at) => `c${at}`);
  const app = application(names.map((name) => to(name)));
  const clusters = names.map((name) => own(name));
  const openOf = { none: () => false, all: () => true, 'a tenth': (id: string) => id.endsWith('7') };

  it.each(Object.entries(openOf))(
    'each is asked about in constant time while %s of the clusters are asked',
    (_title, isToBeAsked) => {
      const uidOf = (id: string): string => `u-${id}`;
      const view = inventory(clusters, { uidOf, isToBeAsked });
      const ids = clusters.map(({ id }) => clusterIdText(id));
      const byId = new Map(clusters.map((each) => [clusterIdText(each.id), each]));
      const quick = { ...view, find: (id: string) => byId.get(id) };
      const [index, all] = [indexClusters(quick, ids, 'shop'), entriesOf(app, quick)];
      const childOf = new Map(
        all.map((entry): [Entry, Child] => {
          const { object } = desiredChild(app, entry, undefined);
          const id = clusterIdText(entry.cluster!.id);
          const annotations = { ...object.metadata.annotations, [CLUSTER_UID_ANNOTATION]: uidOf(id) };
          return [entry, { ...object, metadata: { ...object.metadata, annotations } }];
        }),
      );
      const leaving = all.slice(2_000).flatMap((entry) => childOf.get(entry) ?? []);
      const cost = cpuMsOf(() => {
        const known = { clusters: index, replaced: new Map<string, Child>(), agreed: new Map<string, string>() };
        const { keeperOf, doubtOf, whyUnasked } = otherNames(all.slice(0, 2_000), childOf, known);
        for (let time = 0; time < 3; time += 1) {
          for (const child of leaving) for (const ask of [keeperOf, doubtOf, whyUnasked]) ask(child);
        }
      });
      expect(cost).toBeLessThan(1_000);
    },
  );
});
