import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false };
const policyResource: ResourceType = {
  ...ADMISSION,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
};
const bindingResource: ResourceType = {
  ...ADMISSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
};
const CREATED = 201;
const CONFLICT = 409;
const INVALID = 422;

// The last one is that of the harness.
afterAll(allowAll);
const harness = useHarness();

/**
 * Has the server refuse HelmReleases of the test whose target namespace begins with `denied`, and finalizers on
 * Applications whose names begin with `unheld`.
 */
async function denySome(): Promise<void> {
  const metadata = { name: harness.namespace };
  const all = { apiVersions: ['*'], resources: ['*'] };
  const resourceRules = [
    { apiGroups: [helmReleaseResource.group], operations: ['CREATE', 'UPDATE'], ...all },
    { apiGroups: [applicationResource.group], operations: ['UPDATE'], ...all },
  ];
  const matchConstraints = { resourceRules };
  const validations = [
    { expression: "!object.spec.?targetNamespace.orValue('').startsWith('denied')", message: 'denied here' },
    { expression: "!object.metadata.name.startsWith('unheld') || !has(object.metadata.finalizers)" },
  ];
  const policy = { apiVersion: 'admissionregistration.k8s.io/v1', kind: policyResource.kind, metadata };
  await harness.kube.create<KubeObject>(policyResource, {
    ...policy,
    spec: { failurePolicy: 'Fail', matchConstraints, validations },
  } as KubeObject);
  const matchResources = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': harness.namespace } },
  };
  await harness.kube.create<KubeObject>(bindingResource, {
    ...policy,
    kind: bindingResource.kind,
    spec: { policyName: harness.namespace, validationActions: ['Deny'], matchResources },
  } as KubeObject);
}

/** The policy takes a moment to be in force: the first child that is refused shows that it is. */
function denied(): Promise<void> {
  const chart = { spec: { chart: 'podinfo', ...SOURCE } };
  const object = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' };
  const metadata = { name: 'probe', namespace: harness.namespace };
  const child: Child = { ...object, metadata, spec: { interval: '1m', chart, targetNamespace: 'denied' } };
  const probe = (): Promise<Child> =>
    harness.kube.apply(helmReleaseResource, child, { fieldManager: 'test', force: true, dryRun: true });
  return eventually(() => expect(probe()).rejects.toThrow('denied here'));
}

/** Waits until the controller has tried to put its finalizer on an Application, and was not let. */
function refusedUpdate(name: string, since: number): Promise<void> {
  return eventually(async () => {
    const tries = (await auditEntries(harness.host, since)).filter(
      ({ objectRef }) => objectRef?.resource === applicationResource.plural && objectRef.name === name,
    );
    expect(tries.map(({ responseStatus }) => responseStatus?.code)).toContain(INVALID);
  });
}

async function allowAll(): Promise<void> {
  for (const type of [bindingResource, policyResource]) await harness.kube.delete(type, { name: harness.namespace });
}

// Not in a describe: tests that run side by side would not wait for it.
beforeAll(async () => {
  await denySome();
  await denied();
});

