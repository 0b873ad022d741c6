import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import { configMapResource } from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { type Kustomization, kustomizationResource } from '#api/flux/kustomization.js';
import type { KubeObject, Unstructured } from '#api/meta.js';
import { kustomizationControllers, kustomizationWatches } from '#controllers/kustomization/setup.js';
import { externalArtifactFetcher } from '#controllers/source/externalartifact/fetch.js';
import { packDirectory } from '#engine/artifact/archive.js';
import { createArtifactStore } from '#engine/artifact/store.js';
import { createMembers } from '#engine/member/members.js';
import { run } from '#engine/process/run.js';
import { defined } from '#lib/plain.js';
import type { Kube } from '#runtime/client/kube.js';
import { createLogger } from '#runtime/process/log.js';
import type { World } from '#sandbox/world.js';
import { erase } from '../../support/erase.js';
import {
  conditionOf,
  expectReady,
  prepareCluster,
  readerOf,
  runControllers,
  type RunningControllers,
} from '../../support/harness.js';
import { giveKubeconfig } from '../../support/kubeconfig-secret.js';
import {
  auditEntriesUntilNow,
  auditPosition,
  eventually,
  kubeFor,
  makeNamespace,
  useWorld,
} from '../../support/world.js';

export { conditionOf } from '../../support/harness.js';

export const KUBECONFIG_SECRET = 'member';
/** A namespace with its contents may go with it. */
const REMOVAL_MS = 180_000;

export type Files = Readonly<Record<string, string>>;
/** Undefined leaves a field out. */
type Spec = { [Field in keyof Kustomization['spec']]?: Kustomization['spec'][Field] | undefined };

/** The controller for real, on the host and one member of the shared world, with sources of the test's own. */
export interface Harness {
  readonly world: World;
  readonly host: Kube;
  readonly member: Kube;
  /** The same name on the host and on the member. */
  readonly namespace: string;
  readonly controllers: RunningControllers;
  /**
   * Gives the GitRepository of this name an artifact of these files, as its controller would. Returns the revision once
   * the controller knows of it.
   */
  publish(source: string, files: Files): Promise<string>;
  /**
   * A Kustomization of the source of its own name, onto the host, in the test's namespace, with `prune`. Resolves once
   * the controller knows of it: what is changed after that is not seen before it.
   */
  apply(name: string, spec?: Spec, annotations?: Files): Promise<void>;
  read(name: string): Promise<Kustomization>;
  until(name: string, check: (kustomization: Kustomization) => void, timeoutMs?: number): Promise<Kustomization>;
  /** Waits until it is Ready as it is now, with this revision if one is given. */
  untilReady(name: string, revision?: string): Promise<Kustomization>;
  /** Waits until Ready is False for this reason in this generation. */
  untilNotReady(name: string, reason: string): Promise<string>;
  remove(name: string): Promise<void>;
  configMap(name: string, on?: Kube): Promise<(Unstructured & { data?: Record<string, string> }) | undefined>;
  /** Mutating requests that are no dry run while `work` runs, which ends at rest, of objects whose name begins so. */
  writesDuring(prefix: string, work: () => Promise<unknown>): Promise<string[]>;
  close(): Promise<void>;
}

/** The manifest of a ConfigMap; without a namespace of its own. */
export function configMap(name: string, data: Files = {}, metadata: Record<string, unknown> = {}): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });
}

async function writeFiles(folder: string, files: Files): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

