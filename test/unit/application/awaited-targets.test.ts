import { describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { OFFERED_TO_ANNOTATION } from '#api/v1alpha1/labels.js';
import { AwaitedTargets, ProvenTargets, targetsOf } from '#controllers/application/memory.js';
import { childToKeys } from '#controllers/application/mappings.js';
import { targetValueOf, targetValues } from '#controllers/application/model/children/same-target.js';
import type { Child, Entry } from '#controllers/application/model/child/types.js';
import { Reservations } from '#controllers/application/memory.js';
import type { Cache, Change } from '#runtime/controller.js';
import { application, deploy, entriesOf, observed, decide, reporting } from './model/builders.js';

const app = application([deploy('prod')]);
const around = {
  children: [],
  reservations: new Reservations(),
  awaited: new AwaitedTargets(),
  proven: new ProvenTargets(),
};

/** A release of another namespace that Flux has installed on the host. */
const installed: Child = {
  apiVersion: 'flux/v1',
  kind: 'HelmRelease',
  metadata: { name: 'plain', namespace: 'other', generation: 1, uid: 'plain' },
  spec: { releaseName: 'web', targetNamespace: 'prod' },
  status: {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Done', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
    history: [{ name: 'web', namespace: 'prod', version: 1, status: 'deployed' }],
  },
};

const moved: Child = {
  ...installed,
  spec: { ...installed.spec, targetNamespace: 'stage' },
  status: { ...installed.status, history: [{ name: 'web', namespace: 'stage', version: 1, status: 'deployed' }] },
};

it.each<[string, Change<Child>['type'], Child, boolean]>([
  ['is suspended', 'updated', { ...installed, spec: { ...installed.spec, suspend: true } }, false],
  ['is changed', 'updated', { ...installed, metadata: { ...installed.metadata, generation: 2 } }, false],
  ['is labelled', 'updated', { ...installed, metadata: { ...installed.metadata, labels: { a: 'b' } } }, false],
  ['is gone', 'deleted', installed, true],
  ['has moved', 'updated', moved, true],
])('who waits for what one of another namespace applies has a pass when that %s: %#', (_, type, object, expected) => {
  const { childrenAt, provenOf } = targetsOf(app, around);
  const [value = ''] = targetValues(installed);
  childrenAt(value);
  const applications: Pick<Cache<Application>, 'byIndex'> = { byIndex: () => [] };
  const deps = { ...around, applications: applications as Cache<Application> }; // nothing else is asked
  childToKeys(deps, { type: 'added', object: installed });
  expect(provenOf?.(installed)).toBe(value);
  const keys = childToKeys(deps, { type, object, previous: installed });
  expect(keys.includes('shop/web')).toBe(expected);
  expect(provenOf?.(installed) === value).toBe(!expected);
});

it('one that is edited to say something else is known by what it was last seen to apply', () => {
  const proven = new ProvenTargets();
  const [value] = targetValues(installed);
  expect(proven.note({ type: 'added', object: installed })).toEqual([value]);
  const claimed = { ...installed, metadata: { ...installed.metadata, generation: 2 }, spec: moved.spec };
  expect(proven.note({ type: 'updated', object: claimed, previous: installed })).toEqual([]);
  expect(proven.of(claimed)).toBe(value);
});

describe('who is about to create something on the host', () => {
  const [entry] = entriesOf(app) as [Entry];
  const value = targetValueOf(app, entry, undefined);
  const { reserved } = decide(observed(app));
  const rivalOf = (namespace: string): Application => ({
    ...app,
    metadata: { ...app.metadata, name: 'rival', namespace, uid: 'uid-2' },
  });

  it('is before the others of its namespace, until it has tried', async () => {
    const { claimantOf } = targetsOf(rivalOf('shop'), around);
    await around.reservations.during(app, reserved, () => {
      expect(claimantOf(value)).toBe(app);
      return Promise.resolve();
    });
    expect(claimantOf(value)).toBeUndefined();
  });

  it('keeps nobody of another namespace from it, nor from the claims there', async () => {
    const far = rivalOf('other');
    const { claimantOf } = targetsOf(far, around);
    await around.reservations.during(app, reserved, async () => {
      expect(claimantOf(value)).toBeUndefined();
      await around.reservations.during(far, decide(observed(far)).reserved, () => {
        expect(targetsOf(rivalOf('shop'), around).claimantOf(value)).toBe(app);
        return Promise.resolve();
      });
    });
  });
});

it('an Application hears of what it is offered once that is Ready', () => {
  const offered = (status: 'True' | 'False', annotations = { [OFFERED_TO_ANNOTATION]: 'uid-1' }): Child =>
    reporting({ ...installed, metadata: { ...installed.metadata, namespace: 'shop', annotations } }, status, 'Any');
  const applications = { byIndex: () => [app] } as unknown as Cache<Application>;
  const deps = { awaited: new AwaitedTargets(), proven: new ProvenTargets(), applications };
  childToKeys(deps, { type: 'added', object: offered('True') });
  childToKeys(deps, { type: 'updated', object: offered('False'), previous: offered('True') });
  const now = { type: 'updated', object: offered('True'), previous: offered('False') } as const;
  expect(childToKeys(deps, now)).toEqual(['shop/web']);
  expect(childToKeys(deps, { ...now, previous: offered('True') })).toEqual([]);
});
