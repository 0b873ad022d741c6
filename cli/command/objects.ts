import type { Operation } from 'fast-json-patch';
import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube, ApplyOptions } from '#runtime/client/kube.js';
import { groupVersionPath } from '#lib/net/urls.js';
import { differences } from '#engine/drift/difference.js';
import { isNotFound } from '#lib/errors.js';

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

const INSTALLER = { fieldManager: 'fairlead-install', force: true } as const;

/** What an apply did to an object, or would do. */
export interface Applied {
  readonly action: 'created' | 'configured' | 'unchanged';
  readonly changes: readonly Operation[];
}

export interface ApplyMode {
  readonly dryRun: boolean;
  /** Who writes, and whether it takes fields over from others; default: the installer, which does. */
  readonly writer?: Pick<ApplyOptions, 'fieldManager' | 'force'> | undefined;
  /** Called after every change of the cluster. */
  readonly onWrite?: (() => void) | undefined;
}

/** In a dry run, what would be in a namespace that does not exist yet cannot be tried. */
function nothingIfNoNamespace(error: unknown, { dryRun }: ApplyMode): undefined {
  if (dryRun && isNotFound(error)) return undefined;
  throw error;
}

function appliedOf(live: KubeObject | undefined, after: KubeObject | undefined): Applied {
  if (live === undefined || after === undefined) return { action: 'created', changes: [] };
  const changes = differences({ ...live }, { ...after }, []);
  return { action: changes.length === 0 ? 'unchanged' : 'configured', changes };
}

/** Applies one object, or asks the server what that would change. */
export async function applyObject(
  kube: Kube,
  { type, object }: { readonly type: ResourceType; readonly object: KubeObject },
  mode: ApplyMode,
): Promise<Applied> {
  const live = await kube.get(type, object.metadata);
  const options = { ...(mode.writer ?? INSTALLER), dryRun: mode.dryRun };
  const after = await kube.apply(type, object, options).catch((error: unknown) => nothingIfNoNamespace(error, mode));
  const applied = appliedOf(live, after);
  if (!mode.dryRun && applied.action !== 'unchanged') mode.onWrite?.();
  return applied;
}
