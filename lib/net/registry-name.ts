/** A repository of a registry. */
export interface RegistryRepository {
  /** Host, with its port if it has one. */
  readonly host: string;
  /** Path below the host, e.g. `charts/web`. */
  readonly name: string;
}

const SCHEME = 'oci://';
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/;
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_{1,2}|-+)[a-z0-9]+)*$/;
const MAX_NAME = 255;
/** Docker Hub has another name in images than its registry has. */
const DOCKER_HUB = { image: 'docker.io', registry: 'index.docker.io', namespace: 'library' } as const;

function isName(path: readonly string[]): boolean {
  return path.length > 0 && path.join('/').length <= MAX_NAME && path.every((each) => COMPONENT.test(each));
}

/** The repository that `oci://HOST/REPOSITORY` names; undefined for any other text. */
export function registryRepository(url: string): RegistryRepository | undefined {
  if (!url.startsWith(SCHEME)) return undefined;
  const [host = '', ...path] = url.slice(SCHEME.length).replace(/\/+$/, '').split('/');
  if (!HOST.test(host) || !URL.canParse(`https://${host}/`) || !isName(path)) return undefined;
  const name = path.join('/');
  if (host !== DOCKER_HUB.image && host !== DOCKER_HUB.registry) return { host, name };
  return { host: DOCKER_HUB.registry, name: path.length === 1 ? `${DOCKER_HUB.namespace}/${name}` : name };
}
