import { configMapResource, namespaceResource, secretResource } from '#api/core.js';
import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { decodeRelease } from '#controllers/helmrelease/release-codec.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { startTcpProxy, type TcpProxy } from '../../support/proxy.js';
import { eventually } from '../../support/world.js';
import { chartContent } from '../model/content.js';
import { CHILD_RESOURCES } from '../world/kinds.js';
import { kubeconfigThrough, type Fleet, type RealCluster } from './fleet.js';
import { Names, placesIn } from './names.js';
import type { AdaptedStory } from './adapted.js';
import type { RealSources } from './memory.js';
import { breakVersion, mendVersion, type Fault } from './policies.js';
import { HOST, type Running } from './view.js';

const OWNER_LABEL = 'kustomize.toolkit.fluxcd.io/name';
const RELEASE_LABEL = 'owner=helm';
/** The objects that a story leaves on clusters, which the next stories would read. */
const RUNNING = [
  [secretResource, RELEASE_LABEL],
  [configMapResource, OWNER_LABEL],
] as const;
const GONE_MS = 120_000;

/** A member as one story reaches it. */
interface StoryMember extends RealCluster {
  readonly proxy: TcpProxy;
  readonly kubeconfig: string;
  readonly faults: Fault[];
}

type WithData = KubeObject & { readonly data?: Readonly<Record<string, string>> };

