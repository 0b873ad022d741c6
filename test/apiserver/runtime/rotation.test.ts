import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { configMapResource, secretResource, serviceAccountResource } from '#api/core.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { kubeFromConfig, kubeFromFile } from '#runtime/client/credentials.js';
import { readContext } from '#runtime/client/kubeconfig.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import { Reflector } from '#runtime/cache/reflector.js';
import { Store } from '#runtime/cache/store.js';
import { startLoneCluster, type LoneCluster } from '../../support/lone-cluster.js';
import { selfSignedCertificate, type Certificate } from '../../support/certificate.js';
import { startTcpProxy } from '../../support/proxy.js';
import { eventually, kubeFor } from '../../support/world.js';

const NAMESPACE = 'default';
const WRITERS = 4;
const ACCOUNT = 'runner';

/** The API server's path for tokens of the service account, seen as a type whose objects are created. */
const tokenRequestResource: ResourceType = {
  ...serviceAccountResource,
  kind: 'TokenRequest',
  plural: `serviceaccounts/${ACCOUNT}/token`,
};
const roleBindingResource: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  namespaced: false,
};

interface TokenRequest extends KubeObject {
  spec: unknown;
  status?: { token: string };
}

function configMap(name: string, turn: number): KubeObject & { data: Record<string, string> } {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: NAMESPACE },
    data: { turn: String(turn) },
  };
}

/** Writers that never rest: how many writes were accepted, and what became of the others. */
function startWriters(
  kube: Kube,
  prefix: string,
): { accepted: () => number; failures: unknown[]; stop: () => Promise<void> } {
  const failures: unknown[] = [];
  let accepted = 0;
  let stopped = false;
  const write = async (name: string): Promise<void> => {
    for (let turn = 0; !stopped; turn += 1) {
      const options = { fieldManager: 'writer', force: true };
      await kube.apply(configMapResource, configMap(name, turn), options).then(
        () => (accepted += 1),
        (error: unknown) => failures.push(error),
      );
    }
  };
  const running = Array.from({ length: WRITERS }, (_, index) => write(`${prefix}-${index}`));
  const stop = async (): Promise<void> => {
    stopped = true;
    await Promise.all(running);
  };
  return { accepted: () => accepted, failures, stop };
}

