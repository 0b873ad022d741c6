import { gitRepositoryResource } from '#api/flux/git-repository.js';
import { helmRepositoryResource } from '#api/flux/helm-repository.js';
import type { KubeObject, ObjectRef, ResourceType } from '#api/meta.js';
import type { DeleteOptions, Patch } from '#runtime/client/kube.js';
import { createSources } from '../story/perform-objects.js';
import { doStep } from '../story/perform.js';
import type { Step } from '../story/steps.js';
import type { MemoryServer } from '../world/server.js';
import { NAMESPACE, USER, World } from '../world/world.js';
import { HOST, hostView, type Running, type View } from './view.js';

/** One request of a user, as the world in memory took it. */
export type UserRequest =
  | { readonly verb: 'create'; readonly type: ResourceType; readonly object: KubeObject }
  | { readonly verb: 'update'; readonly type: ResourceType; readonly object: KubeObject }
  | {
      readonly verb: 'patch';
      readonly type: ResourceType;
      readonly ref: ObjectRef;
      readonly patch: Patch;
      readonly subresource?: 'status' | undefined;
    }
  | { readonly verb: 'delete'; readonly type: ResourceType; readonly ref: ObjectRef; readonly options: DeleteOptions };

/** The sources of a story on real servers. */
export interface RealSources {
  readonly charts: string;
  readonly files: string;
  /** The commits of the files, the first one first. */
  readonly commits: readonly string[];
}

/** Calls `hear` for each request of users that the server takes. */
function hearUsers(server: MemoryServer, hear: (request: UserRequest) => void): void {
  const create = server.create.bind(server);
  const update = server.update.bind(server);
  const patch = server.patch.bind(server);
  const remove = server.delete.bind(server);
  const isUser = ({ actor }: { readonly actor: string }): boolean => actor === USER.actor;
  server.create = (type, object, asking) => {
    const created = create(type, object, asking);
    if (isUser(asking)) hear({ verb: 'create', type, object });
    return created;
  };
  server.update = (type, object, asking) => {
    const updated = update(type, object, asking);
    if (isUser(asking)) hear({ verb: 'update', type, object });
    return updated;
  };
  server.patch = (type, ref, body, asking) => {
    const patched = patch(type, ref, body, asking);
    if (isUser(asking)) hear({ verb: 'patch', type, ref, patch: body, subresource: asking.subresource });
    return patched;
  };
  server.delete = (type, ref, options, asking) => {
    const existed = remove(type, ref, options, asking);
    if (isUser(asking) && existed) hear({ verb: 'delete', type, ref, options });
    return existed;
  };
}

/** The world in memory, as the model of what real servers do. */
export class MemorySide {
  readonly world = new World();
  readonly #commits: readonly string[];
  readonly #done: Step[] = [];
  #requests: UserRequest[] = [];

  constructor(
    readonly members: readonly string[],
    readonly sources: RealSources,
  ) {
    const { world } = this;
    const { charts, files, commits } = sources;
    for (const uid of members) world.members.add(uid);
    createSources(world);
    // Names of copies of a source depend on its spec.
    const urls = [
      [helmRepositoryResource, 'charts', charts],
      [gitRepositoryResource, 'files', files],
    ] as const;
    for (const [type, name, url] of urls) {
      const body = { spec: { url, interval: '1h' } };
      world.server.patch(type, { name, namespace: NAMESPACE }, { type: 'merge', body }, USER);
    }
    this.#commits = commits;
    world.head = commits[0] ?? '';
    hearUsers(world.server, (request) => this.#requests.push(request));
  }

  /** Does a step. Returns the requests of users in it; undefined: it means nothing here. */
  perform(step: Step): readonly UserRequest[] | undefined {
    this.#requests = [];
    this.#done.push(step);
    const isMeant = doStep(this.world, step);
    if (step.do === 'commit') this.world.head = this.#commits[step.number - 1] ?? '';
    return isMeant ? this.#requests : undefined;
  }

  /** Everybody works, as far as the seconds of the step go. */
  async settle({ seconds }: Step): Promise<void> {
    await this.world.settle(seconds);
  }

  /** A world as it would be now without the last step. */
  async withoutLast(): Promise<MemorySide> {
    const again = new MemorySide(this.members, this.sources);
    for (const step of this.#done.slice(0, -1)) {
      again.perform(step);
      if (step.seconds > 0) await again.settle(step);
    }
    return again;
  }
}

/** The view of the host in memory. */
export function memoryView(world: World): View {
  return hostView(world.applications(), world.children());
}

/** Everything that runs on the clusters in memory. */
export function memoryRuns(world: World): Running[] {
  const named = (uid: string): string => (uid === world.hostUid ? HOST : uid);
  const releases = world.members.installed().filter(({ place }) => place.kind === 'HelmRelease');
  const files = world.members.workloads().filter(({ place }) => place.kind === 'Kustomization');
  return [
    ...releases.map(({ place, content, isFailed }): Running => ({
      ...{ ...place, kind: 'release', cluster: named(place.cluster), content, isFailed },
    })),
    ...files.map(({ place, version, isFailed }): Running => ({
      ...{ kind: 'files', cluster: named(place.cluster), namespace: place.namespace, storageNamespace: '' },
      ...{ name: place.name.replace(/^.*\//, ''), content: version.replace(/^.*:/, ''), isFailed },
    })),
  ];
}
