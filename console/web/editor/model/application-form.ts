import { isMap, type PlainMap } from '#lib/plain.js';
import { valueAt, type Edit, type Path } from '../../model/yaml-edit.js';

/** What an Application is made of; what none of them fits is only edited as YAML. */
export const WAYS = ['chart', 'inline', 'template', 'files', 'fileTemplate'] as const;
export type Way = (typeof WAYS)[number];

/** How a destination names its cluster. */
export const TARGETS = ['here', 'kubeConfig', 'clusterRef', 'clusterSelector'] as const;
export type Target = (typeof TARGETS)[number];

/** A flag that need not be said. */
export const YES_OR_NO = ['', 'true', 'false'] as const;
export type YesOrNo = (typeof YES_OR_NO)[number];

export interface DestinationForm {
  readonly path: Path;
  readonly name: string;
  readonly target: Target;
  /** Of the Secret, or of the object of the cluster. */
  readonly cluster: string;
  readonly namespace: string;
  readonly template: string;
  /** Of files. */
  readonly folder: string;
  /** Of files; empty: it is not said. */
  readonly prune: YesOrNo;
  /** Of a chart; empty: it is not said. */
  readonly createsNamespace: YesOrNo;
  readonly hasValues: boolean;
  /** Other fields that are set. */
  readonly others: readonly string[];
}

export interface ApplicationForm {
  readonly namespace: string;
  readonly name: string;
  readonly way: Way | undefined;
  readonly destinations: readonly DestinationForm[];
  /** Fields of the Application that the form does not show. */
  readonly others: readonly string[];
}

const SPEC = ['spec', 'fluxApp', 'spec'];
const CONFIG = [...SPEC, 'config'];
const RELEASE = [...CONFIG, 'helmRelease'];

/** Where the fields are, in every Application. */
export const PLACES = {
  namespace: ['metadata', 'namespace'],
  name: ['metadata', 'name'],
  source: [...SPEC, 'source'],
  sourceKind: [...SPEC, 'source', 'sourceRef', 'kind'],
  sourceName: [...SPEC, 'source', 'sourceRef', 'name'],
  sourceNamespace: [...SPEC, 'source', 'sourceRef', 'namespace'],
  repo: [...SPEC, 'source', 'inline', 'repo'],
  inlineChart: [...SPEC, 'source', 'inline', 'chart'],
  inlineVersion: [...SPEC, 'source', 'inline', 'version'],
  chart: [...RELEASE, 'chart', 'chart'],
  version: [...RELEASE, 'chart', 'version'],
  template: [...RELEASE, 'template'],
  release: RELEASE,
  releaseChart: [...RELEASE, 'chart'],
  deploy: [...RELEASE, 'deploy'],
  files: [...CONFIG, 'kustomization'],
} as const satisfies Record<string, Path>;

/** Of the whole Application, where few set one. */
export const SETTINGS = {
  interval: [...SPEC, 'interval'],
  timeout: [...CONFIG, 'timeout'],
  suspend: [...CONFIG, 'suspend'],
  history: ['spec', 'revisionHistoryLimit'],
  deletion: ['spec', 'deletionPolicy'],
  removals: ['spec', 'maxRemovals'],
} as const satisfies Record<string, Path>;

const SHOWN = [
  ...['source.sourceRef.kind', 'source.sourceRef.name', 'source.sourceRef.namespace', 'source.sourceRef.apiVersion'],
  ...['source.inline.repo', 'source.inline.chart', 'source.inline.version', 'config.helmRelease.template'],
  ...['config.helmRelease.chart.chart', 'config.helmRelease.chart.version', 'interval'],
  ...['config.timeout', 'config.suspend'],
];
const SHOWN_OF_TOP = ['kind', 'fluxApp', 'rollout', 'revisionHistoryLimit', 'deletionPolicy', 'maxRemovals'];
const SHOWN_OF_ENTRY = ['name', 'destination', 'template', 'values', 'path', 'prune'];
/** Below an entry. */
export const CREATES_NAMESPACE = ['install', 'createNamespace'] as const satisfies Path;

function keysOf(value: unknown): string[] {
  return isMap(value) ? Object.keys(value) : [];
}

