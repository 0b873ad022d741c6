import { describe, expect, it } from '@jest/globals';
import type { Condition } from '#api/meta.js';
import {
  provenTarget,
  SameTargets,
  targetValueOf,
  targetValues,
} from '#controllers/application/model/children/same-target.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import {
  application,
  deploy,
  entriesOf,
  files,
  filesApplication,
  GIT_SOURCE,
  leaving,
  ops,
  work,
  type Deploy,
  type Files,
} from './builders.js';

/** A child that a user wrote, without an Application. */
function plain(kind: 'HelmRelease' | 'Kustomization', spec: Child['spec'], more: Partial<Child> = {}): Child {
  return { apiVersion: 'flux/v1', kind, metadata: { name: 'plain', namespace: 'shop' }, spec, ...more };
}

const release = (spec: Child['spec'] = {}): Child =>
  plain('HelmRelease', { releaseName: 'web', targetNamespace: 'prod', ...spec });

const applied = (spec: Child['spec'] = {}): Child =>
  plain('Kustomization', { path: './stage', sourceRef: GIT_SOURCE.sourceRef, ...spec });

/** A child of another namespace, whose engine reports `status` for its current spec. */
function elsewhere(child: Child, status: Child['status'] = {}): Child {
  const metadata = { ...child.metadata, namespace: 'flux-system', generation: 1 };
  return { ...child, metadata, status: { observedGeneration: 1, conditions: [ready('True', 1)], ...status } };
}

