import { chartContent, filesContent, type Content } from './content.js';
import type { ApplicationName, ClusterObject, ClusterUid, Target, World } from './facts.js';
import { gateFor, merge, valuesFor, type Evaluated } from './layers.js';
import type { RuleName } from './rules.js';
import type { DestinationSpec, Entry, Fields, Wish } from './wish.js';

type Way = 'host' | 'kubeConfig' | 'clusterRef' | 'clusterSelector';

/** One entry on one cluster. */
export interface Destination {
  readonly application: ApplicationName;
  /** Names the destination as long as its cluster object, namespace and name stay. */
  readonly id: string;
  readonly entry: number;
  readonly entryName?: string | undefined;
  readonly way: Way;
  /** Names the object that describes the cluster. */
  readonly clusterKey: string;
  /** Name of the cluster, as the status has it. */
  readonly clusterName: string;
  /** Undefined for the host. */
  readonly cluster?: ClusterObject | undefined;
  /** Where the credential leads now; undefined if it is broken or missing. */
  readonly leadsTo?: ClusterUid | undefined;
  readonly place: Omit<Target, 'cluster'>;
  /** Undefined if the model cannot compute it, e.g. because of a `valuesTemplate`. */
  readonly content?: Content | undefined;
  readonly isSuspended: boolean;
  readonly isOnce: boolean;
  /** True if an override of the entry has `mode: Once`, on whatever clusters. */
  readonly mayBeOnce: boolean;
  /** Why nothing new is installed there yet. */
  readonly closedBy?: 'readyGate' | 'clusterNotReady' | undefined;
  readonly keepsFiles: boolean;
  readonly fromTemplate: boolean;
  readonly keepsChartChange: boolean;
  readonly rejected?: RuleName | undefined;
}

/** An entry of which nobody can tell which releases it means. */
interface Unclear {
  readonly entry: Entry;
  readonly rule: RuleName;
}

export interface Expanded {
  readonly destinations: readonly Destination[];
  readonly unclear: readonly Unclear[];
  /** Those on clusters that are not found: they are rejected, and members of the stages that name their clusters. */
  readonly missing: readonly Destination[];
}

interface Place {
  readonly way: Way;
  readonly key: string;
  readonly cluster?: ClusterObject | undefined;
  readonly name: string;
  readonly leadsTo?: ClusterUid | undefined;
}

export const clusterKeyOf = ({ kind, namespace, name }: ClusterObject): string => `${kind}/${namespace}/${name}`;

/** True if the object describes a cluster of the inventory. */
export function isInventory({ kind, labels }: ClusterObject): boolean {
  const isArgo = labels['argocd.argoproj.io/secret-type'] === 'cluster';
  return kind !== 'Secret' || labels['gitops.kubesphere.io/cluster'] === 'true' || isArgo;
}

export const isGranted = ({ namespace: own, grantedTo = [] }: ClusterObject, namespace: string): boolean =>
  (own === namespace && own !== '') || grantedTo.includes(namespace);

/** Only this cluster has it; users may write it wherever they name a cluster. */
export const fullNameOf = ({ kind, namespace, name }: ClusterObject): string =>
  [kind, ...(namespace === '' ? [] : [namespace]), name].join('/');

const nameIn = ({ namespace, name }: ClusterObject, own: string): string =>
  namespace === '' || namespace === own ? name : `${namespace}/${name}`;

type Selector = NonNullable<DestinationSpec['clusterSelector']>;
type Requirement = NonNullable<Selector['matchExpressions']>[number];
type Labels = Readonly<Record<string, string>>;

function holds({ key, operator, values = [] }: Requirement, labels: Labels): boolean {
  const value = labels[key];
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  const isIn = value !== undefined && values.includes(value);
  return operator === 'In' ? isIn : !isIn;
}

const isEmpty = ({ matchLabels = {}, matchExpressions = [] }: Omit<Selector, 'exclude'>): boolean =>
  Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;

/** True if the labels fulfil all requirements. An empty selector matches nothing. */
export function matches(selector: Omit<Selector, 'exclude'>, labels: Labels): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const hasLabels = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return !isEmpty(selector) && hasLabels && matchExpressions.every((each) => holds(each, labels));
}

/** The clusters that an entry may use. Clusters of a kind that cannot be read are not among them. */
function usable(world: World, namespace: string): ClusterObject[] {
  const isRead = ({ kind }: ClusterObject): boolean => !world.unreadKinds.includes(kind);
  return world.clusters.filter((each) => isInventory(each) && isRead(each) && isGranted(each, namespace));
}

