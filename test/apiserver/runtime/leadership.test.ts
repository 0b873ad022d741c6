import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { leaseResource, podResource, secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { Condition, KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { installCrds } from '#cli/install/crds.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { holderOf, type Lease } from '#lib/kube/lease.js';
import { startController, type ControllerProcess } from '#sandbox/controller-process.js';
import type { World } from '#sandbox/world.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';

/** See sandbox/stages/pod.yaml. */
const OUTCOME = 'sandbox.fairlead.dev/outcome';
const FLUX_LEASES = ['source', 'kustomize', 'helm'].map((name) => `${name}-controller-leader-election`);
/** What a busy machine may need to start a controller. */
const START = { timeoutMs: 300_000 };

interface WithStatus extends KubeObject {
  status?: { conditions?: Condition[] };
}

/** A line of a controller's log, as far as it is read here. */
interface LogLine {
  msg: string;
  identity?: string;
  holders?: string;
  running?: number;
  health?: { port: number };
}

/** A controller as its neighbours see it. */
class Replica {
  readonly process: ControllerProcess;

  constructor(process: ControllerProcess) {
    this.process = process;
  }

  /** The first line with this message. */
  async line(msg: string): Promise<LogLine> {
    const text = await this.process.log();
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    // Written by the controller's logger.
    const found = lines.map((line) => JSON.parse(line) as LogLine).find((line) => line.msg === msg);
    if (found === undefined) throw new Error(`no line "${msg}" in\n${text}`);
    return found;
  }

  async readyz(): Promise<{ code: number; text: string }> {
    const { health } = await this.line('starting');
    const answer = await fetch(`http://127.0.0.1:${health?.port}/readyz`);
    return { code: answer.status, text: await answer.text() };
  }

  async untilReady(): Promise<void> {
    await eventually(async () => expect(await this.readyz()).toEqual({ code: 200, text: 'ok\n' }), START);
  }
}

describe('fairlead controller', () => {
  let world: World;
  let kube: Kube;
  let dir: string;
  let namespace: string;
  let fluxNamespace: string;
  const replicas: Replica[] = [];

  beforeAll(async () => {
    world = await useWorld();
    kube = await kubeFor(world.host);
    await installCrds(kube, { takeOver: false });
    dir = await mkdtemp(path.join(tmpdir(), 'fairlead-leadership-'));
  });

  beforeEach(async () => {
    [namespace, fluxNamespace] = await Promise.all([freshNamespace(kube, 'own'), freshNamespace(kube, 'flux')]);
  });

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map(({ process }) => process.kill()));
  });

  afterAll(async () => {
    await kube.close();
    await rm(dir, { recursive: true, force: true });
  });

  async function start(...flags: string[]): Promise<Replica> {
    const replica = new Replica(
      await startController({
        kubeconfig: world.host.kubeconfig,
        helm: world.tools.helm,
        dir: await mkdtemp(path.join(dir, 'replica-')),
        flags: ['--engine=embedded', `--namespace=${namespace}`, `--flux-namespace=${fluxNamespace}`, ...flags],
      }),
    );
    replicas.push(replica);
    return replica;
  }

  function startReplica(...flags: string[]): Promise<Replica> {
    return start('--leader-elect', `--leader-election-namespace=${namespace}`, ...flags);
  }

  async function renewTime(): Promise<string | undefined> {
    const ref = { namespace, name: `fairlead-leader-election-${namespace}` };
    return (await kube.get<Lease>(leaseResource, ref))?.spec?.renewTime;
  }

  /** A release whose pods wait until `startHeldPods`. */
  async function createHeldRelease(): Promise<void> {
    const chart = { chart: 'lighthouse', sourceRef: { kind: 'HelmRepository', name: 'charts' } };
    const values = { podAnnotations: { [OUTCOME]: 'pending' } };
    await kube.create(helmReleaseResource, {
      apiVersion: 'helm.toolkit.fluxcd.io/v2',
      kind: 'HelmRelease',
      metadata: { name: 'held', namespace },
      spec: { interval: '1h', releaseName: 'held', chart: { spec: chart }, values },
    } as KubeObject);
  }

  async function startHeldPods(): Promise<void> {
    // The release is in storage before its Deployment is there, and its pod comes later still.
    const items = await eventually(async () => {
      const pods = await listAll(kube, podResource, { namespace });
      expect(pods.items).toHaveLength(1);
      return pods.items;
    });
    const body = { metadata: { annotations: { [OUTCOME]: 'run' } } };
    await Promise.all(items.map(({ metadata }) => kube.patch(podResource, metadata, { type: 'merge', body })));
  }

  /** The status of each revision that Helm has of the release. */
  async function revisions(): Promise<(string | undefined)[]> {
    const { items } = await listAll(kube, secretResource, { namespace, labelSelector: 'owner=helm,name=held' });
    return items.map(({ metadata }) => metadata.labels?.['status']);
  }

  async function holder(ref: { namespace: string; name: string }): Promise<string> {
    return holderOf({ lease: await kube.get<Lease>(leaseResource, ref), seenAtMs: 0 });
  }

  function ownHolder(): Promise<string> {
    return holder({ namespace, name: `fairlead-leader-election-${namespace}` });
  }

  function fluxHolders(): Promise<string[]> {
    return Promise.all(FLUX_LEASES.map((name) => holder({ namespace: fluxNamespace, name })));
  }

  /** The helm-controller of Flux, which renews in an hour at the latest. */
  async function createForeignLease(): Promise<Lease> {
    const time = '2026-01-01T00:00:00.000000Z';
    return kube.create<Lease>(leaseResource, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'helm-controller-leader-election', namespace: fluxNamespace },
      spec: { holderIdentity: 'helm-controller-0', leaseDurationSeconds: 3_600, acquireTime: time, renewTime: time },
    });
  }

  /** Work for the embedded engine. */
  async function createRepository(): Promise<() => Promise<WithStatus | undefined>> {
    const metadata = { name: 'charts', namespace };
    await kube.create(helmRepositoryResource, {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'HelmRepository',
      metadata,
      spec: { interval: '1h', url: world.helmRepositoryUrl },
    } as KubeObject);
    return () => kube.get<WithStatus>(helmRepositoryResource, metadata);
  }

  /** Work for the Application controller, which it has done when there is a condition. */
  async function createApplication(name: string): Promise<() => Promise<void>> {
    const metadata = { name, namespace };
    await kube.create(applicationResource, {
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'Application',
      metadata,
      spec: { kind: 'argocd', argoApp: {} },
    } as KubeObject);
    return async () => {
      const live = await kube.get<WithStatus>(applicationResource, metadata);
      expect(live?.status?.conditions?.length).toBeGreaterThan(0);
    };
  }

  async function expectReady(repository: () => Promise<WithStatus | undefined>): Promise<void> {
    const conditions = (await repository())?.status?.conditions;
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
  }

  it('leads alone, with a second one ready that takes over at once when the first ends in order', async () => {
    const first = await startReplica();
    await first.untilReady();
    const { identity } = await eventually(() => first.line('leading'), START);
    const second = await startReplica();
    await second.untilReady();
    expect((await eventually(() => second.line('waiting for the lease'), START)).holders).toContain(identity);
    await eventually(await createApplication('of-the-first'));
    expect(await ownHolder()).toBe(identity);
    await expect(second.line('leading')).rejects.toThrow('no line');

    await first.process.stop();
    // They are given back: nobody waits until they run out.
    expect([await ownHolder(), ...(await fluxHolders())]).not.toContain(identity);
    const successor = await eventually(() => second.line('leading'), START);
    expect(successor.identity).not.toBe(identity);
    expect(await ownHolder()).toBe(successor.identity);
    await eventually(await createApplication('of-the-second'));
    await eventually(async () => expect(await fluxHolders()).toEqual(Array(3).fill(successor.identity)), START);
    await second.untilReady();
  });

  it('leaves releases and sources unchanged while Flux holds a lease, reports it, and takes over when Flux ends', async () => {
    const lease = await createForeignLease();
    const repository = await createRepository();
    const untouched = await repository();
    const replica = await startReplica();
    const told =
      `Lease ${fluxNamespace}/helm-controller-leader-election is held by helm-controller-0; ` +
      'the embedded engine waits: stop Flux, or run with --engine=external\n';
    await eventually(async () => expect(await replica.readyz()).toEqual({ code: 503, text: told }), START);
    const waits = 'the embedded engine waits: stop Flux, or run with --engine=external';
    const logged = await eventually(() => replica.line(waits), START);
    expect(logged.holders).toContain('helm-controller-0');
    await eventually(await createApplication('goes-on'));
    expect(await repository()).toEqual(untouched);
    expect(await fluxHolders()).toEqual(['', '', 'helm-controller-0']);

    await kube.update(leaseResource, { ...lease, spec: { ...lease.spec, holderIdentity: '' } });
    await replica.untilReady();
    expect(await fluxHolders()).toEqual(Array(3).fill(await ownHolder()));
    await eventually(() => expectReady(repository), START);
  });

  it('lets a running roll-out end before it hands over, so that an orderly restart makes no revision', async () => {
    await createRepository();
    const first = await startReplica('--graceful-shutdown-timeout=2m');
    const { identity } = await eventually(() => first.line('leading'), START);
    const second = await startReplica();
    await second.untilReady();
    await createHeldRelease();
    await eventually(() => revisions().then((all) => expect(all).toEqual(['pending-install'])), START);
    const gone = first.process.failure.catch(() => 'ended');

    process.kill(first.process.pid, 'SIGTERM');
    // That of the release; another one may end at this moment.
    await eventually(async () =>
      expect((await first.line('shutting down: waiting for running reconciliations')).running).toBeGreaterThan(0),
    );
    const renewed = await renewTime();
    await eventually(async () => expect(await renewTime()).not.toBe(renewed), START);
    expect(await ownHolder()).toBe(identity);
    expect(await revisions()).toEqual(['pending-install']);

    await startHeldPods();
    expect(await gone).toBe('ended');
    expect([await ownHolder(), ...(await fluxHolders())]).not.toContain(identity);
    await eventually(() => second.line('leading'), START);
    const release = (): Promise<WithStatus | undefined> =>
      kube.get<WithStatus>(helmReleaseResource, { name: 'held', namespace });
    await eventually(() => expectReady(release), START);
    expect(await revisions()).toEqual(['deployed']);
  });

  it('takes no lease of its own without --leader-elect, but those of Flux', async () => {
    const repository = await createRepository();
    const replica = await start();
    await replica.untilReady();
    await eventually(() => expectReady(repository), START);
    await eventually(await createApplication('alone'));
    expect(await ownHolder()).toBe('');
    const [holder, ...others] = await fluxHolders();
    expect(holder).not.toBe('');
    expect(others).toEqual([holder, holder]);
  });
});
