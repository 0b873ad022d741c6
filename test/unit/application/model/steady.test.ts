import { describe, expect, it } from '@jest/globals';
import type { ApplicationStatus } from '#api/v1alpha1/application.js';
import { groupRows, type Row, rowsOf, steadyRows } from '#controllers/application/model/status/rows.js';
import { nextStatus } from '#controllers/application/model/conclude.js';
import type { Child, ChildStatus } from '#controllers/application/model/child/types.js';
import { applied, files, filesApplication, reporting, withStatus, work } from './builders.js';

const app = filesApplication([files('prod')]);
const [made] = applied([], work(app).steps);
const fresh: Child = made!;
const REVISIONS: ChildStatus = { lastAppliedRevision: 'main@sha1:1', lastAttemptedRevision: 'main@sha1:1' };

function says(status: 'True' | 'False' | 'Unknown', more: ChildStatus = REVISIONS): Child {
  const reason = { True: 'ReconciliationSucceeded', False: 'HealthCheckFailed', Unknown: 'Progressing' }[status];
  const child = reporting(fresh, status, reason);
  return { ...child, status: { ...child.status, ...more } };
}

function rows(child: Child, before?: ApplicationStatus): Row[] {
  const { steps, rejected } = work(app, [child]);
  const outcomes = steps.map((step) => ({ step, child }));
  return steadyRows(rowsOf({ outcomes, rejected }), before);
}

function statusAfter(child: Child, before?: ApplicationStatus): ApplicationStatus {
  const known = before === undefined ? app : withStatus(app, before);
  return nextStatus(known, { rejected: [], rows: groupRows(rows(child, before)) }, before === undefined ? 0 : 1e12);
}

describe('files that are reconciled at their interval', () => {
  it.each(['True', 'False'] as const)('are what they were when Ready was %s, and nothing is written', (status) => {
    const before = statusAfter(says(status));
    expect(statusAfter(says('Unknown'), before)).toEqual(before);
  });

  it.each(['Invented', 'constructor'])('are on their way if a newer version wrote that they are %s', (state) => {
    const before = statusAfter(says('True'));
    const destinations = before.destinations!.map((row) => ({ ...row, state: state as 'Ready' }));
    expect(rows(says('Unknown'), { ...before, destinations }).map((row) => row.state)).toEqual(['Progressing']);
  });

  it.each<[string, Child]>([
    ['of another revision', says('Unknown', { ...REVISIONS, lastAttemptedRevision: 'main@sha1:2' })],
    ['of another spec', { ...says('Unknown'), metadata: { ...fresh.metadata, generation: 2 } }],
    ['that were never applied', says('Unknown', { lastAttemptedRevision: 'main@sha1:1' })],
  ])('are on their way if they are files %s', (_, child) => {
    const before = statusAfter(says('True'));
    expect(rows(child, before).map(({ state }) => state)).toEqual(['Progressing']);
  });

  it('are on their way where nothing was shown of them', () => {
    expect(rows(says('Unknown')).map(({ state }) => state)).toEqual(['Progressing']);
    expect(rows(says('Unknown'), { destinations: [] }).map(({ state }) => state)).toEqual(['Progressing']);
  });

  it('are as well as the last that was shown where there was no room for them', () => {
    const destinations = [{ name: 'other', state: 'Ready' as const, message: 'well' }];
    expect(rows(says('Unknown'), { destinations, truncated: true })).toMatchObject([{ state: 'Ready' }]);
  });

  it('are on their way where there was no room for them and the last that was shown had failed', () => {
    const destinations = [{ name: 'other', state: 'Failed' as const, message: 'quota exceeded' }];
    expect(rows(says('Unknown'), { destinations, truncated: true })).toMatchObject([{ state: 'Progressing' }]);
  });

  it('show a new state as soon as there is one', () => {
    const before = statusAfter(says('True'));
    expect(rows(says('False'), before).map(({ state }) => state)).toEqual(['Failed']);
  });
});
