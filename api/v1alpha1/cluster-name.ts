/** Clusters that a name in an error lists. */
const NAMED = 5;
const FULL = /^(Cluster|ClusterProfile|Secret|ConfigMap)\/(?:([^/]+)\/)?([^/]+)$/;

/** The object in a full name of a cluster, `KIND/NAMESPACE/NAME` or `KIND/NAME`; undefined for a short one. */
export function readFullName(
  text: string,
): { readonly namespace: string | undefined; readonly name: string } | undefined {
  const [, kind, namespace, name = ''] = FULL.exec(text) ?? [];
  return kind === undefined ? undefined : { namespace, name };
}

/** The short name in a text that may be a full one. */
function shortNameIn(own: string | undefined, text: string): string {
  const { namespace, name } = readFullName(text) ?? { namespace: undefined, name: text };
  return namespace === undefined || namespace === own ? name : `${namespace}/${name}`;
}

/**
 * The cluster among `shown`, the names in a status, that users mean by `name`; undefined: none. Two clusters that have
 * one name are shown with their full names: the short one means neither.
 */
export function shownCluster(
  name: string,
  shown: readonly string[],
  namespace: string | undefined,
): string | { readonly problem: string } | undefined {
  if (shown.includes(name)) return name;
  const short = shortNameIn(namespace, name);
  const isFull = short !== name;
  const found = [...new Set(shown)].filter((each) => {
    const own = shortNameIn(namespace, each);
    return own === short && (!isFull || own === each);
  });
  return found.length > 1 ? { problem: sharedName(name, found) } : found[0];
}

/** Says that a name is of several clusters, and the names to use instead. */
export function sharedName(name: string, fullNames: readonly string[]): string {
  const named = [...fullNames].sort().slice(0, NAMED).join(', ');
  return `${JSON.stringify(name)} is the name of ${fullNames.length} clusters: use one of ${named}`;
}