export async function createHarness(prefix: string, options: { readonly log?: Logger } = {}): Promise<Harness> {
  const world = await useWorld();
  const memberCluster = world.members[0];
  if (memberCluster === undefined) throw new Error('the world has no member');
  const { kube: host, namespace } = await prepareCluster(world.host, prefix);
  const member = await kubeFor(memberCluster);
  await makeNamespace(member, namespace);
  await giveKubeconfig(host, { name: KUBECONFIG_SECRET, namespace }, memberCluster.kubeconfig);
  const dir = await mkdtemp(path.join(tmpdir(), 'fairlead-kustomization-'));
  const store = createArtifactStore({ root: path.join(dir, 'store'), baseUrl: 'http://127.0.0.1' });
  const log = options.log ?? createLogger(process.env['FAIRLEAD_TEST_LOG'] ?? 'silent');
  const members = createMembers({ host });
  const managed = kustomizationWatches(log);
  const deps = {
    ...{ members, managed, store, run, kustomizePath: world.tools.kustomize },
    ...{ allowCrossNamespace: false, dependencyRequeueMs: 500 },
    fetchExternal: externalArtifactFetcher({ store, proxies: {} }),
  };
  const follow = [gitRepositoryResource, kustomizationResource];
  const controllers = runControllers({ kube: host, log, namespace, follow }, [
    (context) => kustomizationControllers(context, deps),
  ]);
  let published = 0;

  const harness: Harness = {
    world,
    host,
    member,
    namespace,
    controllers,
    async publish(source, files) {
      published += 1;
      const folder = path.join(dir, `source-${published}`);
      await writeFiles(folder, files);
      const revision = `main@sha1:${String(published).padStart(40, '0')}`;
      const owner = { kind: 'gitrepository', namespace, name: source };
      const artifact = await store.put(owner, `${published}.tar.gz`, revision, (file) => packDirectory(folder, file));
      const object = {
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'GitRepository',
        metadata: { name: source, namespace },
        spec: { interval: '10m', url: 'https://example.com/repository.git' },
      };
      await host.apply(gitRepositoryResource, object, { fieldManager: 'test', force: true });
      const body = { status: { artifact } };
      const patch = { type: 'merge', body } as const;
      const written = await host.patch(gitRepositoryResource, object.metadata, patch, { subresource: 'status' });
      await controllers.untilSeen(written);
      return revision;
    },
    async apply(name, spec = {}, annotations = {}) {
      const object = {
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name, namespace, annotations },
        spec: defined({
          ...{ interval: '10m', retryInterval: '2s', prune: true, targetNamespace: namespace },
          sourceRef: { kind: 'GitRepository' as const, name },
          ...spec,
        }),
      };
      const options = { fieldManager: 'test', force: true };
      await controllers.untilSeen(await host.apply<KubeObject>(kustomizationResource, object, options));
    },
    ...readerOf<Kustomization>(host, kustomizationResource, namespace),
    untilReady(name, revision) {
      return harness.until(name, (kustomization) => {
        expectReady(kustomization);
        const applied = kustomization.status?.lastAppliedRevision;
        if (revision !== undefined && applied !== revision) throw new Error(`applied is ${applied}`);
      });
    },
    async untilNotReady(name, reason) {
      const object = await harness.until(name, (kustomization) => {
        const ready = conditionOf(kustomization, 'Ready');
        const isNow = ready?.observedGeneration === kustomization.metadata.generation;
        if (ready?.status === 'False' && ready.reason === reason && isNow) return;
        throw new Error(`not yet: ${JSON.stringify(kustomization.status, null, 1)}`);
      });
      return conditionOf(object, 'Ready')?.message ?? '';
    },
    async remove(name) {
      await host.delete(kustomizationResource, { name, namespace });
      await eventually(
        async () => {
          const found = await host.get(kustomizationResource, { name, namespace });
          if (found !== undefined) throw new Error(`still there: ${JSON.stringify(found, null, 1)}`);
        },
        { timeoutMs: REMOVAL_MS },
      );
    },
    configMap: (name, on = host) => on.get(configMapResource, { name, namespace }),
    async writesDuring(prefixOfName, work) {
      await controllers.passes.atRest({ name: prefixOfName, namespace });
      await controllers.eventsWritten();
      const since = await auditPosition(world.host);
      await work();
      await controllers.eventsWritten();
      const entries = await auditEntriesUntilNow(world.host, since);
      const ours = entries.filter(({ objectRef, requestURI }) => {
        const isOurs = objectRef?.namespace === namespace && objectRef.name?.startsWith(prefixOfName) === true;
        return isOurs && !requestURI.includes('dryRun=');
      });
      return ours.map(({ verb, requestURI }) => `${verb} ${requestURI.split('?')[0] ?? ''}`);
    },
    async close() {
      await controllers.stop();
      await managed.close();
      await members.close();
      await erase(host, kustomizationResource, namespace);
      await erase(host, gitRepositoryResource, namespace);
      await Promise.all([host.close(), member.close()]);
      await rm(dir, { recursive: true, force: true });
    },
  };
  return harness;
}
