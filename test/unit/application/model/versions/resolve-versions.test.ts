import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import { helmReleaseOf, sourceOf } from '#controllers/application/model/spec/flux-spec.js';
import { historyWithVersions } from '#controllers/application/model/spec/resolved-versions.js';
import { resolveVersions } from '#controllers/application/model/sources/version-lookup.js';
import { contentOf, type Valid } from '#controllers/application/model/destinations/validate.js';
import { type KeptRevision, keptRevisions, planHistory } from '#controllers/application/model/spec/history.js';
import { observed } from '../builders.js';
import { filed, ranged } from './builders.js';

const NONE = { used: new Set<number>(), pinned: new Set<number>() };
type Phase = NonNullable<ApplicationStatus['rollout']>['phase'];

function validOf(app: Application): Valid {
  const { validation } = observed(app);
  if ('violation' in validation) throw new Error(validation.violation.message);
  return validation;
}

function locked(app: Application, newest: KeptRevision | undefined, version: string | undefined): Valid {
  const found = version === undefined ? { problem: 'it is gone' } : { resolved: version };
  return resolveVersions(validOf(app), { newest, find: () => found });
}

/** The revision that an Application becomes while its range means this version. */
function kept(app: Application, version: string): KeptRevision {
  const { resolved, choices } = locked(app, undefined, version);
  const content = contentOf(resolved);
  if (content === undefined) throw new Error('it has a spec for Flux');
  const { create } = historyWithVersions(planHistory(app, content, [], NONE), app, choices);
  const [revision] = keptRevisions(app, create === undefined ? [] : [create]);
  if (revision === undefined) throw new Error('it is created');
  return revision;
}

function at(phase: Phase, completedAt?: string): ApplicationStatus {
  const startedAt = '2026-01-01T00:00:00Z';
  return {
    rollout: { revision: 1, phase, startedAt, stages: [], ...(completedAt === undefined ? {} : { completedAt }) },
  };
}

const versionOf = ({ resolved }: Valid) => helmReleaseOf(resolved.application)?.chart?.version;
const FIRST = kept(ranged('6.x'), '6.7.1');

describe('an Application in stages, with a version range', () => {
  it.each<[string, Application, string | undefined, string]>([
    ['has a version at first', ranged('6.x'), '6.7.1', '6.7.1'],
    ['keeps it while it is rolled out', ranged('6.x', at('Progressing')), '6.8.0', '6.7.1'],
    ['keeps it before its rollout is in the status', ranged('6.x'), '6.8.0', '6.7.1'],
    ['keeps it while it is paused', ranged('6.x', at('Paused')), '6.8.0', '6.7.1'],
    ['keeps it while it goes back', ranged('6.x', at('RollingBack')), '6.8.0', '6.7.1'],
    ['gets a newer one when the rollout is complete', ranged('6.x', at('Complete', 'now')), '6.8.0', '6.8.0'],
    ['gets an older one then, too', ranged('6.x', at('Complete', 'now')), '6.6.0', '6.6.0'],
    ['gets a newer one when the rollout went back', ranged('6.x', at('RolledBack')), '6.8.0', '6.8.0'],
    ['gets a newer one when failures stopped it', ranged('6.x', at('Halted')), '6.8.0', '6.8.0'],
    ['gets a newer one at once with an edit', ranged('>=6 <7', at('Progressing')), '6.8.0', '6.8.0'],
    ['keeps it when its source is gone', ranged('6.x', at('Complete', 'now')), undefined, '6.7.1'],
  ])('%s', (_name, app, found, expected) => {
    expect(versionOf(locked(app, FIRST, found))).toBe(expected);
  });

  it('is what its newest revision says, until it is edited', () => {
    const content = (app: Application) => contentOf(locked(app, FIRST, '6.8.0').resolved);
    expect(planHistory(ranged('6.x'), content(ranged('6.x')) ?? never(), [FIRST], NONE).create).toBeUndefined();
    const edited = ranged('6.*');
    expect(planHistory(edited, content(edited) ?? never(), [FIRST], NONE).create?.revision).toBe(2);
  });

  it('has no version while nobody ever knew one', () => {
    const valid = locked(ranged('7.x', at('Complete', 'now')), FIRST, undefined);
    expect(valid.choices).toMatchObject([{ resolved: undefined, problem: 'it is gone' }]);
    expect(versionOf(valid)).toBe('7.x');
  });

  it('warns of what cannot be held, and leaves it as it is', () => {
    const stated = validOf(filed({ kind: 'Bucket', name: 'files' }));
    const valid = resolveVersions(stated, { newest: undefined, find: () => ({ unresolvable: 'it is so' }) });
    expect(valid.warnings.join()).toContain('Bucket shop/files: it is so');
    expect(valid.choices).toEqual([]);
    expect(valid.resolved.application).toBe(stated.resolved.application);
  });

  it('has the copy of its source in what it wants, and in its entries', () => {
    const app = filed({ kind: 'GitRepository', name: 'fleet' });
    const found = { resolved: 'main@sha1:a' };
    const { resolved } = resolveVersions(validOf(app), { newest: undefined, find: () => found });
    expect(sourceOf(resolved.application)?.name).toMatch(/^pinned-fleet-[a-z2-7]{10}$/);
    const coming = { problem: 'it is fetched', next: 'main@sha1:a' };
    const waiting = resolveVersions(validOf(app), { newest: undefined, find: () => coming });
    expect(sourceOf(waiting.resolved.application)?.name).toBe('fleet');
    expect(waiting.choices).toMatchObject([{ resolved: undefined, available: coming.next }]);
  });

  it('is left alone without stages, and with an exact version', () => {
    const unstaged = { ...ranged('6.x'), spec: omit(ranged('6.x').spec, 'rollout') };
    for (const app of [unstaged, ranged('6.7.1')]) {
      const valid = validOf(app);
      expect(resolveVersions(valid, { newest: FIRST, find: never })).toBe(valid);
    }
  });
});

function never(): never {
  throw new Error('nobody asks');
}
