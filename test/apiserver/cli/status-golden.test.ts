import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readFileSync, writeFileSync } from 'node:fs';
import { kubectl } from '#bench/scenarios/shell.js';
import type { Kube } from '#runtime/client/kube.js';
import type { World } from '#sandbox/world.js';
import { generatedPart } from '../../meta/generated-docs.js';
import { prepareCluster } from '../../support/harness.js';
import { applyManifest } from '../../support/kubectl.js';
import { fairleadAtTerminal, screenOf } from '../../support/terminal.js';
import { useWorld } from '../../support/world.js';

const GOLDEN = 'test/apiserver/cli/status.golden';
const COLUMNS = [40, 80, 160] as const;
/** What `docs/cli.md` shows. */
const IN_THE_DOCS = 80;

const CRASH =
  'Helm upgrade failed for release shop/shop with chart shop@1.5.0: timeout waiting for: [Deployment/shop/web: InProgress: Available: 0/1: Pod/shop/web-7d4b9c-x2x9p: container web: restarted after exit code 1]';

const UPGRADING = "Running 'upgrade' action with timeout of 5m0s";

const SHOP = {
  conditions: [
    condition('Ready', 'False', 'DestinationsFailed', '1 of 3 destinations is ready; first problem: eu is Failed'),
  ],
  summary: { desired: 3, ready: '1/3' },
  destinations: [
    destination('prod-kubeconfig', { state: 'Failed', revision: '1.5.0', message: CRASH }),
    destination('stage-kubeconfig', { state: 'Ready', revision: '1.5.0', message: 'Helm upgrade succeeded' }),
    destination('host', { state: 'Progressing', revision: '1.4.2', message: UPGRADING }),
  ],
};

const BAD_VERSION =
  'chart.version: ">>1" is neither a valid version nor a valid range; use e.g. "1.2.3", "1.x" or ">=1.2 <2"';

const CART = {
  conditions: [
    condition('Ready', 'False', 'InvalidVersion', BAD_VERSION),
    condition('Stalled', 'True', 'InvalidVersion', BAD_VERSION),
  ],
};

function condition(type: string, status: string, reason: string, message: string): object {
  return { type, status, reason, message, lastTransitionTime: '2026-01-01T00:00:00Z' };
}

function destination(cluster: string, outcome: object): object {
  const name = cluster === 'host' ? 'shop' : `${cluster}-shop`;
  const child = { kind: 'HelmRelease', name: `shop-${name}` };
  return { name, cluster, namespace: 'shop', release: 'shop', child, ...outcome };
}

let world: World;
let kube: Kube;
let namespace: string;

beforeAll(async () => {
  world = await useWorld();
  ({ kube, namespace } = await prepareCluster(world.host, 'golden'));
  for (const [name, status] of Object.entries({ shop: SHOP, cart: CART })) {
    const spec = { kind: 'fluxcd', fluxApp: { spec: { config: {} } } };
    const [apiVersion, kind] = ['gitops.kubesphere.io/v1alpha1', 'Application'];
    await applyManifest(world, world.host, { apiVersion, kind, metadata: { name, namespace }, spec });
    const patch = JSON.stringify({ status: { observedGeneration: 1, ...status } });
    const flags = ['--subresource=status', '--type=merge', '-p', patch];
    await kubectl(world, world.host, '-n', namespace, 'patch', 'gapp', name, ...flags);
  }
});

afterAll(() => kube.close());

async function screen(columns: number): Promise<string> {
  const run = fairleadAtTerminal(['status', '-n', namespace, '--kubeconfig', world.host.kubeconfig], { columns });
  expect({ code: await run.exitCode, output: run.output() }).toMatchObject({ code: 0 });
  return screenOf(run.output()).join('\n').replaceAll(namespace, 'my-project');
}

/** What people see is the expectation: read its diff as code. UPDATE_GOLDEN=1 rewrites it, and the page of the docs. */
it('fairlead status shows at a terminal of 40, 80 and 160 columns what status.golden has', async () => {
  const screens = new Map<number, string>();
  for (const columns of COLUMNS) screens.set(columns, await screen(columns));
  const all = [...screens].map(([columns, text]) => `== ${columns} columns\n\n${text}\n`).join('\n');
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(GOLDEN, all);
  expect(all).toBe(readFileSync(GOLDEN, 'utf8'));
  const picture = `\`\`\`\n${screens.get(IN_THE_DOCS) ?? ''}\n\`\`\``;
  expect(generatedPart('docs/cli.md', 'status', picture)).toBe(picture);
});
