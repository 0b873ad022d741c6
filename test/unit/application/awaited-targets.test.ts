import { expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { AwaitedTargets, targetsOf } from '#controllers/application/awaited-targets.js';
import { childToKeys } from '#controllers/application/mappings.js';
import { targetValues } from '#controllers/application/model/same-target.js';
import type { Child } from '#controllers/application/model/types.js';
import { Reservations } from '#controllers/application/reservations.js';
import type { Cache } from '#controllers/runtime/controller.js';
import { application, deploy } from './model/builders.js';

const app = application([deploy('prod')]);
const around = { children: [], reservations: new Reservations(), awaited: new AwaitedTargets() };

/** A release of another namespace that Flux has installed on the host. */
const installed: Child = {
  apiVersion: 'flux/v1',
  kind: 'HelmRelease',
  metadata: { name: 'plain', namespace: 'other', generation: 1 },
  spec: { releaseName: 'web', targetNamespace: 'prod' },
  status: {
    observedGeneration: 1,
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Done', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ],
    history: [{ name: 'web', namespace: 'prod', version: 1, status: 'deployed' }],
  },
};

it.each<[string, Child, boolean]>([
  ['is suspended', { ...installed, spec: { ...installed.spec, suspend: true } }, true],
  ['is changed', { ...installed, metadata: { ...installed.metadata, generation: 2 } }, true],
  ['is labelled', { ...installed, metadata: { ...installed.metadata, labels: { a: 'b' } } }, false],
])('who waits for what one of another namespace applies has a pass when that %s', (_, object, expected) => {
  const { childrenAt } = targetsOf(app, around);
  for (const value of targetValues(installed)) childrenAt(value);
  const applications: Pick<Cache<Application>, 'byIndex'> = { byIndex: () => [] };
  const deps = { applications: applications as Cache<Application>, awaited: around.awaited }; // nothing else is asked
  const keys = childToKeys(deps, { type: 'updated', object, previous: installed });
  expect(keys.includes('shop/web')).toBe(expected);
});