/** Nothing is set by null. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Texts are shown as they are, numbers that were not quoted as their text, all else as nothing. */
export function textOfField(value: unknown, path: Path): string {
  const found = valueAt(value, path);
  if (typeof found === 'string') return found;
  return typeof found === 'number' ? String(found) : '';
}

/** What an Application is made of; undefined: no form shows it. */
export function wayOf(value: PlainMap): Way | undefined {
  const [release, files] = [valueAt(value, PLACES.release), valueAt(value, PLACES.files)];
  if (isSet(valueAt(value, ['spec', 'argoApp'])) || (isSet(release) && isSet(files))) return undefined;
  if (Array.isArray(files)) return wayOfFiles(value, files);
  return isMap(release) && !isSet(files) ? wayOfRelease(value, release) : undefined;
}

/** Entries that name templates need no source. */
function wayOfFiles(value: PlainMap, files: readonly unknown[]): Way {
  const isOfTemplates = files.some((entry) => isMap(entry) && 'template' in entry);
  return isOfTemplates && !isSet(valueAt(value, PLACES.source)) ? 'fileTemplate' : 'files';
}

/** True: each destination is a Kustomization. */
export function isOfFiles(way: Way | undefined): boolean {
  return way === 'files' || way === 'fileTemplate';
}

function wayOfRelease(value: PlainMap, release: PlainMap): Way {
  if (isSet(release['template']) && release['template'] !== '') return 'template';
  if (isSet(valueAt(value, [...PLACES.source, 'inline']))) return 'inline';
  return isSet(release['chart']) || !('template' in release) ? 'chart' : 'template';
}

function targetOf(destination: unknown): { target: Target; cluster: string } {
  const target = TARGETS.find((each) => isSet(valueAt(destination, [each]))) ?? 'here';
  return { target, cluster: textOfField(destination, clusterPath(target)) };
}

function clusterPath(target: Target): Path {
  return target === 'kubeConfig' ? ['kubeConfig', 'secretRef', 'name'] : [target, 'name'];
}

/** Fields of an entry that the form does not show. */
function othersOf(entry: unknown): string[] {
  const keys = keysOf(entry).filter((key) => !SHOWN_OF_ENTRY.includes(key) && isSet(valueAt(entry, [key])));
  const install = keysOf(valueAt(entry, ['install'])).filter((key) => key !== 'createNamespace');
  return keys.flatMap((key) => (key === 'install' ? install.map((each) => `install.${each}`) : [key]));
}

/** Anything but true and false says nothing. */
export function yesOrNo(value: unknown, path: Path): YesOrNo {
  const found = valueAt(value, path);
  return typeof found === 'boolean' ? (String(found) as YesOrNo) : '';
}

export function yesOrNoEdit(path: Path, chosen: YesOrNo): Edit {
  return { path, value: chosen === '' ? undefined : chosen === 'true' };
}

function destinationOf(entry: unknown, path: Path): DestinationForm {
  return {
    ...{ path, ...targetOf(valueAt(entry, ['destination'])) },
    ...{ name: textOfField(entry, ['name']), namespace: textOfField(entry, ['destination', 'targetNamespace']) },
    ...{ template: textOfField(entry, ['template']), folder: textOfField(entry, ['path']) },
    prune: yesOrNo(entry, ['prune']),
    hasValues: keysOf(valueAt(entry, ['values'])).length > 0,
    createsNamespace: yesOrNo(entry, CREATES_NAMESPACE),
    others: othersOf(entry),
  };
}

/** Paths of the leaves of maps, by dots, without lists. */
function* leavesOf(value: unknown, path: string): Generator<string> {
  if (!isMap(value)) {
    if (isSet(value)) yield path;
    return;
  }
  for (const [key, each] of Object.entries(value)) yield* leavesOf(each, path === '' ? key : `${path}.${key}`);
}

/** Where the list of destinations is. */
export function listPath(way: Way | undefined): Path {
  return isOfFiles(way) ? PLACES.files : PLACES.deploy;
}

