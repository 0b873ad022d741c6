import { describe, expect, it } from '@jest/globals';
import { decideDeletion } from '#controllers/application/model/decide-deletion.js';
import { NO_CLUSTERS, application, applied, deploy, leaving, ops, work, indexed } from './builders.js';

const ON_HOST = { clusters: indexed(NO_CLUSTERS) };
const [one, two] = applied([], work(application([deploy('prod', 'eu'), deploy('prod', 'us')])).steps);

describe('the plan for an Application that is being deleted', () => {
  it('deletes each child once, and reports what it waits for', () => {
    const plan = decideDeletion(application([]), [one!, leaving(two!)], ON_HOST);
    expect(plan.purpose).toBe('deletion');
    expect(ops(plan.steps)).toEqual(['delete']);
    expect(plan.finding.missing).toMatchObject({ reason: 'Deleting' });
    expect(plan.rowsAfter([])?.map(({ state }) => state)).toEqual(['Deleting', 'Deleting']);
  });

  it('deletes nothing with the policy Orphan', () => {
    const app = application([]);
    const kept = { ...app, spec: { ...app.spec, deletionPolicy: 'Orphan' as const } };
    expect(decideDeletion(kept, [one!], ON_HOST).steps).toEqual([]);
  });
});
