import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import type { ControllerDeployment } from '#queries/plans/installed-flags.js';
import { begunProfile, getsClusterAdmin, recordedProfile, rightsLine, withRecord } from '#cli/install/rights.js';

function deployment(...args: string[]): ControllerDeployment {
  const spec = { template: { spec: { containers: [{ name: 'controller', args }] } } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'c', namespace: 'n' }, spec };
}

function binding(name: string): KubeObject {
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', metadata: { name } };
}

const [PLAIN, TENANT] = [deployment('--leader-elect'), deployment('--default-service-account=default')];
const [BOUND, UNBOUND] = [[binding('fairlead-helm'), binding('fairlead-engine')], [binding('fairlead-helm')]];

describe('the embedded engine gets cluster-admin', () => {
  it.each([
    ['of a first installation: yes', undefined, undefined, [], true],
    ['by the profile cluster: yes', 'cluster', TENANT, UNBOUND, true],
    ['by the profile tenant: no', 'tenant', PLAIN, BOUND, false],
    ['that had it: yes', undefined, PLAIN, BOUND, true],
    ['from which somebody took it: no', undefined, PLAIN, UNBOUND, false],
    ['after Flux, of an installation for tenants: no', undefined, TENANT, [], false],
    ['after Flux, of another installation: yes', undefined, PLAIN, [], true],
    ['of an interrupted installation that had not bound it: no', undefined, undefined, UNBOUND, false],
    ['of an interrupted installation that had bound it: yes', undefined, undefined, BOUND, true],
  ] as const)('%s', (...[, profile, installed, ofEngine, expected]) => {
    expect(getsClusterAdmin({ profile, installed, ofEngine })).toBe(expected);
  });
});

describe('an interrupted installation goes on', () => {
  it.each([
    ['as recorded, without a controller', 'cluster', undefined, [], 'cluster'],
    ['for tenants, if the controller still has more', 'tenant', PLAIN, BOUND, 'tenant'],
    ['for tenants, if the controller will have more after Flux', 'tenant', PLAIN, [], 'tenant'],
    ['as installed, if the controller has less', 'cluster', TENANT, UNBOUND, undefined],
    ['as installed, if it has the same', 'cluster', PLAIN, BOUND, undefined],
    ['as installed, if somebody took the rights', 'tenant', PLAIN, UNBOUND, undefined],
    ['as installed, without a record', undefined, PLAIN, BOUND, undefined],
  ] as const)('%s', (...[, recorded, installed, ofEngine, expected]) => {
    expect(begunProfile(recorded, { installed, ofEngine })).toBe(expected);
  });
});

describe('the rights are told as they are', () => {
  it.each([
    ['with Flux', PLAIN, true, true, 'Flux reconciles them'],
    ['bound', PLAIN, true, false, 'bound to cluster-admin'],
    ['for tenants', TENANT, false, false, 'it impersonates a ServiceAccount'],
    ['neither bound nor for tenants', PLAIN, false, false, 'releases without serviceAccountName fail'],
  ])('%s', (...[, chosen, isClusterAdmin, isExternal, text]) => {
    expect(rightsLine(chosen, { isClusterAdmin, isExternal })).toContain(text);
  });
});

describe('an object records the profile', () => {
  const account: KubeObject = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'c', annotations: { theirs: 'stays' } },
  };

  it.each(['cluster', 'tenant'] as const)('%s', (profile) => {
    expect(recordedProfile([undefined, withRecord(account, profile)])).toBe(profile);
    expect(withRecord(account, profile).metadata.annotations).toMatchObject({ theirs: 'stays' });
  });

  it('the narrower one counts, and nothing else is taken for one', () => {
    expect(recordedProfile([account, undefined])).toBeUndefined();
    expect(recordedProfile([withRecord(account, 'cluster'), withRecord(account, 'tenant')])).toBe('tenant');
    expect(recordedProfile([withRecord(account, 'admin' as 'cluster')])).toBeUndefined();
  });
});