function placeOf(cluster: ClusterObject, way: Way, namespace: string): Place {
  return { way, key: clusterKeyOf(cluster), cluster, name: nameIn(cluster, namespace), leadsTo: cluster.leadsTo };
}

function secretPlace(spec: NonNullable<DestinationSpec['kubeConfig']>, world: World, namespace: string): Place {
  const { name } = spec.secretRef;
  const isIt = (each: ClusterObject): boolean =>
    each.kind === 'Secret' && each.namespace === namespace && each.name === name;
  const cluster = world.clusters.find(isIt);
  return { way: 'kubeConfig', key: `Secret/${namespace}/${name}`, name, cluster, leadsTo: cluster?.leadsTo };
}

function referredPlace(ref: NonNullable<DestinationSpec['clusterRef']>, all: ClusterObject[], namespace: string) {
  const kind = ref.apiGroup === undefined || ref.apiGroup === '' ? ref.kind : `${ref.kind}.${ref.apiGroup}`;
  const where = kind === 'Cluster' ? '' : (ref.namespace ?? namespace);
  const isIt = (each: ClusterObject): boolean =>
    each.kind === kind && each.name === ref.name && each.namespace === where;
  const cluster = all.find(isIt);
  return cluster === undefined ? undefined : placeOf(cluster, 'clusterRef', namespace);
}

/** The clusters of an entry, or the rule by which it is unclear. */
function placesOf({ destination }: Entry, world: World, namespace: string): readonly Place[] | RuleName {
  if (destination === undefined) return 'unclearEntry';
  const { kubeConfig, clusterRef, clusterSelector } = destination;
  if ([kubeConfig, clusterRef, clusterSelector].filter((way) => way !== undefined).length > 1) return 'unclearEntry';
  if (kubeConfig !== undefined) return [secretPlace(kubeConfig, world, namespace)];
  const all = usable(world, namespace);
  if (clusterRef !== undefined) {
    const place = referredPlace(clusterRef, all, namespace);
    return place === undefined ? 'clusterNotFound' : [place];
  }
  if (clusterSelector === undefined) return [{ way: 'host', key: 'host', name: 'host', leadsTo: world.host }];
  if (isEmpty(clusterSelector)) return 'emptySelector';
  const candidates = all.filter((each) => matches(clusterSelector, each.labels));
  const { exclude = [] } = clusterSelector;
  const withName = (name: string): ClusterObject[] =>
    candidates.filter((each) => name === nameIn(each, namespace) || name === fullNameOf(each));
  if (exclude.some((name) => withName(name).length > 1)) return 'nameOfTwo';
  const excluded = exclude.flatMap(withName);
  const selected = candidates.filter((each) => !excluded.includes(each));
  return selected.map((each) => placeOf(each, 'clusterSelector', namespace));
}

function isOverridden(place: Place, { names, selector }: { names?: string[]; selector?: object }): boolean {
  const isNamed = names?.includes(place.name) ?? true;
  return isNamed && (selector === undefined || matches(selector, place.cluster?.labels ?? {}));
}

/** The fields of an entry on one cluster. `suspend` and `paused` are two names of one field. */
function fieldsOn(entry: Entry, place: Place): Fields {
  const layers = entry.overrides.filter(({ clusters }) => isOverridden(place, clusters));
  return layers.reduce<Fields>(
    (fields, layer) => merge(merge(fields, layer), { suspend: layer.suspend ?? layer.paused }),
    entry.fields,
  );
}

interface Made {
  readonly content?: Content | undefined;
  readonly rejected?: RuleName | undefined;
}

/** Values of an entry that uses the inventory may have expressions. */
function evaluated(values: object, cluster: ClusterObject | undefined): Evaluated {
  if (cluster === undefined) return { values };
  return valuesFor(values, { name: cluster.name, namespace: cluster.namespace, labels: cluster.labels });
}

function contentOn({ files, chart, version }: Entry, fields: Fields, { way, cluster }: Place): Made {
  if (files !== '') return { content: filesContent(fields) };
  const usesInventory = way === 'clusterRef' || way === 'clusterSelector';
  if (usesInventory && given(fields.valuesTemplate, '') !== '') return {};
  const made = evaluated(fields.values ?? {}, usesInventory ? cluster : undefined);
  if ('values' in made) return { content: chartContent({ chart, version, values: made.values }) };
  return made.problem === 'missing' ? { rejected: 'valuesInvalid' } : {};
}

/** An empty text of a field means that it is not set. */
const given = (text: string | undefined, otherwise: string): string =>
  text === undefined || text === '' ? otherwise : text;

