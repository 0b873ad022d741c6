import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import cloneDeep from 'lodash/cloneDeep.js';
import type { Child } from '#controllers/application/model/types.js';
import { application, applied, deploy, legacyChild, ops, work, type Deploy } from './builders.js';

function childrenOf(entries: Deploy[]): Child[] {
  return applied([], work(application(entries)).steps);
}

describe('the work of an Application', () => {
  it('creates one child per entry and keeps them after that', () => {
    const app = application([deploy('prod', 'eu'), deploy('prod', 'us')]);
    const first = work(app);
    expect(ops(first.steps)).toEqual(['create', 'create']);
    expect(ops(work(app, applied([], first.steps)).steps)).toEqual(['keep', 'keep']);
  });

  it('deletes the child of a removed entry and touches no other', () => {
    const children = childrenOf([deploy('prod', 'eu'), deploy('prod', 'us')]);
    const { steps } = work(application([deploy('prod', 'us')]), children);
    expect(ops(steps)).toEqual(['keep', 'delete']);
    expect(steps[1]).toMatchObject({
      why: 'no entry specifies it any more',
      live: { spec: { kubeConfig: { secretRef: { name: 'eu' } } } },
    });
  });

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
    const moved = work(application([deploy('prod', 'eu', { name: 'main', releaseName: 'new' })]), after).steps;
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
      const [update] = work(app, [live]).steps;
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

const segment = fc.constantFrom('a', 'b', 'a-b', 'b-c', 'c', 'prod', 'prod-app');
const entry: fc.Arbitrary<Deploy> = fc
  .record({
    namespace: segment,
    cluster: fc.option(segment, { nil: undefined }),
    releaseName: fc.option(segment, { nil: undefined }),
    values: fc.dictionary(
      fc.string({ maxLength: 3 }),
      fc.oneof(fc.integer(), fc.constant(null), fc.string({ maxLength: 3 })),
    ),
  })
  .map(({ namespace, cluster, releaseName, values }) =>
    deploy(namespace, cluster, { values, ...(releaseName === undefined ? {} : { releaseName }) }),
  );
const entries = fc.array(entry, { minLength: 1, maxLength: 8 });

describe('any plan', () => {
  it('settles: once applied until nothing waits, everything is kept', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        let children = childrenOf(before);
        const app = application(after);
        for (let pass = 0; pass < 4; pass += 1) children = applied(children, work(app, children).steps);
        const { steps, rejected } = work(app, children);
        const refused = new Set(rejected.map(({ entry: each }) => each));
        const accepted = steps.filter((step) => 'entry' in step && !refused.has(step.entry));
        // What is spared for a rejected entry may hold what an accepted one comes to.
        const settled = refused.size > 0 ? ['keep', 'wait'] : ['keep'];
        expect(ops(accepted).filter((op) => !settled.includes(op))).toEqual([]);
      }),
    );
  });

  it('does not depend on the order of entries and children, and changes neither', () => {
    fc.assert(
      fc.property(entries, entries, (before, after) => {
        const children = childrenOf(before);
        const app = application(after);
        const snapshot = cloneDeep([app, children]);
        const texts = (list: ReturnType<typeof work>): string[] =>
          list.steps
            .map((step) => `${step.op} ${('object' in step ? step.object : step.live)?.metadata.name ?? ''}`)
            .sort();
        const turned = work(application([...after].reverse()), [...children].reverse());
        expect(texts(turned)).toEqual(texts(work(app, children)));
        expect([app, children]).toEqual(snapshot);
      }),
    );
  });

  it('gives different releases different names', () => {
    fc.assert(
      fc.property(entries, (list) => {
        const { steps } = work(application(list));
        const created = steps.flatMap((step) => (step.op === 'create' ? [step.object.metadata.name] : []));
        expect(new Set(created).size).toBe(created.length);
        for (const name of created) expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,51}[a-z0-9]$/);
      }),
    );
  });
});
