import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseResource } from '#api/core.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { freePort, type HttpServer, LOOPBACK, startHttpServer } from '#sandbox/world/ports.js';
import { type ControllerProcess, startController } from '#sandbox/controller-process.js';
import { fairlead, kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import type { World } from '#sandbox/world.js';
import { applyManifest } from '../../support/kubectl.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../../support/world.js';
import { type HostileMember, startHostileMember } from './member.js';
import { type Attack, ATTACKS, repository, type Told } from './attacks.js';
import { served } from './served.js';

/** A round without attack takes a second or two; the machine may be busy. */
const CEILING_MS = 20_000;
const HEALTH_LIMIT_MS = 5_000;
const VICTIMS = ATTACKS.flatMap(({ victim }) => (victim === undefined ? [] : [victim]));
const MEBIBYTE = 1024 * 1024;

let world: World;
let kube: Kube;
let server: HttpServer;
let member: HostileMember;
let controller: ControllerProcess;
let hostile: string;
let steady: string;
let dir: string;
let health: string;

interface Conditioned {
  readonly metadata: { readonly generation: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[];
  };
}

function application(round: number): Unstructured {
  const deploy = [{ destination: { targetNamespace: steady }, values: { light: { message: `round ${round}` } } }];
  const config = { helmRelease: { chart: { chart: 'lighthouse', version: '1.4.x' }, deploy } };
  const spec = { source: { sourceRef: { kind: 'HelmRepository', name: 'charts' } }, config };
  const metadata = { name: 'steady', namespace: steady };
  return {
    apiVersion: 'gitops.kubesphere.io/v1alpha1',
    kind: 'Application',
    metadata,
    spec: { kind: 'fluxcd', fluxApp: { spec } },
  };
}

/** Milliseconds from the edit until the release of the other tenant is Ready with it. */
async function upgrade(round: number): Promise<number> {
  const begun = performance.now();
  await applyManifest(world, world.host, application(round));
  await eventually(
    async () => {
      const { metadata, status } = await kubectlJson<Conditioned>(world, world.host, '-n', steady, 'gapp/steady');
      const ready = status?.conditions?.find(({ type }) => type === 'Ready');
      expect([status?.observedGeneration, ready?.status]).toEqual([metadata.generation, 'True']);
    },
    { timeoutMs: 300_000, intervalMs: 200 },
  );
  const page = await kubectl(world, world.host, '-n', steady, 'get', 'configmaps', '-o', 'yaml');
  expect(page).toContain(`round ${round}`);
  return performance.now() - begun;
}

/** Resolves when the attack has begun. */
async function attack({ objects, begun = [] }: Attack): Promise<void> {
  for (const each of objects) {
    const text = JSON.stringify(each)
      .replaceAll('NAMESPACE', hostile)
      .replaceAll('ORIGIN', server.origin)
      .replaceAll(/"KUBECONFIG-(kinds|pages)"/g, (_, part: 'kinds' | 'pages') =>
        JSON.stringify(member.kubeconfig(part)),
      );
    const { metadata, ...rest } = JSON.parse(text) as Unstructured;
    // Server-side: an annotation of a megabyte would be refused.
    await kubectlApply({ ...rest, metadata: { ...metadata, namespace: hostile } });
  }
  for (const told of begun) await untilTold(told);
}

async function kubectlApply(object: Unstructured): Promise<void> {
  const [group, version] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : ['', object.apiVersion];
  const plural = object.kind === 'HelmRepository' ? 'helmrepositories' : `${object.kind.toLowerCase()}s`;
  const type = { group: group ?? '', version: version ?? '', kind: object.kind, plural, namespaced: true };
  await kube.apply(type, object, { fieldManager: 'tenant', force: true });
}

async function untilTold([kind, name, says]: Told): Promise<void> {
  await eventually(
    async () => {
      const { status } = await kubectlJson<Conditioned>(world, world.host, '-n', hostile, `${kind}/${name}`);
      expect((status?.conditions ?? []).map(({ message }) => message).join('\n')).toMatch(says);
    },
    { timeoutMs: 300_000, intervalMs: 300 },
  );
}

/** Asks for `/healthz` without a pause until it is stopped; tells the longest answer in milliseconds. */
function watchHealth(): () => Promise<number> {
  const stop = new AbortController();
  const watching = (async () => {
    let longest = 0;
    while (!stop.signal.aborted) {
      const begun = performance.now();
      const answer = await fetch(`${health}/healthz`);
      expect(answer.status).toBe(200);
      longest = Math.max(longest, performance.now() - begun);
      await delay(100);
    }
    return longest;
  })();
  watching.catch(() => undefined);
  return () => {
    stop.abort();
    return watching;
  };
}

type Lease = KubeObject & { readonly spec: { readonly holderIdentity: string; readonly renewTime: string } };

async function leases(): Promise<Lease[]> {
  return (await kube.list<Lease>(leaseResource, { namespace: hostile })).items;
}

async function residentBytes(): Promise<number> {
  const text = await (await fetch(`${health}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
}

beforeAll(async () => {
  world = await useWorld();
  kube = await kubeFor(world.host);
  await fairlead(world.host, 'install', '--crds-only');
  [hostile, steady] = [await freshNamespace(kube, 'hostile'), await freshNamespace(kube, 'steady')];
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-hostile-'));
  const answers = served();
  server = await startHttpServer(({ url = '' }, response) => {
    const found = answers[url];
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  member = await startHostileMember();
  const port = await freePort();
  health = `http://${LOOPBACK}:${port}`;
  controller = await startController({
    kubeconfig: world.host.kubeconfig,
    helm: world.tools.helm,
    kustomize: world.tools.kustomize,
    dir,
    flags: [
      ...['--health-addr', `${LOOPBACK}:${port}`, '--leader-elect'],
      ...['--leader-election-namespace', hostile, '--flux-namespace', hostile],
    ],
  });
  await kubectlApply({
    ...repository('charts', world.helmRepositoryUrl),
    metadata: { name: 'charts', namespace: steady },
  });
  await kubectlApply({
    ...repository('charts', `${server.origin}/charts`),
    metadata: { name: 'charts', namespace: hostile },
  });
  await upgrade(0);
});

async function deleteAll(): Promise<void> {
  await kubectl(world, world.host, '-n', hostile, 'scale', 'deployment', '--all', '--replicas=0');
  const kinds = 'applications.gitops.kubesphere.io,helmreleases,helmrepositories,helmcharts';
  for (const namespace of [steady, hostile]) {
    await kubectl(world, world.host, '-n', namespace, 'delete', kinds, '--all', '--timeout=120s');
  }
}

afterAll(async () => {
  // A controller that went on would reconcile what other test files create.
  await deleteAll().finally(() => controller.stop());
  await server.close();
  await member.close();
  await kube.close();
  await rm(dir, { recursive: true, force: true });
});

test('what one tenant writes does not keep the releases of another', async () => {
  const normalMs = await upgrade(1);
  const before = { leases: await leases(), bytes: await residentBytes() };
  expect(before.leases.length).toBeGreaterThan(0);
  const stopWatching = watchHealth();
  const slow: string[] = [];
  for (const [index, each] of ATTACKS.entries()) {
    await attack(each);
    const tookMs = await upgrade(2 + index);
    if (tookMs > Math.max(10 * normalMs, CEILING_MS)) slow.push(`${each.name}: ${Math.round(tookMs)} ms`);
  }
  expect(slow).toEqual([]);
  for (const victim of VICTIMS) await untilTold(victim);
  expect(await stopWatching()).toBeLessThan(HEALTH_LIMIT_MS);
  for (const { metadata, spec } of await leases()) {
    const held = before.leases.find((lease) => lease.metadata.name === metadata.name);
    expect(spec.holderIdentity).toBe(held?.spec.holderIdentity);
    expect(spec.renewTime > (held?.spec.renewTime ?? '')).toBe(true);
  }
  // Threads without work end after 15 s, and what they took comes back.
  await eventually(async () => expect(await residentBytes()).toBeLessThan(before.bytes + 200 * MEBIBYTE), {
    timeoutMs: 300_000,
    intervalMs: 1_000,
  });
}, 900_000);
