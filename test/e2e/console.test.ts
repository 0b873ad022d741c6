import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { secretResource } from '#api/core.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { installCrds } from '#cli/install/crds.js';
import { PACKAGE_ROOT } from '#runtime/process/package-root.js';
import { startConsole } from '#sandbox/console-process.js';
import type { World } from '#sandbox/world.js';
import { freePorts } from '#sandbox/world/ports.js';
import { prepareCluster } from '../support/harness.js';
import { startFaultProxy, writeKubeconfigOf } from '../support/proxy.js';
import { eventually, freshNamespace, kubeFor, useWorld } from '../support/world.js';
import { application } from '../unit/application/model/builders.js';
import { account, BASE, grant } from '../apiserver/console/harness.js';

const PROGRAM = path.join(PACKAGE_ROOT, 'dist', 'cli', 'main.js');

interface Running {
  readonly child: ChildProcess;
  readonly api: string;
  readonly health: string;
  readonly ended: Promise<unknown[]>;
}

/** A stream of changes that has begun. */
function followed(
  api: string,
  path: string,
  token: string,
): Promise<{ response: IncomingMessage; text: () => string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const asked = request(`${api}${path}`, { headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('error', () => undefined);
      response.on('data', (part: string) => (text += part));
      response.once('data', () => resolve({ response, text: () => text }));
    });
    asked.on('error', reject).end();
  });
}

async function codeOf(url: string): Promise<number> {
  return (await fetch(url)).status;
}

describe('the process of `fairlead console`', () => {
  let world: World;
  let namespace: string;
  let token: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    world = await useWorld();
    const kube = await kubeFor(world.host);
    await installCrds(kube, { takeOver: false });
    namespace = await freshNamespace(kube, 'console-process');
    const { user, token: made } = await account(kube, namespace, 'reader');
    const rules = [{ apiGroups: ['gitops.kubesphere.io'], resources: ['applications'], verbs: ['list'] }];
    await grant(kube, 'reader', { namespace, user, rules });
    token = made;
    await kube.close();
  });

  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });

  async function start(kubeconfig = world.host.kubeconfig): Promise<Running> {
    const [api, health] = (await freePorts(2)).map((port) => `127.0.0.1:${port}`) as [string, string];
    const flags = [`--kubeconfig=${kubeconfig}`, `--namespace=${namespace}`];
    const addresses = [`--addr=${api}`, `--health-addr=${health}`];
    const child = spawn(process.execPath, [PROGRAM, 'console', ...flags, ...addresses], { stdio: 'ignore' });
    children.push(child);
    const running = { child, api: `http://${api}`, health: `http://${health}`, ended: once(child, 'exit') };
    await eventually(async () => expect(await codeOf(`${running.health}/readyz`)).toBe(200), { timeoutMs: 300_000 });
    return running;
  }

  it('is healthy and ready, knows nobody without a credential, and ends with 0 when it is asked to', async () => {
    const { child, api, health, ended } = await start();
    expect(await codeOf(`${health}/healthz`)).toBe(200);
    expect([await codeOf(`${api}/api/v1/applications`), await codeOf(`${api}/openapi.json`)]).toEqual([401, 401]);
    const metrics = await (await fetch(`${health}/metrics`)).text();
    expect(metrics).toContain('fairlead_console_request_seconds');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('ends streams that are open with a word, and itself with 0, when it is asked to', async () => {
    const { child, api, ended } = await start();
    const path = `/api/v1/namespaces/${namespace}/changes`;
    const streams = await Promise.all([1, 2, 3].map(() => followed(api, path, token)));
    // A request that never arrives whole.
    const half = request(`${api}/api/v1/namespaces/${namespace}/applications`, { method: 'POST', agent: false });
    half.on('error', () => undefined);
    half.setHeader('content-length', '1000');
    half.flushHeaders();
    const from = performance.now();
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(performance.now() - from).toBeLessThan(25_000);
    for (const { text } of streams) expect(text()).toContain('event: close\ndata: {"reason":"the server is stopping"}');
  });

  it('ends with 0 while the host does not answer a read, when it is asked to', async () => {
    const host = await startFaultProxy(world.host);
    const kubeconfig = path.join(world.dir, `${namespace}-proxied.kubeconfig`);
    await writeKubeconfigOf(host, world.host, kubeconfig);
    const { child, api, ended } = await start(kubeconfig);
    const isHeld = ({ path: asked }: { readonly path: string }): boolean => asked.includes('/secrets?');
    const restore = host.http.inject({ match: isHeld, silent: true });
    try {
      const headers = { authorization: `Bearer ${token}` };
      const read = fetch(`${api}${BASE}/clusters`, { headers }).then(
        ({ status }) => status,
        () => 'closed',
      );
      await eventually(() => expect(host.http.seen.some(isHeld)).toBe(true));
      const from = performance.now();
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
      expect(performance.now() - from).toBeLessThan(25_000);
      expect([503, 504, 'closed']).toContain(await read);
    } finally {
      restore();
      await host.close();
    }
  });

  it('counts a stream among the requests once it is over', async () => {
    const { api, health } = await start();
    const path = `/api/v1/namespaces/${namespace}/changes`;
    const { response } = await followed(api, path, token);
    response.destroy();
    await eventually(async () => {
      const metrics = await (await fetch(`${health}/metrics`)).text();
      expect(metrics).toContain('fairlead_console_request_seconds_count{route="/api/v1/namespaces/:namespace/changes"');
    });
  });

  it('may run twice, and one goes on when the other one ends', async () => {
    const [one, other] = [await start(), await start()];
    one.child.kill('SIGTERM');
    expect(await one.ended).toEqual([0, null]);
    expect(await codeOf(`${other.health}/readyz`)).toBe(200);
    expect(await codeOf(`${other.api}/api/v1/applications`)).toBe(401);
  });
});

describe('the console server of a sandbox', () => {
  it('renders templates of values with the helm of its sandbox', async () => {
    const world = await useWorld();
    const kube = await kubeFor(world.host);
    const { namespace } = await prepareCluster(world.host, 'console-helm');
    const { user, token } = await account(kube, namespace, 'reader');
    await grant(kube, 'reader', { namespace, user, rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] });
    const metadata = { name: 'eu', namespace, labels: { 'gitops.kubesphere.io/cluster': 'true', tier: 'edge' } };
    await kube.create(secretResource, { apiVersion: 'v1', kind: 'Secret', metadata });
    const destination = { clusterSelector: { matchLabels: { tier: 'edge' } }, targetNamespace: 'shop' };
    const entry = { destination, valuesTemplate: 'tier: {{ .ClusterLabels.tier }}' };
    const shop = application([entry], { metadata: { name: 'shop', namespace } });
    await kube.create(applicationResource, shop);
    const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-console-'));
    const { kubeconfig } = world.host;
    const server = await startConsole({ kubeconfig, helm: world.tools.helm, namespace, dir });
    try {
      const url = `${server.address}/api/v1/namespaces/${namespace}/applications/shop/values`;
      const headers = { authorization: `Bearer ${token}` };
      await eventually(async () => {
        const answer = await (await fetch(url, { headers })).json();
        expect(answer).toMatchObject({ destinations: [{ values: [{ path: ['tier'], value: 'edge' }] }] });
      });
    } finally {
      await server.stop();
      await kube.close();
      await rm(dir, { recursive: true });
    }
  });
});
