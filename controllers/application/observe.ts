import type { Application } from '../../api/v1alpha1/application.js';
import { keyOf, parseKey } from '../runtime/pure/keys.js';
import type { Surroundings } from './context.js';
import { BY_OWNER, BY_RELEASE, sourceIndexValue } from './mappings.js';
import { sourceOf } from './model/flux-spec.js';
import { describeChild } from './model/messages.js';
import { isAdoptable, isOwned, precedes, releaseIndexValue } from './model/ownership.js';
import type { Child, Entry, Violation } from './model/types.js';

/** All that a pass knows, read at once. */
export interface Observed {
  readonly application: Application;
  /** Children of this very Application. */
  readonly owned: readonly Child[];
  /** Children that an entry may take over, but that are nobody's to delete. */
  readonly adoptable: readonly Child[];
  /** Names that other children of the namespace have. */
  readonly isTaken: (name: string) => boolean;
  /** Who else holds the release of an entry, as a text for people. */
  readonly rivalOf: (entry: Entry) => string | undefined;
  /** What an entry lacks outside of its child. */
  readonly lackOf: (entry: Entry) => string | undefined;
  /** The HelmChart that the engine made for a child. */
  readonly chartOf: (child: Child) => Child | undefined;
  /** The source that does not exist. */
  readonly sourceLack: Violation | undefined;
  /** False while a cache of children is not filled: what looks unwanted may only be half read. */
  readonly complete: boolean;
}

function holdersOf(release: string, children: Surroundings['children']): Child[] {
  return children.flatMap((cache) => cache.byIndex(BY_RELEASE, release));
}

/** Children by owner, and those without one that are about a release that we want. */
function childrenOf(application: Application, { children }: Surroundings, wanted: readonly string[]): Child[] {
  const found = [
    ...children.flatMap((cache) => cache.byIndex(BY_OWNER, keyOf(application.metadata))),
    ...wanted.flatMap((value) => holdersOf(value, children)),
  ];
  return [...new Set(found)];
}

function findRival(
  application: Application,
  { children, applications }: Surroundings,
  entry: Entry,
): string | undefined {
  const value = releaseIndexValue(application.metadata.namespace ?? '', entry.release);
  const holders = holdersOf(value, children);
  if (holders.some((child) => isOwned(child, application))) return undefined;
  const stranger = holders.find((child) => !isAdoptable(child, application));
  if (stranger !== undefined) return describeChild(stranger);
  const others = applications
    .byIndex(BY_RELEASE, value)
    .filter(({ metadata }) => metadata.uid !== application.metadata.uid);
  const older = others.find((other) => other.metadata.deletionTimestamp === undefined && precedes(other, application));
  return older === undefined ? undefined : `Application ${keyOf(older.metadata)}`;
}

function missingSource(application: Application, { sources }: Surroundings, path: string): Violation | undefined {
  const source = sourceOf(application);
  const cache = source === undefined ? undefined : sources.get(source.kind);
  if (source === undefined || cache === undefined) return undefined;
  const namespace = source.namespace ?? application.metadata.namespace ?? '';
  if (cache.get({ namespace, name: source.name }) !== undefined) return undefined;
  const object = sourceIndexValue(source.kind, namespace, source.name).replace('/', ' ');
  return {
    reason: 'SourceNotFound',
    message: `${path}: ${object} does not exist: create it, or correct the reference`,
  };
}

/** Said of a destination until something reports on it. */
const NO_ENGINE =
  'nothing acts on Kustomizations here: the embedded engine does not, run Flux with its kustomize-controller';

function lackOf(application: Application, surroundings: Surroundings, entry: Entry): string | undefined {
  const secret = missingSecret(application, surroundings, entry);
  if (secret !== undefined) return secret;
  const isIdle = entry.release.kind === 'Kustomization' && !surroundings.runsKustomizations;
  return isIdle ? NO_ENGINE : undefined;
}

function missingSecret(application: Application, { secrets }: Surroundings, entry: Entry): string | undefined {
  const name = entry.kubeConfig?.secretRef?.name;
  if (name === undefined) return undefined;
  const ref = { namespace: application.metadata.namespace, name };
  if (secrets.get(ref) !== undefined) return undefined;
  return `${entry.path}.destination.kubeConfig.secretRef: Secret ${keyOf(ref)} does not exist: create it with the kubeconfig of the cluster`;
}

function chartOf({ status }: Child, { charts }: Surroundings): Child | undefined {
  const key = status?.helmChart;
  return key === undefined || key === '' ? undefined : charts.get(parseKey(key));
}

/** What a pass looks for. */
interface Wanted {
  /** Index values of the releases of the entries. */
  readonly releases: readonly string[];
  /** Where the source is named, for messages. */
  readonly sourcePath: string;
}

/** Every read of one pass, from caches. */
export function observe(application: Application, surroundings: Surroundings, wanted: Wanted): Observed {
  const children = childrenOf(application, surroundings, wanted.releases);
  const { namespace } = application.metadata;
  return Object.freeze({
    application,
    owned: children.filter((child) => isOwned(child, application)),
    adoptable: children.filter((child) => !isOwned(child, application) && isAdoptable(child, application)),
    isTaken: (name: string) => surroundings.children.some((cache) => cache.get({ namespace, name }) !== undefined),
    rivalOf: (entry: Entry) => findRival(application, surroundings, entry),
    lackOf: (entry: Entry) => lackOf(application, surroundings, entry),
    chartOf: (child: Child) => chartOf(child, surroundings),
    sourceLack: missingSource(application, surroundings, wanted.sourcePath),
    complete: surroundings.children.every(({ synced }) => synced),
  });
}
