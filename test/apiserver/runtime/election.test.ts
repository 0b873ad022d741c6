import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { configMapResource, leaseResource, namespaceResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { LeaderElector } from '#runtime/leader/leader-elector.js';
import { createLogger } from '#runtime/process/log.js';
import { holderOf, type Lease } from '#lib/kube/lease.js';
import { useHost } from '../../support/fixture.js';
import { eventually, freshNamespace } from '../../support/world.js';

const RBAC = 'rbac.authorization.k8s.io';
const rbac = { group: RBAC, version: 'v1' };
const roleResource: ResourceType = { ...rbac, kind: 'Role', plural: 'roles', namespaced: true };
const roleBindingResource: ResourceType = { ...rbac, kind: 'RoleBinding', plural: 'rolebindings', namespaced: true };
const clusterRole: ResourceType = { ...rbac, kind: 'ClusterRole', plural: 'clusterroles', namespaced: false };
const clusterBinding: ResourceType = {
  ...rbac,
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};
/** For a test that waits until a lease is lost. */
const SHORT = { leaseDurationMs: 10_000, renewDeadlineMs: 8_000, retryPeriodMs: 500 };
/** For a test that sees a lease outlast its time. */
const STEADY = { ...SHORT, leaseDurationMs: 25_000, renewDeadlineMs: 20_000 };
/** No machine is too busy to renew in time. */
const LONG = { ...SHORT, leaseDurationMs: 60_000, renewDeadlineMs: 45_000 };
const NAMES = ['first', 'second', 'third'];

interface Rule {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly resourceNames?: string[];
  readonly verbs: string[];
}

function leaseRule(verbs: string[], resourceNames?: string[]): Rule {
  const rule = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs };
  return resourceNames === undefined ? rule : { ...rule, resourceNames };
}

describe('several leases held all or none', () => {
  afterAll(async () => {
    await kube.delete(clusterBinding, { name: user });
    await kube.delete(clusterRole, { name: user });
  });
  const kube = useHost();
  let namespace: string;
  /** May read leases and namespaces; all else is granted by the test. */
  let user: string;
  let election: LeaderElector | undefined;

  beforeAll(async () => {
    user = `election-${randomBytes(4).toString('hex')}`;
    const rules = [leaseRule(['get']), { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }];
    await grantIn(undefined, rules);
  });

  beforeEach(() => {
    namespace = `election-${randomBytes(4).toString('hex')}`;
  });

  afterEach(async () => {
    await election?.stop(0);
    election = undefined;
  });

  async function grantIn(where: string | undefined, rules: readonly Rule[]): Promise<void> {
    const [role, binding] = where === undefined ? [clusterRole, clusterBinding] : [roleResource, roleBindingResource];
    const apiVersion = `${RBAC}/v1`;
    const metadata = { name: user, ...(where === undefined ? {} : { namespace: where }) };
    const roleRef = { apiGroup: RBAC, kind: role.kind, name: user };
    const subjects = [{ kind: 'User', apiGroup: RBAC, name: user }];
    const options = { fieldManager: 'test', force: true };
    await kube.apply(role, { apiVersion, kind: role.kind, metadata, rules } as KubeObject, options);
    await kube.apply(binding, { apiVersion, kind: binding.kind, metadata, roleRef, subjects } as KubeObject, options);
  }

  function stand(times: typeof SHORT, as: Kube = kube.actingAs(user)): LeaderElector {
    const leases = NAMES.map((name) => ({ namespace, name }));
    election = new LeaderElector({
      kube: as,
      log: createLogger('silent'),
      leases,
      identity: 'me',
      times,
      namespaceMayBeMissing: true,
    });
    election.start();
    return election;
  }

  async function makeLeases(): Promise<void> {
    const apiVersion = 'coordination.k8s.io/v1';
    const free = NAMES.map((name) => ({ apiVersion, kind: 'Lease', metadata: { name, namespace } }));
    await Promise.all(free.map((lease) => kube.create(leaseResource, lease)));
  }

  /** What each lease says now. */
  async function holders(): Promise<string[]> {
    const live = await Promise.all(NAMES.map((name) => kube.get<Lease>(leaseResource, { namespace, name })));
    return live.map((lease) => holderOf({ lease, seenAtMs: 0 }));
  }

  it('releases the others when one cannot be written, reports it, and leads as soon as it can', async () => {
    namespace = await freshNamespace(kube, 'election');
    await makeLeases();
    await grantIn(namespace, [leaseRule(['update'], ['first', 'third'])]);
    const subject = stand(LONG);
    await eventually(() => expect(subject.problem).toContain('leases.coordination.k8s.io "second" is forbidden'));
    await eventually(async () => expect(await holders()).toEqual(['', '', '']), { intervalMs: 50 });
    expect(subject.leading).toBe(false);
    await grantIn(namespace, [leaseRule(['update'])]);
    await eventually(() => expect(subject.leading).toBe(true));
    expect(await holders()).toEqual(['me', 'me', 'me']);
    expect(subject.problem).toBeUndefined();
  });

  it('takes leases whose namespace comes later, also when the first attempt fails', async () => {
    const subject = stand(LONG);
    await subject.elected;
    await makeNamespace();
    await eventually(() => expect(subject.problem).toContain('forbidden'), { intervalMs: 50 });
    await grantIn(namespace, [leaseRule(['create', 'update'])]);
    await eventually(async () => expect(await holders()).toEqual(['me', 'me', 'me']));
    expect(subject.lost.aborted).toBe(false);
  });

  it('loses when the namespace came and a lease in it cannot be taken in time', async () => {
    const subject = stand(SHORT);
    await subject.elected;
    await makeNamespace();
    await eventually(() => expect(subject.lost.aborted).toBe(true));
    expect(subject.writeUntilMs).toBe(Number.NEGATIVE_INFINITY);
    expect(String(subject.lost.reason)).toContain('could not be renewed within 8000 ms');
  });

  it('keeps leading while the namespace is being deleted, where no lease can be created', async () => {
    namespace = await freshNamespace(kube, 'election');
    // A Role would go with the namespace.
    const subject = stand(STEADY, kube);
    await subject.elected;
    const held = { name: 'held', namespace, finalizers: ['test.fairlead.io/held'] };
    await kube.create(configMapResource, { apiVersion: 'v1', kind: 'ConfigMap', metadata: held });
    await kube.delete(namespaceResource, { name: namespace });
    await eventually(async () => expect(await holders()).toEqual(['', '', '']));
    const endOfClaims = subject.writeUntilMs ?? 0;
    await eventually(() => expect(subject.writeUntilMs).toBeGreaterThan(endOfClaims + STEADY.renewDeadlineMs));
    await kube.patch(configMapResource, held, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(subject.lost.aborted).toBe(false);
  });

  async function makeNamespace(): Promise<void> {
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
});