/** What the form shows of an Application. Never throws, whatever its YAML says. */
export function formOf(value: PlainMap): ApplicationForm {
  const way = wayOf(value);
  const path = listPath(way);
  const entries = valueAt(value, path);
  const lists = [PLACES.deploy, PLACES.files].map((each) => each.slice(SPEC.length).join('.'));
  const others = [...leavesOf(valueAt(value, SPEC), '')].filter((leaf) => ![...SHOWN, ...lists].includes(leaf));
  const top = keysOf(value['spec']).filter((key) => !SHOWN_OF_TOP.includes(key));
  return {
    ...{ namespace: textOfField(value, PLACES.namespace), name: textOfField(value, PLACES.name), way },
    destinations: Array.isArray(entries) ? entries.map((entry, index) => destinationOf(entry, [...path, index])) : [],
    others: [...top, ...others],
  };
}

/** Names of those settings that somebody set. */
export function settingsIn(value: PlainMap): string[] {
  const set = Object.values(SETTINGS).filter((path) => isSet(valueAt(value, path)));
  return set.map((path) => path[path.length - 1] ?? '');
}

/** A text that was emptied is not set. */
export function textEdit(path: Path, text: string): Edit {
  return { path, value: text === '' ? undefined : text };
}

/** To name the cluster of a destination in another way. */
export function targetEdits({ path, cluster }: DestinationForm, to: Target): Edit[] {
  // Without a name, the API server refuses it: it never becomes this cluster.
  const name = cluster === '' ? {} : { name: cluster };
  const fresh: Readonly<Record<Target, Edit[]>> = {
    here: [],
    kubeConfig: [{ path: [...path, 'destination', 'kubeConfig'], value: { secretRef: name } }],
    clusterRef: [{ path: [...path, 'destination', 'clusterRef'], value: { kind: 'Cluster', ...name } }],
    clusterSelector: [{ path: [...path, 'destination', 'clusterSelector'], value: { matchLabels: {} } }],
  };
  const others = TARGETS.filter((each) => each !== 'here' && each !== to);
  return [...others.map((each) => ({ path: [...path, 'destination', each], value: undefined })), ...fresh[to]];
}

/** To name another cluster in the same way. */
export function clusterEdit({ path, target }: DestinationForm, cluster: string): Edit {
  return textEdit([...path, 'destination', ...clusterPath(target)], cluster);
}

/** To have the target namespace created, or not; an `install` that says nothing else goes, too. */
export function createsNamespaceEdit(value: PlainMap, { path }: DestinationForm, chosen: YesOrNo): Edit {
  const others = keysOf(valueAt(value, [...path, 'install'])).filter((key) => key !== 'createNamespace');
  const isAll = chosen === '' && others.length === 0;
  return isAll
    ? { path: [...path, 'install'], value: undefined }
    : yesOrNoEdit([...path, ...CREATES_NAMESPACE], chosen);
}

/** One more destination, as the last one, with another name. */
export function addedDestination({ way, destinations }: ApplicationForm): Edit {
  const last = destinations.at(-1);
  const destination = { targetNamespace: last?.namespace || 'default' };
  const more: Readonly<Record<Way, PlainMap>> = {
    ...{ chart: {}, inline: {}, template: {} },
    files: { path: last?.folder || './', prune: true },
    fileTemplate: { template: last?.template || null },
  };
  const value = { destination, ...(way === undefined ? {} : more[way]) };
  return { path: [...listPath(way), destinations.length], value };
}

/** What `/new` begins with. */
export interface Beginning {
  readonly namespace?: string;
  readonly name?: string;
  readonly template?: string;
}

/** A new Application, as a value to print. */
export function newApplication({ namespace = '', name = '', template = '' }: Beginning): PlainMap {
  const metadata = { ...(name === '' ? {} : { name }), ...(namespace === '' ? {} : { namespace }) };
  const made = template === '' ? { chart: {} } : { template };
  const source = template === '' ? { source: { sourceRef: { kind: 'HelmRepository' } } } : {};
  const deploy = [{ destination: { targetNamespace: namespace === '' ? 'default' : namespace } }];
  const spec = { kind: 'fluxcd', fluxApp: { spec: { ...source, config: { helmRelease: { ...made, deploy } } } } };
  return { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'Application', metadata, spec };
}