describe('an Application in trouble, on a real API server', () => {
  it.concurrent('rolls out what it can, says of each destination why it could not, and heals', async () => {
    const refused = [deploy('denied-a', 'eu'), deploy('denied-b', 'us')];
    await harness.put('refused', [refused[0]!, deploy('fine-a', 'eu'), refused[1]!, deploy('fine-b', 'us')]);
    await harness.becomes('refused', 'False', 'DestinationsFailed');
    const { status } = await harness.read('refused');
    const failed = (status?.destinations ?? []).filter(({ state }) => state === 'Failed');
    expect(failed.map(({ name }) => name)).toEqual(['eu-denied-a', 'us-denied-b']);
    for (const { message } of failed) expect(message).toMatch(/^cannot create HelmRelease .*: denied here/);
    const made = await harness.childrenOf('refused');
    expect(made.map(({ spec }) => spec.targetNamespace)).toEqual(['fine-a', 'fine-b']);
    await harness.put('refused', [deploy('fine-a', 'eu'), deploy('fine-b', 'us')]);
    for (const child of made) await harness.report(child, 'True', 'InstallSucceeded');
    await harness.becomes('refused', 'True', 'AllReady');
  });

  it.concurrent('has one child per destination although two controllers work on it at once', async () => {
    const { stop } = harness.startControllers();
    const entries = Array.from({ length: 20 }, (_, index) => deploy(`twice-${index}`, index % 2 === 0 ? 'eu' : 'us'));
    const namespaces = entries.map(({ destination }) => destination?.targetNamespace);
    let tries = 0;
    // Until the second one is awake and they ran into each other: otherwise this would prove nothing.
    for (let round = 0; tries <= entries.length; round += 1) {
      const name = `twice-${round}`;
      const since = await auditPosition(harness.host);
      await harness.put(
        name,
        entries.map((entry) => ({ ...entry, releaseName: name })),
      );
      await harness.becomes(name, 'Unknown', 'DestinationsNotReady');
      const found = (await harness.childrenOf(name)).map(({ spec }) => spec.targetNamespace);
      expect(found.sort()).toEqual([...namespaces].sort());
      // One controller may see the child that the other one is just creating.
      await eventually(async () => {
        const writes = (await auditEntries(harness.host, since)).filter(
          ({ verb, objectRef }) =>
            verb === 'patch' &&
            objectRef?.resource === 'helmreleases' &&
            objectRef.name?.startsWith(`${name}-`) === true,
        );
        expect(writes.filter(({ responseStatus }) => responseStatus?.code === CREATED)).toHaveLength(entries.length);
        tries = writes.length;
      });
    }
    await stop();
  });

  it.concurrent('takes its children along although it was deleted before anything could be written to it', async () => {
    const since = await auditPosition(harness.host);
    await harness.put('unheld', [deploy('unheld', 'eu'), deploy('unheld', 'us')]);
    await harness.eventuallyHas('unheld', 2);
    await refusedUpdate('unheld', since);
    expect((await harness.read('unheld')).metadata.finalizers).toBeUndefined();
    await harness.remove('unheld');
    // The garbage collector looks for new kinds every 30 s.
    await eventually(async () => expect(await harness.childrenOf('unheld')).toEqual([]), { timeoutMs: 180_000 });
  });

  it.concurrent('has no child before it is held, if its releases shall outlive it', async () => {
    const since = await auditPosition(harness.host);
    const wanted = harness.wanted('unheld-orphan', [deploy('orphan', 'eu')]);
    await harness.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Orphan' } });
    await refusedUpdate('unheld-orphan', since);
    expect(await harness.childrenOf('unheld-orphan')).toEqual([]);
    expect(new Set(await harness.writes(since, 'unheld-orphan'))).toEqual(new Set(['patch applications']));
  });

  it.concurrent('writes its status again after a conflict', async () => {
    await harness.put('busy', [deploy('busy', 'eu'), deploy('busy', 'us')]);
    const children = await harness.eventuallyHas('busy', 2);
    const since = await auditPosition(harness.host);
    const conflicts = async (): Promise<number> => {
      const about = (await auditEntries(harness.host, since)).filter(
        ({ objectRef }) => objectRef?.name === 'busy' && objectRef.namespace === harness.namespace,
      );
      return about.filter(({ responseStatus }) => responseStatus?.code === CONFLICT).length;
    };
    for (let round = 0; (await conflicts()) === 0; round += 1) {
      const edits = Array.from({ length: 20 }, (_, index) =>
        harness.annotate('busy', { touched: `${round}-${index}` }),
      );
      const verdict = round % 2 === 0 ? 'False' : 'True';
      await Promise.all([...edits, ...children.map((child) => harness.report(child, verdict, `Round${round}`))]);
    }
    for (const child of children) await harness.report(child, 'True', 'InstallSucceeded');
    await harness.becomes('busy', 'True', 'AllReady');
    await eventually(async () => {
      const { metadata, status } = await harness.read('busy');
      expect(status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '2-2' });
    });
  });
});
