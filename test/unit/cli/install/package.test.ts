import { describe, expect, it } from '@jest/globals';
import type { KubeObject } from '#api/meta.js';
import { readController } from '#cli/install/package.js';
import { parseOptions } from '#manager/options.js';

interface Deployment extends KubeObject {
  spec: { template: { spec: { terminationGracePeriodSeconds: number } } };
}

/** To cancel what runs, write the last events and give the leases back. */
const AFTER_THE_TIMEOUT_MS = 45_000;

describe('config/manager', () => {
  it('gives the pod the time that running roll-outs may take to end, and the steps after it', async () => {
    const deployment = (await readController()).find(({ kind }) => kind === 'Deployment');
    // A Deployment by its kind.
    const { terminationGracePeriodSeconds } = (deployment as Deployment).spec.template.spec;
    const { shutdownTimeoutMs } = parseOptions({});
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(shutdownTimeoutMs + AFTER_THE_TIMEOUT_MS);
  });
});
