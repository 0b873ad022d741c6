import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { readController } from '#cli/install/package.js';
import { bytes } from '#manager/option-values.js';
import { parseOptions } from '#manager/options.js';

interface PodSpec {
  terminationGracePeriodSeconds: number;
  containers: { args: string[] }[];
  volumes: { name: string; emptyDir?: { sizeLimit?: string } }[];
}

interface Deployment extends KubeObject {
  spec: { template: { spec: PodSpec } };
}

async function podSpec(): Promise<PodSpec> {
  const deployment = (await readController()).find(({ kind }) => kind === 'Deployment');
  // A Deployment by its kind.
  return (deployment as Deployment).spec.template.spec;
}

/** To cancel what runs, write the last events and give the leases back. */
const AFTER_THE_TIMEOUT_MS = 45_000;

describe('config/manager', () => {
  it('gives the pod the time that running roll-outs may take to end, and the steps after it', async () => {
    const { terminationGracePeriodSeconds } = await podSpec();
    const { shutdownTimeoutMs } = parseOptions({});
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(shutdownTimeoutMs + AFTER_THE_TIMEOUT_MS);
  });

  it('limits its volumes, and artifacts to less than that, so that no tenant fills a node or gets the pod evicted', async () => {
    const { containers, volumes } = await podSpec();
    const limits = new Map(volumes.map(({ name, emptyDir }) => [name, bytes(emptyDir?.sizeLimit ?? '') ?? 0]));
    expect([...limits.keys()]).toEqual(['data', 'tmp']);
    expect(Math.min(...limits.values())).toBeGreaterThan(0);
    const [, quota = ''] = /^--storage-quota=(.+)$/m.exec(containers[0]?.args.join('\n') ?? '') ?? [];
    expect(bytes(quota)).toBeGreaterThan(0);
    expect(bytes(quota)).toBeLessThan((limits.get('data') ?? 0) / 2);
  });
});
