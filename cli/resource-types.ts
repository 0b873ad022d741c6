import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { groupVersionPath } from '#lib/net/urls.js';

interface ResourceList {
  resources?: { name: string; kind: string; namespaced: boolean }[];
}

/** Looks up what a cluster calls the kinds of manifests; each group version is asked for once. */
export class ResourceTypes {
  readonly #kube: Kube;
  readonly #lists = new Map<string, Promise<ResourceList>>();

  constructor(kube: Kube) {
    this.#kube = kube;
  }

  #list(apiVersion: string): Promise<ResourceList> {
    const known = this.#lists.get(apiVersion);
    if (known !== undefined) return known;
    const path = groupVersionPath(apiVersion);
    // The API server's own APIResourceList.
    const list = path === undefined ? Promise.resolve({}) : (this.#kube.read(path) as Promise<ResourceList>);
    this.#lists.set(apiVersion, list);
    return list;
  }

  /** Throws when the cluster does not serve the kind. */
  async of({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): Promise<ResourceType> {
    const { resources = [] } = await this.#list(apiVersion);
    const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (found === undefined) throw new Error(`${this.#kube.server} does not serve ${kind} of ${apiVersion}`);
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/', 2) : ['', apiVersion];
    return { group: group ?? '', version: version ?? '', kind, plural: found.name, namespaced: found.namespaced };
  }
}
