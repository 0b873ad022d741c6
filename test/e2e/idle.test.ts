import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { untilRunning } from '#bench/controller.js';
import { applySample, patchApplication, untilReady, type Setup } from '#bench/scenarios/setup.js';
import { kubectl } from '#bench/scenarios/shell.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import { useSetup } from '../support/fixture.js';
import { passesAtRest } from '../support/passes.js';
import { auditEntries, auditPosition, eventually, type AuditEntry } from '../support/world.js';

const GROUPS = ['gitops.kubesphere.io', 'helm.toolkit.fluxcd.io', 'source.toolkit.fluxcd.io'];
/** Of all that says one. */
const INTERVAL = '10s';
/** Longer than two intervals, with their jitter. */
const IDLE_MS = 24_000;
/** Quiet for so long: what followed the roll-out is over. */
const QUIET_MS = 3_000;

/** Requests that change something of ours: our kinds, and on every cluster the releases and their objects. */
function isOurs({ objectRef }: AuditEntry): boolean {
  if (GROUPS.includes(objectRef?.apiGroup ?? '')) return true;
  return (
    ['first-light', 'app'].includes(objectRef?.namespace ?? '') || objectRef?.name?.startsWith('sh.helm.') === true
  );
}

/** The requests that change something of ours, by whomever, on every cluster. */
async function writesWhile({ world }: Setup, happens: () => Promise<unknown>): Promise<AuditEntry[]> {
  const clusters = [world.host, ...world.members];
  const since = await Promise.all(clusters.map(auditPosition));
  await happens();
  const entries = await Promise.all(clusters.map((cluster, index) => auditEntries(cluster, since[index])));
  return entries.flat().filter(isOurs);
}

/** The clusters' own controllers go on writing the status of workloads for a moment after all is Ready. */
async function untilSettled(setup: Setup): Promise<void> {
  await eventually(
    async () => {
      const writes = await writesWhile(setup, () => delay(QUIET_MS));
      if (writes.length > 0) throw new Error(`still written: ${writes[0]?.requestURI}`);
    },
    { timeoutMs: 300_000, intervalMs: 1 },
  );
}

/** Gives an Application, by the fields of its Helm release with an interval, and its source a short one. */
async function hurry({ world }: Setup, name: string, source: string, fields: readonly string[]): Promise<void> {
  const path = '/spec/fluxApp/spec/config/helmRelease';
  await patchApplication(
    world,
    name,
    fields.map((field) => ({ op: 'add', path: `${path}/${field}/interval`, value: INTERVAL })),
  );
  const patch = JSON.stringify({ spec: { interval: INTERVAL } });
  await kubectl(world, world.host, '-n', PROJECT_NAMESPACE, 'patch', source, '--type=merge', '-p', patch);
}

describe('nothing to change', () => {
  const setup = useSetup();

  beforeAll(async () => {
    await applySample(setup.world, '00-first-light');
    await applySample(setup.world, '04-multi-cluster');
    await hurry(setup, 'first-light', 'helmrepository/fairlead-charts', ['chart', 'deploy/0', 'deploy/1', 'deploy/2']);
    await hurry(setup, 'multi-cluster', 'gitrepository/fluxcd-github-repo', ['chart', 'deploy/0', 'deploy/1']);
    await untilReady(setup, 'first-light');
    await untilReady(setup, 'multi-cluster');
  });

  it('makes no mutating request while all intervals pass twice, on no cluster', async () => {
    await untilSettled(setup);
    const before = await passesAtRest(setup.controller);
    const ours = await writesWhile(setup, () => delay(IDLE_MS));
    // It did look, and found nothing to do.
    expect(await passesAtRest(setup.controller)).toBeGreaterThan(before);
    expect(ours.map(({ verb, requestURI, userAgent }) => ({ verb, requestURI, userAgent }))).toEqual([]);
  });

  it('makes none when the controller starts again, either', async () => {
    const ours = await writesWhile(setup, async () => {
      await setup.restart('stop');
      await untilRunning(setup.controller);
      await passesAtRest(setup.controller);
    });
    for (const controller of ['application', 'helmrelease']) {
      expect(await passesAtRest(setup.controller, controller)).toBeGreaterThan(0);
    }
    const writes = ours.filter(({ userAgent }) => userAgent.startsWith('fairlead'));
    expect(writes.map(({ verb, requestURI }) => ({ verb, requestURI }))).toEqual([]);
  });
});