function targetOf(entry: Entry, wish: Wish): Omit<Target, 'cluster'> {
  const { kind, namespace: own, application } = wish;
  const namespace = given(entry.destination?.targetNamespace, kind === 'Kustomization' ? '' : own);
  if (kind === 'Kustomization') return { kind, namespace, name: entry.files, storage: '' };
  const name = given(entry.fields.releaseName, application.split('/')[1] ?? '');
  return { kind, namespace, name, storage: given(entry.fields.storageNamespace, namespace) };
}

function closedBy({ ready }: Fields, { cluster }: Place): Destination['closedBy'] {
  if (cluster === undefined) return undefined;
  if (ready === undefined || ready === '') return cluster.notReady === true ? 'clusterNotReady' : undefined;
  return gateFor(ready, cluster) === false ? 'readyGate' : undefined;
}

/** Layers for single clusters need clusters of the inventory. */
function needsInventory({ overrides }: Entry, { valuesTemplate }: Fields, { way }: Place): boolean {
  const usesInventory = way === 'clusterRef' || way === 'clusterSelector';
  return !usesInventory && (overrides.length > 0 || given(valuesTemplate, '') !== '');
}

function destinationOn(wish: Wish, entry: Entry, place: Place): Destination {
  const fields = fieldsOn(entry, place);
  const target = targetOf(entry, wish);
  const made = contentOn(entry, fields, place);
  return {
    application: wish.application,
    id: [wish.application, place.key, target.kind, target.namespace, target.storage, target.name].join('|'),
    entry: entry.index,
    entryName: entry.name,
    way: place.way,
    clusterKey: place.key,
    clusterName: place.name,
    cluster: place.cluster,
    leadsTo: place.leadsTo,
    place: target,
    content: made.content,
    isSuspended: fields.suspend === true,
    isOnce: fields.mode === 'Once',
    mayBeOnce: entry.overrides.some(({ mode }) => mode === 'Once'),
    closedBy: closedBy(fields, place),
    keepsFiles: fields.prune === false,
    fromTemplate: entry.fromTemplate,
    keepsChartChange: fields.upgrade?.chartNameChangeStrategy === 'InPlaceUpdate',
    rejected: entry.rejected ?? (needsInventory(entry, fields, place) ? 'overridesInvalid' : made.rejected),
  };
}

/** Returns the same text for two entries of one Application that mean the same destination. */
const identityOf = ({ place, clusterKey, entryName = '' }: Destination): string =>
  place.kind === 'HelmRelease'
    ? [clusterKey, place.storage, place.name].join('|')
    : [clusterKey, place.namespace, entryName].join('|');

function withDuplicates(all: readonly Destination[]): Destination[] {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(identityOf(each), (counts.get(identityOf(each)) ?? 0) + 1);
  return all.map((each) => ((counts.get(identityOf(each)) ?? 0) > 1 ? { ...each, rejected: 'duplicate' } : each));
}

/** Entries of one name are rejected, wherever they are. */
function withSharedNames(all: readonly Destination[]): Destination[] {
  const isShared = ({ entryName, entry }: Destination): boolean =>
    entryName !== undefined && all.some((other) => other.entryName === entryName && other.entry !== entry);
  return all.map((each) => (isShared(each) ? { ...each, rejected: each.rejected ?? 'sharedName' } : each));
}

/** The destination of an entry that names a cluster which does not exist. */
function missingDestination(wish: Wish, entry: Entry): Destination {
  const { kind = '', name = '' } = entry.destination?.clusterRef ?? {};
  const place: Place = { way: 'clusterRef', key: `${kind}/${wish.namespace}/${name}`, name };
  return { ...destinationOn(wish, entry, place), rejected: 'clusterNotFound' };
}

/** The destinations of a wish on the clusters that there are now. An earlier wish can be expanded in the same way. */
export function expand(wish: Wish, world: World): Expanded {
  const unclear: Unclear[] = [];
  const destinations: Destination[] = [];
  for (const entry of wish.entries) {
    const places = placesOf(entry, world, wish.namespace);
    if (typeof places === 'string') unclear.push({ entry, rule: places });
    else destinations.push(...places.map((place) => destinationOn(wish, entry, place)));
  }
  const notFound = unclear.filter(({ rule }) => rule === 'clusterNotFound');
  const missing = notFound.map(({ entry }) => missingDestination(wish, entry));
  return { destinations: withSharedNames(withDuplicates(destinations)), unclear, missing };
}
