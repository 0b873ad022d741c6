import jsonPatch, { type Operation } from 'fast-json-patch';
import type { KubeObject } from '#api/meta.js';
import { cutMiddle, listed, pointerText } from '#lib/text/text.js';
import { HASH_LENGTH, shortHash } from '#lib/hash.js';
import { describeObject } from '#lib/net/urls.js';
import type { ChildSpec } from './types.js';

const MAX_MESSAGE = 300;
const ELLIPSIS = ' ... ';

/** `HelmRelease namespace/name`. */
export function describeChild(child: KubeObject): string {
  return describeObject(child.kind, child.metadata);
}

/**
 * One line of at most `limit` characters. The start says what failed and the end says why (errors put their cause
 * last), so a long text loses its middle.
 */
export function shortened(text: string, limit = MAX_MESSAGE): string {
  return cutMiddle(text.replaceAll(/\s+/g, ' ').trim(), limit, ELLIPSIS);
}

/** Says what becomes of a child that is not deleted although no entry wants it. */
export function leftUnchanged(why: string): string {
  return `left unchanged, ${why}`;
}

/** More objects are only counted: an event has room for a thousand characters. */
const NAMED_CHILDREN = 5;

/** Several children of one kind and namespace, e.g. `3 HelmReleases in shop (web-a, web-b, web-c)`. */
export function describeChildren(children: readonly KubeObject[]): string {
  const names = children.map(({ metadata }) => metadata.name);
  const [first] = children;
  const place = first?.metadata.namespace ?? 'the cluster';
  return `${names.length} ${first?.kind ?? 'object'}s in ${place} (${listed(names, NAMED_CHILDREN)})`;
}

const MAX_LABEL_VALUE = 63;

/** A label value for an object's name: the name itself, or its start and a hash when it is over 63 characters. */
export function labelValue(name: string): string {
  if (name.length <= MAX_LABEL_VALUE) return name;
  const start = name.slice(0, MAX_LABEL_VALUE - HASH_LENGTH - 1).replace(/[^a-zA-Z0-9]+$/, '');
  return `${start}-${shortHash(name)}`;
}

/**
 * Key of a destination as ks-devops made it and the console reads it: the target namespace, with the name of the
 * kubeconfig Secret in front for a member; `host` when there is neither. Not unique (`a`+`b-c` and `a-b`+`c`), so never
 * an identity.
 */
export function destinationKey(secretName: string | undefined, targetNamespace: string | undefined): string {
  const parts = [secretName, targetNamespace].filter((part) => part !== undefined);
  return parts.length === 0 ? 'host' : parts.join('-');
}

/**
 * Key under which the console looks a destination up in the status: as ks-devops makes it, nothing stands for a target
 * namespace that the entry leaves open.
 */
export function consoleKey(secretName: string | undefined, statedNamespace = ''): string {
  return secretName === undefined ? statedNamespace : `${secretName}-${statedNamespace}`;
}

/**
 * The text in place of the release name where there is no release: the Application, and the name of the entry if any.
 */
export function filesName(application: string, entryName: string | undefined): string {
  return entryName === undefined ? labelValue(application) : `${labelValue(application)}/${entryName}`;
}

const NAMED = 10;

/** Warns of `names` in an annotation that no destination is on; undefined if there are none. `clusters`: where they are. */
export function unknownClusters(
  annotation: string,
  names: Iterable<string>,
  clusters: readonly string[],
): string | undefined {
  const known = new Set(clusters);
  const unknown = [...names].filter((name) => !known.has(name)).map((name) => JSON.stringify(name));
  if (unknown.length === 0) return undefined;
  const there = known.size === 0 ? 'none is left' : `they are on ${listed([...known].sort(), NAMED)}`;
  return `annotation ${annotation}: no destination is on ${listed(unknown, NAMED)} (${there}); correct the name, or remove it`;
}

/** More paths than these are counted: an event is read by people. */
const MAX_PATHS = 4;

/** JSON pointers of fields in which no schema has a default: what is not there any more was removed. */
const WITHOUT_DEFAULTS = [
  ...['/values', '/valuesFrom', '/postRenderers', '/patches', '/images', '/commonMetadata'],
  ...['/postBuild/substitute', '/chart/metadata'],
];

/** True for what a schema may have added to what we wrote: no value of users, and no item of a list. */
function mayBeDefault(path: string, live: ChildSpec): boolean {
  if (WITHOUT_DEFAULTS.some((field) => path.startsWith(`${field}/`))) return false;
  return !Array.isArray(jsonPatch.getValueByPointer(live, path.slice(0, path.lastIndexOf('/'))));
}

/** A field that only exists on the server, below one of ours, is a default of the schema: apply does not change it. */
function isDefault({ op, path }: Operation, live: ChildSpec, desired: ChildSpec): boolean {
  const [, top = ''] = path.split('/');
  return op === 'remove' && Object.hasOwn(desired, top) && path !== `/${top}` && mayBeDefault(path, live);
}

/** The fields of the spec that differ, as paths without their values (which may be secret). Never throws. */
export function changedPaths(live: ChildSpec, desired: ChildSpec): string[] {
  const operations = jsonPatch.compare(live, desired).filter((operation) => !isDefault(operation, live, desired));
  return [...new Set(operations.map(({ path }) => pointerText(path)))].sort();
}

/** The paths for people: the first few, and how many more there are. */
export function listPaths(paths: readonly string[]): string {
  return listed(paths, MAX_PATHS);
}

const CHART_VERSION_PATH = 'chart.spec.version';

function chartVersion(spec: ChildSpec): string | undefined {
  // The chart template is ours or Flux's schema; anything else reads as no version.
  const chart = spec['chart'] as { spec?: { version?: string } } | undefined;
  return chart?.spec?.version;
}

/** The changed fields of the spec as paths; the chart version with both values. Field order does not matter. */
export function changesOf(live: ChildSpec, desired: ChildSpec): string {
  const [from, to] = [chartVersion(live), chartVersion(desired)];
  const paths = changedPaths(live, desired);
  if (from === to) return listPaths(paths);
  const others = paths.filter((path) => path !== CHART_VERSION_PATH);
  return listPaths([`chart version ${from ?? '*'} -> ${to ?? '*'}`, ...others]);
}