describe('credentials that change while requests are under way', () => {
  let cluster: LoneCluster;
  let ca: string;
  let direct: Kube;
  let folder: string;
  const closing: (() => Promise<void>)[] = [];
  const first = selfSignedCertificate('rotated', 'system:masters');
  const second = selfSignedCertificate('rotated', 'system:masters');

  beforeAll(async () => {
    cluster = await startLoneCluster(await mkdtemp(path.join(tmpdir(), 'fairlead-lone-')), first.cert);
    direct = await kubeFor(cluster);
    ca = (await readContext({ path: cluster.kubeconfig })).cluster?.caData ?? '';
    await eventually(() => direct.read(`/api/v1/namespaces/${NAMESPACE}`), { timeoutMs: 300_000 });
    const metadata = { name: ACCOUNT, namespace: NAMESPACE };
    await direct.create(serviceAccountResource, { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: ACCOUNT },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    };
    await direct.create(roleBindingResource, binding);
    folder = await mkdtemp(path.join(tmpdir(), 'fairlead-rotation-'));
  });

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    await rm(folder, { recursive: true });
    await direct.close();
    await cluster.stop();
  });

  /** Replaced as a whole, as the kubelet does it. */
  async function writeWhole(file: string, text: string): Promise<void> {
    await writeFile(`${file}.new`, text, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }

  async function writeKubeconfig(name: string, user: object, server = cluster.server): Promise<string> {
    const file = path.join(folder, name);
    const config = {
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': ca } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    };
    await writeWhole(file, stringify(config));
    return file;
  }

  /** A token that is good while the Secret of this name is there. */
  async function boundToken(name: string): Promise<string> {
    const secret = await direct.create<KubeObject>(secretResource, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: NAMESPACE },
    });
    const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name, uid: secret.metadata.uid };
    const request: TokenRequest = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      metadata: { name: ACCOUNT, namespace: NAMESPACE },
      spec: { boundObjectRef, expirationSeconds: 3_600 },
    };
    const answer = await direct.create(tokenRequestResource, request);
    return answer.status?.token ?? '';
  }

  async function opened(file: string): Promise<Kube> {
    const kube = await kubeFromFile({ path: file });
    closing.push(() => kube.close());
    return kube;
  }

  /** Resolves when the server no longer accepts this credential. */
  async function refused(credential: { token: string } | Certificate): Promise<void> {
    const shown = { server: cluster.server, ca: Buffer.from(ca, 'base64').toString('utf8'), ...credential };
    const retired = kubeFromConfig(shown);
    closing.push(() => retired.close());
    // The server looks at the file of its client CA once a minute, if the machine does not tell it of changes.
    await eventually(() => expect(retired.read('/version')).rejects.toMatchObject({ status: { code: 401 } }), {
      timeoutMs: 150_000,
    });
  }

  it.concurrent(
    'goes on writing and watching when its token is taken away and its kubeconfig holds another',
    async () => {
      const tokens = { old: await boundToken('token-1'), new: await boundToken('token-2') };
      const line = await startTcpProxy({ host: '127.0.0.1', port: Number(new URL(cluster.server).port) });
      const lineServer = `https://127.0.0.1:${line.port}`;
      closing.push(() => line.close());
      const writing = await opened(await writeKubeconfig('writing', { token: tokens.old }));
      const watching = await opened(await writeKubeconfig('watching', { token: tokens.old }, lineServer));
      const store = new Store<KubeObject>(configMapResource, () => undefined);
      const log = createLogger('silent');
      const base = { kube: watching, type: configMapResource, store, namespace: NAMESPACE, metadataOnly: false, log };
      const stopping = new AbortController();
      const reflector = new Reflector(base);
      const running = reflector.run(stopping.signal);
      await reflector.whenSynced;
      const writers = startWriters(writing, 'token');
      await eventually(() => expect(writers.accepted()).toBeGreaterThan(20));
      await writeKubeconfig('writing', { token: tokens.new });
      await writeKubeconfig('watching', { token: tokens.new }, lineServer);
      await direct.delete(secretResource, { name: 'token-1', namespace: NAMESPACE });
      await refused({ token: tokens.old });
      line.cut();
      const before = writers.accepted();
      await eventually(() => expect(writers.accepted()).toBeGreaterThan(before + 40));
      await writers.stop();
      expect(writers.failures).toEqual([]);
      const { items } = await listAll<KubeObject>(direct, configMapResource, { namespace: NAMESPACE });
      const versions = (objects: readonly KubeObject[]): string[] =>
        objects
          .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion ?? ''}`)
          .filter((each) => each.startsWith('token-'))
          .sort();
      await eventually(() => expect(versions(store.list())).toEqual(versions(items)));
      stopping.abort();
      await running;
    },
    600_000,
  );

  it.concurrent(
    'runs an exec plugin once for 20 requests, and once more when what it gave is refused',
    async () => {
      const tokens = { old: await boundToken('plugin-1'), new: await boundToken('plugin-2') };
      const [plugin, runs, answer] = ['plugin', 'runs', 'answer'].map((name) => path.join(folder, name)) as [
        string,
        string,
        string,
      ];
      const give = (token: string): Promise<void> =>
        writeWhole(
          answer,
          JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token } }),
        );
      await writeFile(plugin, `#!/bin/sh\necho run >> '${runs}'\ncat '${answer}'\n`);
      await chmod(plugin, 0o700);
      await give(tokens.old);
      const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' };
      const kube = await opened(await writeKubeconfig('exec', { exec }));
      const twenty = (): Promise<unknown[]> =>
        Promise.all(Array.from({ length: 20 }, () => kube.read(`/api/v1/namespaces/${NAMESPACE}`)));
      await twenty();
      expect(await readFile(runs, 'utf8')).toBe('run\n');
      await give(tokens.new);
      await direct.delete(secretResource, { name: 'plugin-1', namespace: NAMESPACE });
      await refused({ token: tokens.old });
      await twenty();
      expect(await readFile(runs, 'utf8')).toBe('run\nrun\n');
    },
    600_000,
  );

  it.concurrent(
    'shows a new client certificate when the server no longer accepts the old one',
    async () => {
      const write = async (name: string, { cert, key }: Certificate): Promise<void> => {
        await mkdir(path.join(folder, name));
        await writeFile(path.join(folder, name, 'tls.crt'), cert);
        await writeFile(path.join(folder, name, 'tls.key'), key, { mode: 0o600 });
        await symlink(name, path.join(folder, 'next'));
        await rename(path.join(folder, 'next'), path.join(folder, 'current'));
      };
      await write('one', first);
      const file = (name: string): string => path.join(folder, 'current', name);
      const user = { 'client-certificate': file('tls.crt'), 'client-key': file('tls.key') };
      const kube = await opened(await writeKubeconfig('certificate', user));
      const writers = startWriters(kube, 'certificate');
      await eventually(() => expect(writers.accepted()).toBeGreaterThan(20));
      await write('two', second);
      await writeWhole(cluster.clientCa, second.cert);
      await refused(first);
      const before = writers.accepted();
      await eventually(() => expect(writers.accepted()).toBeGreaterThan(before + 40));
      await writers.stop();
      expect(writers.failures).toEqual([]);
    },
    600_000,
  );
});
