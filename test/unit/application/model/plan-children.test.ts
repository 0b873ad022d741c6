import { describe, expect, it } from '@jest/globals';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, legacyChild, ops, work, workApproved, type Deploy } from './builders.js';

function childrenOf(entries: Deploy[]): Child[] {
  return applied([], work(application(entries)).steps);
}

describe('the work of an Application', () => {
  it('replaces the child when the cluster changes, the old one first: it may be one cluster with two names', () => {
    const children = childrenOf([deploy('prod', 'eu', { name: 'main' })]);
    const moved = application([deploy('prod', 'us', { name: 'main' })]);
    expect(ops(work(moved, children).steps)).toEqual(['wait', 'delete']);
    expect(ops(work(moved, []).steps)).toEqual(['create']);
  });

  it('never reinstalls when an entry gets a name, and keeps the child of a name when its release moves', () => {
    const children = childrenOf([deploy('prod', 'eu')]);
    const named = work(application([deploy('prod', 'eu', { name: 'main' })]), children).steps;
    expect(ops(named)).toEqual(['update']);
    const after = applied(children, named);
    const moved = workApproved(application([deploy('prod', 'eu', { name: 'main', releaseName: 'new' })]), after).steps;
    expect(moved).toMatchObject([{ op: 'update', object: { metadata: { name: after[0]!.metadata.name } } }]);
    const both = application([deploy('prod', 'eu', { name: 'main', releaseName: 'new' }), deploy('prod', 'eu')]);
    const [, created] = work(both, applied(after, moved)).steps;
    expect(created?.op).toBe('create');
    expect(created).not.toMatchObject({ object: { metadata: { name: after[0]!.metadata.name } } });
  });

  it('rejects both entries with one identity, leaves their child unchanged, and continues with the others', () => {
    const children = childrenOf([deploy('prod', 'eu')]);
    const app = application([deploy('prod', 'eu'), deploy('prod', 'eu', { timeout: '1m' }), deploy('prod', 'us')]);
    const { steps, rejected } = work(app, children);
    expect(rejected.map(({ violation }) => violation.reason)).toEqual(['DuplicateDestination', 'DuplicateDestination']);
    expect(rejected[0]?.violation.message).toContain('deploy[0] and spec.fluxApp.spec.config.helmRelease.deploy[1]');
    expect(ops(steps)).toEqual(['create', 'wait', 'wait']);
  });

  it('adopts a child of ks-devops with its name and its effective release, and never doubles it', () => {
    const child = legacyChild('webx7k2p', 'eu-prod', {
      targetNamespace: 'prod',
      kubeConfig: { secretRef: { name: 'eu' } },
      interval: '1m',
    });
    const app = application([deploy('prod', 'eu')]);
    const first = work(app, [child]).steps;
    expect(first).toMatchObject([
      {
        op: 'update',
        why: 'taken over',
        object: { metadata: { name: 'webx7k2p' }, spec: { releaseName: 'prod-webx7k2p', storageNamespace: 'shop' } },
      },
    ]);
    const [update] = first;
    if (update?.op !== 'update') throw new Error('expected an update');
    const adopted = { ...update.object, metadata: { ...child.metadata, ...update.object.metadata } };
    expect(ops(work(app, [adopted]).steps)).toEqual(['keep']);
  });

  it('moves an adopted child with a name to the release that its entry states, and keeps it there', () => {
    const child = legacyChild('webx7k2p', 'eu-prod', {
      targetNamespace: 'prod',
      kubeConfig: { secretRef: { name: 'eu' } },
    });
    const stated = application([deploy('prod', 'eu', { name: 'main', releaseName: 'mine' })]);
    const named = application([deploy('prod', 'eu', { name: 'main' })]);
    const step = (app: typeof stated, live: Child): Child => {
      const [update] = workApproved(app, [live]).steps;
      if (update?.op !== 'update') throw new Error('expected an update');
      return { ...update.object, metadata: { ...live.metadata, ...update.object.metadata } };
    };
    const adopted = step(named, child);
    expect(adopted.spec).toMatchObject({ releaseName: 'prod-webx7k2p', storageNamespace: 'shop' });
    const moved = step(stated, adopted);
    expect(moved.spec).toMatchObject({ releaseName: 'mine', storageNamespace: 'prod' });
    expect(ops(work(stated, [moved]).steps)).toEqual(['keep']);
    expect(ops(work(named, [moved]).steps)).toEqual(['keep']);
  });

  it('adopts children by name after a restore with a new UID', () => {
    const children = childrenOf([deploy('prod', 'eu'), deploy('prod', 'us')]);
    const base = application([deploy('prod', 'eu')]);
    const restored = { ...base, metadata: { ...base.metadata, uid: 'uid-2' } };
    const { steps } = work(restored, [], { adoptable: children });
    expect(steps).toMatchObject([{ op: 'update', why: 'taken over' }]);
  });
});
