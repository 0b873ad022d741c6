import { describe, expect, it } from '@jest/globals';
import { getCondition } from '#lib/kube/conditions.js';
import { grantStatus, type ObservedGrant } from '#controllers/cluster/model/grant-status.js';
import { clusterGrant, kubeSphere, secretCluster } from './builders.js';

const NOW = 1_800_000_000_000;
const AS = 'as ServiceAccount tenants/deployer';

function observed(more: Partial<ObservedGrant> = {}): ObservedGrant {
  return {
    grant: clusterGrant('a'),
    clusters: [kubeSphere('eu'), secretCluster('fleet', 'us')],
    namespaces: ['shop'],
    precededBy: [],
    missing: [],
    failures: [],
    lost: [],
    ...more,
  };
}

function ready(more: Partial<ObservedGrant>) {
  return getCondition(grantStatus(observed(more), NOW).conditions, 'Ready');
}

describe('the status of a grant', () => {
  it('counts and lists what is granted', () => {
    const status = grantStatus(observed(), NOW);
    expect(status).toMatchObject({ clusterCount: 2, namespaceCount: 1, clusters: ['Cluster eu', 'Secret fleet/us'] });
    expect(ready({})).toMatchObject({
      status: 'True',
      reason: 'Granted',
      message: `grants 2 clusters to 1 namespace ${AS}`,
    });
  });

  it('says whose rights the namespaces get', () => {
    const { serviceAccount, ...spec } = clusterGrant('a', { credential: 'SharedCredential' }).spec;
    expect(serviceAccount).toBeDefined();
    const grant = { ...clusterGrant('a'), spec };
    expect(ready({ grant })?.message).toBe("grants 2 clusters to 1 namespace with the inventory's own credential");
  });

  it('is the same for the same, whatever the time', () => {
    const status = grantStatus(observed(), NOW);
    const grant = { ...clusterGrant('a'), status };
    expect(grantStatus(observed({ grant }), NOW + 1_000_000)).toEqual(status);
  });

  it('says which grants come first, and why clusters may be missing', () => {
    const message = ready({ precededBy: ['0', '1'], lost: ['one adapter is lost'] })?.message;
    expect(message).toMatch(/; for some of these .*: 0, 1; one adapter is lost$/);
  });

  it('is not ready while nothing is granted, and says which field matches nothing and what does not exist', () => {
    const missing = ['Cluster a', 'Cluster b', 'Cluster c', 'Namespace d'];
    expect(ready({ clusters: [], missing })).toMatchObject({
      ...{ status: 'False', reason: 'NothingGranted' },
      message:
        'spec.clusters matches no cluster, so nothing is granted: correct spec.clusters.names or spec.clusters.selector; these do not exist: Cluster a, Cluster b, Cluster c and 1 more',
    });
    expect(ready({ namespaces: [] })).toMatchObject({
      ...{ status: 'False', reason: 'NothingGranted' },
      message: expect.stringMatching(/^spec.namespaces matches no namespace, so nothing .* spec.namespaces.selector$/),
    });
    expect(ready({ clusters: [], namespaces: [] })?.message).toMatch(/^spec.clusters .*; spec.namespaces /);
  });

  it('is ready while something of what it names exists', () => {
    expect(ready({ missing: ['Cluster a'] })).toMatchObject({
      ...{ status: 'True', reason: 'Granted' },
      message: `grants 2 clusters to 1 namespace ${AS}; these do not exist: Cluster a`,
    });
  });

  it('takes clusters that cannot be read for neither granted nor missing', () => {
    const unread = ready({ clusters: [], lost: ['one adapter is lost'] });
    expect(unread).toMatchObject({ status: 'Unknown', message: expect.stringMatching(/; one adapter is lost$/) });
    expect(ready({ clusters: [], namespaces: [], lost: ['one adapter is lost'] })).toMatchObject({ status: 'False' });
  });

  it('is not ready while kubeconfigs cannot be made, and names some', () => {
    const failures = ['a', 'b', 'c', 'd', 'e'].map((name) => `no kubeconfig of ${name}`);
    expect(ready({ failures })).toMatchObject({ status: 'False', reason: 'CredentialFailed' });
    expect(ready({ failures })?.message).toMatch(/^no kubeconfig of a; .*of c; and 2 more$/);
  });

  it('is stalled by a violation, and grants nothing then', () => {
    const grant = clusterGrant('a', { clusters: { selector: {} } });
    const status = grantStatus(observed({ grant }), NOW);
    expect(status).toMatchObject({ clusterCount: 0, namespaceCount: 0, clusters: [] });
    for (const [type, value] of [
      ['Ready', 'False'],
      ['Stalled', 'True'],
    ] as const) {
      expect(getCondition(status.conditions, type)).toMatchObject({ status: value, reason: 'InvalidSelector' });
    }
    const fixed = grantStatus(observed({ grant: { ...clusterGrant('a'), status } }), NOW);
    expect(getCondition(fixed.conditions, 'Stalled')).toBeUndefined();
  });

  it('stays small with a thousand clusters', () => {
    const clusters = Array.from({ length: 1_000 }, (_, index) => kubeSphere(`c${index}`));
    const status = grantStatus(observed({ clusters }), NOW);
    expect([status.clusterCount, status.clusters?.length]).toEqual([1_000, 100]);
  });
});
