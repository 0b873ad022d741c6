import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import type { PlannedChange } from '#api/dry-run.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Kube } from '#runtime/client/kube.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { changeSet, objectChange } from '#engine/dry-run/change-set.js';
import { erase } from '../../support/erase.js';
import { as, everyFormat, expectGolden } from '../../support/golden.js';
import { prepareCluster } from '../../support/harness.js';
import { useWorld } from '../../support/world.js';

let kube: Kube;
let namespace: string;
let kubeconfig: string;

beforeAll(async () => {
  const { host } = await useWorld();
  kubeconfig = host.kubeconfig;
  ({ kube, namespace } = await prepareCluster(host, 'diff'));
});

afterAll(async () => {
  await erase(kube, kustomizationResource, namespace);
  await kube.close();
});

/** The built program: its exit code and all that it printed. */
function diff(...args: string[]): Promise<{ code: number; text: string }> {
  const program = `${PACKAGE_ROOT}/dist/cli/main.js`;
  const all = [program, 'diff', '--kubeconfig', kubeconfig, '-n', namespace, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, text: stdout + stderr });
    });
  });
}

async function create(name: string, annotations: Record<string, string>): Promise<void> {
  await kube.create<Kustomization>(kustomizationResource, {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { name, namespace, annotations },
    spec: { interval: '10m', prune: true, suspend: true, sourceRef: { kind: 'GitRepository', name } },
  });
}

/** As the engine does it after a dry run. */
async function publish(name: string, ...changes: PlannedChange[]): Promise<void> {
  const dryRun = changeSet({ changes, unchanged: 2, observedGeneration: 1, now: '2026-01-01T00:00:00Z' }, undefined);
  const body = { status: { dryRun } };
  await kube.patch(kustomizationResource, { name, namespace }, { type: 'merge', body }, { subresource: 'status' });
}

function changed(): PlannedChange {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace } };
  return objectChange({
    action: 'changed',
    object,
    compared: { old: { data: { n: '1' } }, new: { data: { n: '2' } } },
  });
}

test('prints the change set of an object, and ends as kubectl diff', async () => {
  await create('shop', { 'gitops.kubesphere.io/dry-run': 'true' });
  expect(await diff('kustomization/shop')).toMatchObject({ code: 2 });
  await publish('shop', changed());
  expect(await diff('kustomization/shop')).toEqual({
    code: 1,
    text: `changed ConfigMap/${namespace}/web\n  data.n: "1" -> "2"\n1 changed, 2 unchanged\n`,
  });
});

test('says how to start a dry run, and what does not exist', async () => {
  await create('plain', {});
  const plain = await diff('kustomization/plain');
  expect(plain.code).toBe(2);
  expect(plain.text).toContain(
    `kubectl annotate -n ${namespace} kustomization plain gitops.kubesphere.io/dry-run=true`,
  );
  const missing = await diff('missing');
  expect(missing).toMatchObject({ code: 2 });
  expect(missing.text).toContain(`Application ${namespace}/missing does not exist`);
  expect(await diff('pod/web')).toMatchObject({ code: 2 });
  expect(await diff('shop', '--unknown')).toMatchObject({ code: 2 });
});

test('prints it in every format, and nothing that a terminal obeys', async () => {
  await create('cart', { 'gitops.kubesphere.io/dry-run': 'true' });
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace } };
  const message = 'admission webhook denied it: \u001b[31m red \u202e nekorb';
  await publish('cart', changed(), objectChange({ action: 'failed', object, message }));
  const normal = [
    [new RegExp(namespace, 'g'), as('my-project-')] as const,
    [/\bsha256:[0-9a-f]{64}\b/g, 'sha256:0'] as const,
  ];
  const flags = ['--kubeconfig', kubeconfig, '-n', namespace];
  const runs = [...everyFormat('diff kustomization/cart'), { line: 'diff kustomization/nobody' }];
  await expectGolden('test/apiserver/cli/dry-run-diff.golden', runs, { flags, normal });
});
