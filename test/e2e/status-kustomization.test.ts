import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import { fairlead } from '#bench/scenarios/shell.js';
import { setUp, READY_MS, type Setup } from '#bench/scenarios/setup.js';
import { applyManifest } from '../support/kubectl.js';
import { eventually, useWorld } from '../support/world.js';

const SOURCE = { kind: 'GitRepository', name: 'fluxcd-github-repo' };

type Fields = Record<string, unknown>;

function application(name: string, kustomization: readonly Fields[]): Fields {
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: PROJECT_NAMESPACE },
    spec: { kind: 'fluxcd', fluxApp: { spec: { source: { sourceRef: SOURCE }, config: { kustomization } } } },
  };
}

function entry(name: string, secret: string, fields: Fields): Fields {
  const kubeConfig = { secretRef: { name: secret } };
  return { name, destination: { kubeConfig }, path: './kustomize/stage', wait: true, timeout: '1m', ...fields };
}

/** What the pods of the sandbox take for a container that crashes. */
const CRASHING = JSON.stringify([
  {
    op: 'add',
    path: '/spec/template/metadata/annotations',
    value: { 'sandbox.fairlead.dev/outcome': 'fail' },
  },
]);

let setup: Setup;

beforeAll(async () => {
  setup = await setUp(await useWorld());
  const objects = [
    application('harbour', [
      entry('well', 'stage-kubeconfig', {}),
      entry('crashing', 'prod-kubeconfig', {
        // Its pods have crashed by then, also on a busy machine: it is not tried again for minutes.
        timeout: '20s',
        patches: [{ patch: CRASHING, target: { kind: 'Deployment' } }],
      }),
    ]),
    application('lost', [entry('nowhere', 'stage-kubeconfig', { path: './kustomize/nowhere' })]),
  ];
  for (const object of objects) await applyManifest(setup.world, setup.world.host, object);
});

afterAll(async () => {
  await setup.tearDown();
});

/** The lines of `fairlead status` about one destination. */
async function rowOf(destination: string): Promise<string> {
  const table = await fairlead(setup.world.host, 'status', '-n', PROJECT_NAMESPACE);
  return table.split('\n').find((line) => line.includes(` ${destination} `)) ?? table;
}

it(
  'fairlead status names the first object of a Kustomization that fails, and the cause of its pod, first',
  async () => {
    await eventually(
      async () => {
        expect(await rowOf('well')).toMatch(/^harbour +well +stage-kubeconfig .* Ready +main@sha1:\w+ +-$/);
        expect(await rowOf('crashing')).toMatch(
          /^harbour +crashing +prod-kubeconfig .* Failed .* timeout waiting for: \[Deployment\/buoy-stage\/buoy: InProgress: .*Pod\/buoy-stage\/buoy-\S+: container web: restarted after exit code 1\] \(health check failed\)$/,
        );
        expect(await rowOf('nowhere')).toMatch(/^lost +nowhere +stage-kubeconfig .* Failed .*kustomize\/nowhere/);
      },
      { timeoutMs: READY_MS, intervalMs: 1_000 },
    );
  },
  READY_MS + 30_000,
);