async function makeNamespaces(kube: Kube, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await kube.create<KubeObject>(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
}

/** One revision of a Helm release, as the cluster has it. */
export interface ReleaseRevision extends Running {
  readonly number: number;
  /** Times; the first one stays until an uninstall. */
  readonly firstDeployed: string;
  readonly lastDeployed: string;
}

interface StageParts {
  readonly names: Names;
  readonly sources: RealSources;
  /** All namespaces of the story, by their real names. */
  readonly places: readonly string[];
  readonly members: ReadonlyMap<string, StoryMember>;
}

/** Everything that one story has on servers that it shares with others. */
export class Stage {
  readonly names: Names;
  readonly sources: RealSources;
  readonly places: readonly string[];
  readonly members: ReadonlyMap<string, StoryMember>;

  private constructor(
    readonly fleet: Fleet,
    { names, sources, places, members }: StageParts,
  ) {
    this.names = names;
    this.sources = sources;
    this.places = places;
    this.members = members;
  }

  static async build(fleet: Fleet, number: number, story: AdaptedStory): Promise<Stage> {
    const uids = new Map(story.members.map((name, index) => [name, fleet.members[index]?.uid ?? '']));
    const names = new Names(number, uids);
    const { namespace } = names;
    const places = [namespace, ...[...placesIn(story.steps)].map((place) => names.place(place))];
    const members = new Map<string, StoryMember>();
    for (const [index, name] of story.members.entries()) {
      const real = fleet.members[index];
      if (real === undefined) throw new Error(`the story has more members than there are`);
      const { hostname, port } = new URL(real.cluster.server);
      const proxy = await startTcpProxy({ host: hostname, port: Number(port) });
      members.set(name, { ...real, proxy, kubeconfig: await kubeconfigThrough(real, proxy.port), faults: [] });
    }
    for (const { kube } of [fleet.host, ...members.values()]) await makeNamespaces(kube, places);
    const files = await fleet.makeRepository(namespace);
    const sources = { charts: fleet.world.helmRepositoryUrl, files, commits: fleet.commits };
    const stage = new Stage(fleet, { names, sources, places, members });
    await stage.#createSources();
    return stage;
  }

  get host(): Kube {
    return this.fleet.host.kube;
  }

  async #createSources(): Promise<void> {
    const { charts, files } = this.sources;
    const all = [
      [helmRepositoryResource, 'charts', { url: charts }],
      [gitRepositoryResource, 'files', { url: files, ref: { branch: 'main' } }],
    ] as const;
    for (const [type, name, spec] of all) {
      const { kind, group, version } = type;
      const metadata = { name, namespace: this.names.namespace };
      const object = { apiVersion: `${group}/${version}`, kind, metadata, spec: { ...spec, interval: '1h' } };
      await this.host.create<KubeObject>(type, object);
    }
  }

  async list<T extends KubeObject>(type: ResourceType): Promise<T[]> {
    return (await listAll<T>(this.host, type, { namespace: this.names.namespace })).items;
  }

  applications(): Promise<Application[]> {
    return this.list<Application>(applicationResource);
  }

  async children(): Promise<Child[]> {
    return (await Promise.all(CHILD_RESOURCES.map((type) => this.list<Child>(type)))).flat();
  }

  /** The value of a Secret that leads to a cluster of the story, or is no kubeconfig. */
  secretValue(leadsTo: string): string {
    return Buffer.from(this.members.get(leadsTo)?.kubeconfig ?? leadsTo).toString('base64');
  }

  async break(name: string, version: string): Promise<void> {
    const member = this.members.get(name);
    if (member === undefined || member.faults.some((fault) => fault.version === version)) return;
    const fault = { name: `${this.names.namespace}-${version}`, version, namespaces: this.places };
    await breakVersion(member.kube, fault);
    member.faults.push(fault);
  }

  async mend(name: string): Promise<void> {
    const member = this.members.get(name);
    for (const fault of member?.faults.splice(0) ?? []) if (member !== undefined) await mendVersion(member.kube, fault);
  }

  async setDown(name: string, isDown: boolean): Promise<void> {
    const proxy = this.members.get(name)?.proxy;
    if (isDown) await proxy?.refuse();
    else await proxy?.restore();
  }

  /** Everything that runs on the clusters, in the names of the story. */
  async runs(): Promise<Running[]> {
    const clusters = [[HOST, this.fleet.host] as const, ...this.members];
    const found = await Promise.all(
      clusters.map(async ([name, { kube }]) => [
        ...(await this.#releases(name, kube)),
        ...(await this.#files(name, kube)),
      ]),
    );
    return this.names.fromReal(found.flat());
  }

  #isOurs = ({ metadata }: KubeObject): boolean => this.places.includes(metadata.namespace ?? '');

  async #releases(cluster: string, kube: Kube): Promise<Running[]> {
    const newest = new Map<string, ReleaseRevision>();
    for (const each of await this.#revisions(cluster, kube)) {
      const key = `${each.storageNamespace}/${each.name}`;
      if ((newest.get(key)?.number ?? 0) <= each.number) newest.set(key, each);
    }
    return [...newest.values()];
  }

  /** Every revision that Helm keeps of the releases of the story, in the names of the story. */
  async revisions(): Promise<ReleaseRevision[]> {
    const found = await Promise.all([...this.members].map(([name, { kube }]) => this.#revisions(name, kube)));
    return this.names.fromReal(found.flat());
  }

  async #revisions(cluster: string, kube: Kube): Promise<ReleaseRevision[]> {
    const { items: secrets } = await listAll<WithData>(kube, secretResource, { labelSelector: RELEASE_LABEL });
    return secrets.filter(this.#isOurs).map(({ metadata, data }): ReleaseRevision => {
      const record = decodeRelease(data?.['release'] ?? '', metadata.name);
      const { name, namespace, chart, config, info, version: number } = record;
      const { name: chartName, version: chartVersion } = chart.metadata;
      return {
        ...{ kind: 'release', cluster, namespace, storageNamespace: metadata.namespace ?? '', name, number },
        content: chartContent({ chart: chartName, version: chartVersion, values: config ?? {} }),
        isFailed: info.status !== 'deployed',
        ...{ firstDeployed: info.first_deployed ?? '', lastDeployed: info.last_deployed ?? '' },
      };
    });
  }

  async #files(cluster: string, kube: Kube): Promise<Running[]> {
    const { items: objects } = await listAll<WithData>(kube, configMapResource, { labelSelector: OWNER_LABEL });
    return objects.filter(this.#isOurs).map(({ metadata, data }) => ({
      ...{ kind: 'files', cluster, namespace: metadata.namespace ?? '', storageNamespace: '', name: metadata.name },
      ...{ content: this.fleet.commits[Number(data?.['commit'] ?? 0) - 1] ?? '', isFailed: false },
    }));
  }

  /** Removes all that the story has on the servers. */
  async clear(): Promise<void> {
    const { namespace } = this.names;
    await this.host.delete(namespaceResource, { name: namespace });
    await eventually(
      async () => {
        for (const type of [applicationResource, ...CHILD_RESOURCES]) await this.#letGo(type);
        if ((await this.host.get(namespaceResource, { name: namespace })) !== undefined) {
          throw new Error(`namespace ${namespace} is still there`);
        }
      },
      { timeoutMs: GONE_MS },
    );
    for (const name of this.members.keys()) await this.mend(name);
    await this.leave();
    for (const { kube } of [this.fleet.host, ...this.members.values()]) {
      // On a member, nobody empties namespaces.
      for (const [type, labelSelector] of RUNNING) {
        const found = (await listAll(kube, type, { labelSelector })).items.filter(this.#isOurs);
        for (const { metadata } of found) await kube.delete(type, metadata);
      }
      for (const name of this.places) await kube.delete(namespaceResource, { name });
    }
  }

  /** Ends what this process has for the story, and removes nothing. */
  async leave(): Promise<void> {
    for (const { proxy } of this.members.values()) await proxy.close();
  }

  async #letGo(type: ResourceType): Promise<void> {
    for (const { metadata } of await this.list(type)) {
      if ((metadata.finalizers ?? []).length === 0) continue;
      const body = { metadata: { finalizers: null } };
      // Somebody else may have let it go in between.
      await this.host.patch(type, metadata, { type: 'merge', body }).catch(() => undefined);
    }
  }
}
