import type { KubeObject, ResourceType } from '#api/meta.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';

const PAGE = 500;
/** Nobody waits for the rest of a list of thousands. */
const MOST_PAGES = 6;
/** Objects of a list that are read at most. */
export const MOST_LISTED = MOST_PAGES * PAGE;

/** Behind those, only what fails is kept, by who looks for that. */
export const MOST_SEARCHED = 20 * PAGE;

export interface Listing {
  readonly kube: Kube;
  readonly type: ResourceType;
  readonly query: ListQuery;
  /** Objects that are read at most; default 3,000. */
  readonly most?: number;
}

function wayOut(what: string): string {
  return `kubectl get ${what} on the cluster itself lists them all`;
}

/** Says that a namespace has more than are read, and where they are. */
export function cutList(namespace: string, plural: string): string {
  return `namespace ${namespace} has more than ${MOST_LISTED} ${plural}: some are missing; ${wayOut(plural)}`;
}

/** Of objects in more namespaces than are read. */
export function cutNamespaces(objects: string, most: number, plural: string): string {
  return `${objects} are in more than ${most} namespaces: some ${plural} are missing; ${wayOut(`${plural} -A`)}`;
}

/** The pages of a list, one held at a time, as far as they are read; in the end true if there are more. */
export async function* pagesOf<T extends KubeObject>({
  kube,
  type,
  query,
  most = MOST_LISTED,
}: Listing): AsyncGenerator<readonly T[], boolean> {
  let continueToken: string | undefined;
  let limit = PAGE;
  for (let read = 0; read < most;) {
    const next = continueToken === undefined ? {} : { continueToken };
    const found = await kube.list<T>(type, { ...query, ...next, limit, mayBeShort: true });
    yield found.items;
    ({ continueToken } = found);
    // A page with fewer objects counts as a full one: it must not go on for ever.
    read += Math.max(Math.min(limit, found.limit ?? limit), found.items.length);
    limit = found.limit ?? limit;
    if (continueToken === undefined) return false;
  }
  return true;
}