const ready = (status: Condition['status'], observedGeneration: number): Condition => ({
  ...{ type: 'Ready', status, reason: 'Tested', message: 'tested', observedGeneration },
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

/** A child whose spec a user edited after the engine applied it: the status still belongs to the old spec. */
function edited(child: Child, spec: Child['spec']): Child {
  return { ...child, metadata: { ...child.metadata, generation: 2 }, spec };
}

const deployed = { history: [{ name: 'web', namespace: 'prod', version: 1, status: 'deployed' }] };

/** Messages about the entries of an Application while `others` exist, without the paths of the entries. */
function rejections(
  app: ReturnType<typeof application>,
  others: readonly Child[],
  owned: readonly Child[] = [],
  before?: Child,
) {
  const targets = {
    provenOf: () => before && provenTarget(before),
    childrenAt: (value: string) => [...owned, ...others].filter((child) => targetValues(child).includes(value)),
    claimantOf: () => undefined,
  };
  const { rejected, steps, warnings } = work(app, owned, { targets });
  const said = rejected.map(({ violation: { reason, message } }) => `${reason} ${message.replace(/^\S+: /, '')}`);
  return { said, ops: ops(steps), warnings };
}

/** `before`: the other child as it was last seen Ready. */
const conflictOf = (entry: Deploy, other: Child, before?: Child): string[] =>
  rejections(application([entry]), [other], [], before).said;
const filesConflictOf = (entry: Files, other: Child, before?: Child): string[] =>
  rejections(filesApplication([entry]), [other], [], before).said;

describe('a release that a HelmRelease of a user applies', () => {
  it('is refused, whatever namespace holds its record, with steps that keep what runs', () => {
    expect(conflictOf(deploy('prod'), release())).toEqual([
      'ReleaseConflict HelmRelease shop/plain already applies release web in namespace prod, and its deletion uninstalls that: set another releaseName or targetNamespace; or, to take it over, set storageNamespace: shop here, then set spec.suspend: true on HelmRelease shop/plain and delete it, which uninstalls nothing',
    ]);
    const [same] = conflictOf(deploy('prod', undefined, { storageNamespace: 'shop' }), release());
    expect(same).toContain('to take it over, set spec.suspend: true on HelmRelease shop/plain');
  });

  it.each<[string, Deploy, Child['spec']]>([
    ['suspended', deploy('prod'), { suspend: true }],
    ['in its own namespace', deploy('shop'), { targetNamespace: 'shop' }],
    ['on a member', deploy('prod', 'eu'), { kubeConfig: { secretRef: { name: 'eu' } } }],
    ['on a member, by a key', deploy('prod', 'eu'), { kubeConfig: { secretRef: { name: 'eu', key: 'value' } } }],
  ])('is refused: %s', (_, entry, spec) => {
    expect(conflictOf(entry, release(spec))).toHaveLength(1);
  });

  it.each<[string, Deploy, Child['spec']]>([
    ['release', deploy('prod', undefined, { releaseName: 'two' }), {}],
    ['namespace', deploy('test'), {}],
    ['cluster', deploy('prod', 'eu'), {}],
    ['member', deploy('prod', 'eu'), { kubeConfig: { secretRef: { name: 'us' } } }],
  ])('is none of another %s', (_, entry, spec) => {
    expect(conflictOf(entry, release(spec))).toEqual([]);
  });

  it('has the names that Flux makes', () => {
    expect(conflictOf(deploy('shop', undefined, { releaseName: 'plain' }), plain('HelmRelease', {}))).toHaveLength(1);
    const other = plain('HelmRelease', { targetNamespace: 'prod' });
    expect(conflictOf(deploy('prod', undefined, { releaseName: 'prod-plain' }), other)).toHaveLength(1);
  });

  it('is what it has made last, until it has left that', () => {
    const moved = { ...release({ targetNamespace: 'new' }), status: deployed };
    expect(conflictOf(deploy('prod'), moved)).toHaveLength(1);
    expect(conflictOf(deploy('new'), moved)).toHaveLength(1);
    const gone = { history: [{ name: 'web', namespace: 'prod', status: 'uninstalled' }, ...deployed.history] };
    expect(conflictOf(deploy('prod'), { ...moved, status: gone })).toEqual([]);
  });

  it('waits for one that is being deleted', () => {
    const [said] = conflictOf(deploy('prod'), leaving(release()));
    expect(said).toContain('release web in namespace prod: waiting until it is deleted');
  });

  it('counts in another namespace once it is deployed, without its name, and only on the host', () => {
    const [said, ...more] = conflictOf(deploy('prod'), elsewhere(release(), deployed));
    expect(more).toEqual([]);
    expect(said).toContain('a HelmRelease of another namespace already applies release web in namespace prod');
    expect(said).toContain('have somebody who may set spec.suspend: true on that HelmRelease and delete it');
    expect(said).not.toMatch(/flux-system|plain/);
    expect(conflictOf(deploy('prod'), elsewhere(release()))).toEqual([]);
    const failed = { history: [{ name: 'web', namespace: 'prod', status: 'failed' }] };
    expect(conflictOf(deploy('prod'), elsewhere(release(), failed))).toEqual([]);
    const other = { history: [{ name: 'web', namespace: 'flux-system', status: 'deployed' }] };
    expect(conflictOf(deploy('prod'), elsewhere(release(), other))).toEqual([]);
    const member = { kubeConfig: { secretRef: { name: 'eu' } } };
    expect(conflictOf(deploy('prod', 'eu'), elsewhere(release(member), deployed))).toEqual([]);
  });

  it('counts in another namespace only as it was applied there', () => {
    const onMember = elsewhere(release({ kubeConfig: { secretRef: { name: 'eu' } } }), deployed);
    expect(conflictOf(deploy('prod'), edited(onMember, release().spec), onMember)).toEqual([]);
    expect(conflictOf(deploy('prod'), edited(onMember, release({ suspend: true }).spec), onMember)).toEqual([]);
    const [said] = conflictOf(deploy('prod'), leaving(edited(elsewhere(release(), deployed), release().spec)));
    expect(said).toContain('waiting until it is deleted');
  });
});

describe('an object of another namespace', () => {
  const revisions = { lastAppliedRevision: 'main@sha1:1', lastAttemptedRevision: 'main@sha1:1' };
  const at = (generation: number, status: Child['status'], spec: Child['spec'] = {}): Child => {
    const child = elsewhere(applied(spec), { ...revisions, ...status });
    return { ...child, metadata: { ...child.metadata, generation } };
  };
  const says = (status: Condition['status'], observed = 1): Child['status'] => ({
    observedGeneration: observed,
    conditions: [ready(status, observed)],
  });

  it.each<[string, Child, boolean]>([
    ['that is ready', at(1, says('True')), true],
    ['that looks again at its interval', at(1, says('Unknown')), false],
    ['that is suspended', at(1, says('True'), { suspend: true }), false],
    ['that was edited', at(2, says('True')), false],
    ['that is tried after an edit', at(2, { ...says('Unknown', 2), observedGeneration: 1 }), false],
    ['that failed', at(1, says('False')), false],
    ['that nobody has seen', at(1, { observedGeneration: -1, conditions: [] }), false],
    ['that is being deleted', leaving(at(2, says('True'))), false],
    // Flux reports this when it has pruned, even if the object was edited meanwhile.
    ['of which the deletion was seen', leaving(at(3, says('True', 3))), false],
  ])('%s proves what it applies: %#', (_, child, expected) => {
    expect(provenTarget(child) !== undefined).toBe(expected);
  });

  const living = elsewhere(release(), deployed);
  const unready = (status: Condition['status'], reason: string): Child => {
    const condition = { ...ready(status, 1), reason };
    return { ...living, status: { ...living.status, conditions: [condition] } };
  };
  it.each<[string, Child]>([
    ['is upgraded', unready('Unknown', 'Progressing')],
    ['has failed', unready('False', 'UpgradeFailed')],
    ['finds no chart', unready('False', 'HelmChartNotReady')],
    ['is edited', edited(living, release({ values: { a: 1 } }).spec)],
    ['is suspended', edited(living, release({ suspend: true }).spec)],
    ['is being deleted', leaving(edited(living, release().spec))],
    ['could not be uninstalled', leaving(unready('False', 'UninstallFailed'))],
  ])('keeps what it applies while it %s, whether the start saw it Ready or not', (_, child) => {
    for (const before of [living, undefined]) {
      expect(conflictOf(deploy('prod'), child, before)).toHaveLength(1);
    }
  });
});

describe('files that a Kustomization of a user applies', () => {
  it('are refused, with steps that keep what runs', () => {
    expect(filesConflictOf(files(undefined, undefined, { path: 'stage/' }), applied())).toEqual([
      'ReleaseConflict Kustomization shop/plain already applies the files in stage of the same source, and its deletion deletes that: set another path or targetNamespace; or, to take it over, set spec.suspend: true on Kustomization shop/plain and delete it, which deletes nothing; or, if all of it stays, run fairlead adopt kustomization/plain -n shop --application web',
    ]);
  });

  it.each<[string, Files, Child['spec']]>([
    ['whatever its patches', files('prod', 'eu', { path: 'stage' }), { patches: [{ patch: 'x' }] }],
    [
      'of a copy of the source',
      files('prod', 'eu', { path: 'stage' }),
      { sourceRef: { kind: 'GitRepository', name: 'fleet', namespace: 'shop' } },
    ],
  ])('are refused: %s', (_, entry, spec) => {
    const there = { targetNamespace: 'prod', kubeConfig: { secretRef: { name: 'eu' } } };
    expect(filesConflictOf(entry, applied({ ...there, ...spec }))).toHaveLength(1);
  });

  it.each<[string, Child['spec']]>([
    ['directory', { path: './prod' }],
    ['namespace', { targetNamespace: 'prod' }],
    ['cluster', { kubeConfig: { secretRef: { name: 'eu' } } }],
    ['source', { sourceRef: { ...GIT_SOURCE.sourceRef, name: 'other' } }],
    ['kind of source', { sourceRef: { ...GIT_SOURCE.sourceRef, kind: 'OCIRepository' } }],
    ['source, in another namespace', { sourceRef: { ...GIT_SOURCE.sourceRef, namespace: 'flux-system' } }],
    ['prefix', { namePrefix: 'a-' }],
    ['variables', { postBuild: { substitute: { name: 'a' } } }],
  ])('are none of another %s', (_, spec) => {
    expect(filesConflictOf(files(undefined, undefined, { path: './stage' }), applied(spec))).toEqual([]);
  });

  it('count in another namespace once they were applied', () => {
    const entry = files(undefined, undefined, { path: './stage' });
    const other = applied({ sourceRef: { ...GIT_SOURCE.sourceRef, namespace: 'shop' } });
    expect(filesConflictOf(entry, elsewhere(other))).toEqual([]);
    const [said] = filesConflictOf(entry, elsewhere(other, { lastAppliedRevision: 'main@sha1:1' }));
    expect(said).toContain('a Kustomization of another namespace already applies the files in stage');
  });

  it('do not count in another namespace where something else was applied before', () => {
    const entry = files(undefined, undefined, { path: './stage' });
    const before = elsewhere(applied({ path: './own' }), { lastAppliedRevision: 'main@sha1:1' });
    const claimed = applied({ sourceRef: { ...GIT_SOURCE.sourceRef, namespace: 'shop' } }).spec;
    expect(filesConflictOf(entry, edited(before, claimed), before)).toEqual([]);
    expect(filesConflictOf(entry, edited(before, { ...claimed, suspend: true }), before)).toEqual([]);
  });
});

describe('the owner of what another one applies as well', () => {
  const app = application([deploy('prod')]);
  const created = (): Child[] => work(app).steps.flatMap((step) => (step.op === 'create' ? [step.object] : []));

  it('keeps it, and is warned of what a deletion would do', () => {
    const { said, ops: steps, warnings } = rejections(app, [release()], created());
    expect([said, steps]).toEqual([[], ['keep']]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^HelmRelease shop\/plain applies release web in namespace prod as well as HelmRelease shop\/web-\S+, and the deletion of one uninstalls it for both: to keep it, set spec\.suspend: true on HelmRelease shop\/plain before you delete that$/,
      ),
    ]);
  });

  it('is not told the name of one of another namespace', () => {
    const { warnings } = rejections(app, [elsewhere(release(), deployed)], created());
    expect(warnings).toEqual([
      expect.stringMatching(/^a HelmRelease of another namespace applies .* on that HelmRelease before/),
    ]);
  });

  it('does not move there', () => {
    const { said, ops: steps } = rejections(application([deploy('test', undefined, { name: 'main' })]), []);
    expect([said, steps]).toEqual([[], ['create']]);
    const there = work(application([deploy('test', undefined, { name: 'main' })])).steps.flatMap((step) =>
      step.op === 'create' ? [step.object] : [],
    );
    const moving = rejections(application([deploy('prod', undefined, { name: 'main' })]), [release()], there);
    expect(moving.said).toEqual([expect.stringContaining('HelmRelease shop/plain already applies')]);
    expect(moving.ops).toEqual(['wait']);
  });

  it('is the other Application, where one of two stores its release elsewhere', () => {
    const [child] = created();
    const metadata = { ...app.metadata, name: 'rival', uid: 'uid-2' };
    const rival = application([deploy('prod', undefined, { releaseName: 'web', storageNamespace: 'kept' })], {
      metadata,
    });
    expect(rejections(rival, [child!]).said).toEqual([
      expect.stringMatching(
        /^ReleaseConflict HelmRelease shop\/web-\S+ of Application web already applies .* or remove it there first$/,
      ),
    ]);
  });
});

it('an Application that is about to create a child is before the others, until that is known', () => {
  const app = application([deploy('prod')]);
  const [entry] = entriesOf(app) as [Entry];
  const around = { application: app, owned: [], adoptable: [], proven: new Map() };
  const claimant = { ...app, metadata: { name: 'rival', namespace: 'shop', uid: 'uid-2' } };
  const value = targetValueOf(app, entry, undefined);
  const same = new SameTargets({ ...around, targets: new Map([[value, { children: [], claimant }]]) });
  expect(same.violationOf({ entry, live: undefined, owner: undefined })?.message).toContain(
    'Application shop/rival already applies release web',
  );
  expect(same.retryAfterMs).toBe(1_000);
});
