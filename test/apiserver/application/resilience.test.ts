import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { applicationResource } from '../../../api/v1alpha1/application.js';
import type { KubeObject, ResourceType } from '../../../api/meta.js';
import type { Child } from '../../../controllers/application/model/types.js';
import { auditEntries, auditPosition, eventually } from '../../support/world.js';
import { deploy, SOURCE } from '../../unit/application/model/builders.js';
import { Stage } from './stage.js';

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

let stage: Stage;

/**
 * Has the server refuse HelmReleases of the stage whose target namespace begins with `denied`, and finalizers on
 * Applications whose names begin with `unheld`.
 */
async function denySome(): Promise<void> {
  const metadata = { name: stage.namespace };
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
  await stage.kube.create<KubeObject>(policyResource, {
    ...policy,
    spec: { failurePolicy: 'Fail', matchConstraints, validations },
  } as KubeObject);
  const matchResources = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': stage.namespace } },
  };
  await stage.kube.create<KubeObject>(bindingResource, {
    ...policy,
    kind: bindingResource.kind,
    spec: { policyName: stage.namespace, validationActions: ['Deny'], matchResources },
  } as KubeObject);
}

/** The policy takes a moment to be in force: the first child that is refused shows that it is. */
function denied(): Promise<void> {
  const chart = { spec: { chart: 'podinfo', ...SOURCE } };
  const object = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' };
  const metadata = { name: 'probe', namespace: stage.namespace };
  const child: Child = { ...object, metadata, spec: { interval: '1m', chart, targetNamespace: 'denied' } };
  const probe = (): Promise<Child> =>
    stage.kube.apply(helmReleaseResource, child, { fieldManager: 'test', force: true, dryRun: true });
  return eventually(() => expect(probe()).rejects.toThrow('denied here'));
}

/** Waits until the controller has tried to put its finalizer on an Application, and was not let. */
function refusedUpdate(name: string, since: number): Promise<void> {
  return eventually(async () => {
    const tries = (await auditEntries(stage.host, since)).filter(
      ({ objectRef }) => objectRef?.resource === applicationResource.plural && objectRef.name === name,
    );
    expect(tries.map(({ responseStatus }) => responseStatus?.code)).toContain(INVALID);
  });
}

async function allowAll(): Promise<void> {
  for (const type of [bindingResource, policyResource]) await stage.kube.delete(type, { name: stage.namespace });
}

// Not in a describe: tests that run side by side would not wait for it.
beforeAll(async () => {
  stage = await Stage.start();
  await denySome();
  await denied();
}, 180_000);

afterAll(async () => {
  await allowAll();
  await stage.stop();
}, 60_000);

describe('an Application in trouble, on a real API server', () => {
  it.concurrent('rolls out what it can, says of each destination why it could not, and heals', async () => {
    const refused = [deploy('denied-a', 'eu'), deploy('denied-b', 'us')];
    await stage.put('refused', [refused[0]!, deploy('fine-a', 'eu'), refused[1]!, deploy('fine-b', 'us')]);
    await stage.becomes('refused', 'False', 'DestinationsFailed');
    const { status } = await stage.read('refused');
    const failed = (status?.destinations ?? []).filter(({ state }) => state === 'Failed');
    expect(failed.map(({ name }) => name)).toEqual(['eu-denied-a', 'us-denied-b']);
    for (const { message } of failed) expect(message).toMatch(/^cannot create HelmRelease .*: denied here/);
    const made = await stage.childrenOf('refused');
    expect(made.map(({ spec }) => spec.targetNamespace)).toEqual(['fine-a', 'fine-b']);
    await stage.put('refused', [deploy('fine-a', 'eu'), deploy('fine-b', 'us')]);
    for (const child of made) await stage.report(child, 'True', 'InstallSucceeded');
    await stage.becomes('refused', 'True', 'AllReady');
  });

  it.concurrent('has one child per destination although two controllers work on it at once', async () => {
    const stop = stage.startController();
    const entries = Array.from({ length: 20 }, (_, index) => deploy(`twice-${index}`, index % 2 === 0 ? 'eu' : 'us'));
    const namespaces = entries.map(({ destination }) => destination?.targetNamespace);
    let tries = 0;
    // Until the second one is awake and they ran into each other: otherwise this would prove nothing.
    for (let round = 0; tries <= entries.length; round += 1) {
      const name = `twice-${round}`;
      const since = await auditPosition(stage.host);
      await stage.put(
        name,
        entries.map((entry) => ({ ...entry, releaseName: name })),
      );
      await stage.becomes(name, 'Unknown', 'DestinationsNotReady');
      const found = (await stage.childrenOf(name)).map(({ spec }) => spec.targetNamespace);
      expect(found.sort()).toEqual([...namespaces].sort());
      const writes = (await auditEntries(stage.host, since)).filter(
        ({ verb, objectRef }) =>
          verb === 'patch' && objectRef?.resource === 'helmreleases' && objectRef.name?.startsWith(`${name}-`) === true,
      );
      expect(writes.filter(({ responseStatus }) => responseStatus?.code === CREATED)).toHaveLength(entries.length);
      tries = writes.length;
    }
    await stop();
  });

  it.concurrent('takes its children along although it was deleted before anything could be written to it', async () => {
    const since = await auditPosition(stage.host);
    await stage.put('unheld', [deploy('unheld', 'eu'), deploy('unheld', 'us')]);
    await stage.eventuallyHas('unheld', 2);
    await refusedUpdate('unheld', since);
    expect((await stage.read('unheld')).metadata.finalizers).toBeUndefined();
    await stage.remove('unheld');
    await eventually(async () => expect(await stage.childrenOf('unheld')).toEqual([]));
  });

  it.concurrent('has no child before it is held, if its releases shall outlive it', async () => {
    const since = await auditPosition(stage.host);
    const wanted = stage.wanted('unheld-orphan', [deploy('orphan', 'eu')]);
    await stage.apply({ ...wanted, spec: { ...wanted.spec, deletionPolicy: 'Orphan' } });
    await refusedUpdate('unheld-orphan', since);
    expect(await stage.childrenOf('unheld-orphan')).toEqual([]);
    expect(new Set(await stage.writes(since, 'unheld-orphan'))).toEqual(new Set(['patch applications']));
  });

  it.concurrent('writes its status again when somebody wrote in between', async () => {
    await stage.put('busy', [deploy('busy', 'eu'), deploy('busy', 'us')]);
    const children = await stage.eventuallyHas('busy', 2);
    const since = await auditPosition(stage.host);
    const conflicts = async (): Promise<number> => {
      const about = (await auditEntries(stage.host, since)).filter(
        ({ objectRef }) => objectRef?.name === 'busy' && objectRef.namespace === stage.namespace,
      );
      return about.filter(({ responseStatus }) => responseStatus?.code === CONFLICT).length;
    };
    for (let round = 0; (await conflicts()) === 0; round += 1) {
      const edits = Array.from({ length: 20 }, (_, index) => stage.annotate('busy', { touched: `${round}-${index}` }));
      const verdict = round % 2 === 0 ? 'False' : 'True';
      await Promise.all([...edits, ...children.map((child) => stage.report(child, verdict, `Round${round}`))]);
    }
    for (const child of children) await stage.report(child, 'True', 'InstallSucceeded');
    await stage.becomes('busy', 'True', 'AllReady');
    await eventually(async () => {
      const { metadata, status } = await stage.read('busy');
      expect(status?.summary).toMatchObject({ desired: 2, ready: '2/2' });
      expect(metadata.labels).toMatchObject({ 'gitops.kubesphere.io/ready-number': '2-2' });
    });
  });
});
