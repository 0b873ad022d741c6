import type { Command } from 'commander';
import { type SourceObject, type SourceUser, sourceViews } from '#queries/views/source-view.js';
import type { SourceView } from '#queries/answers/clusters.js';
import { helmChartResource } from '#api/flux/helm-chart.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import { kustomizationResource } from '#api/flux/kustomization.js';
import { SOURCE_KINDS, SOURCE_RESOURCES } from '#api/flux/source-kinds.js';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { type Application, applicationResource } from '#api/v1alpha1/application.js';
import { sourceOf } from '#controllers/application/model/spec/flux-spec.js';
import { apiStatusOf, isNotFound } from '#lib/errors.js';
import { type Kube, listAll, type ListQuery } from '#runtime/client/kube.js';
import { withConnection, withKube } from '../command/connection.js';
import {
  checkNamespaces,
  inFormat,
  isTable,
  type ListingOptions,
  namespaceQuery,
  noSuchObject,
  notInstalled,
  placeOf,
  withListing,
} from '../output/listing.js';
import { outputTerminal, print } from '../output/standard-output.js';
import { sourceTable } from './model/source-table.js';

function textOf(views: readonly SourceView[], options: ListingOptions): string {
  const allNamespaces = options.allNamespaces === true;
  return inFormat(options, { sources: views }, (wide) =>
    sourceTable(views, { allNamespaces, wide, terminal: outputTerminal(), now: Date.now() }),
  );
}

/** Warns of kinds that may not be listed, and goes on with the rest. */
function warn(kinds: readonly string[], place: string, consequence: string): void {
  if (kinds.length > 0) process.stderr.write(`You may not list ${kinds.join(', ')}${place}: ${consequence}.\n`);
}

async function source(argument: string | undefined, options: ListingOptions): Promise<void> {
  checkNamespaces(options);
  const wanted = argument === undefined ? undefined : sourceName(argument);
  await withKube(options, async (kube) => {
    const query = await namespaceQuery(options);
    const { sources, users, hidden, hiddenUsers, isInstalled } = await findSources(kube, wanted, query);
    if (!isInstalled) throw notInstalled(kube);
    if (wanted !== undefined && sources.length === 0) throw noSuchObject(wanted.type.kind, wanted.name, query);
    if (isTable(options) && sources.length === 0) process.stderr.write(`No sources in ${placeOf(query)}.\n`);
    else print(textOf(sourceViews(sources, users), options));
    warn(hidden, '', 'they are not shown');
    warn(hiddenUsers, ' of all namespaces', 'some that use a source are not shown');
  });
}

/** `fairlead source`: exit code 1 when the named source does not exist. */
export function sourceCommand(command: Command): void {
  command.argument('[KIND/NAME]', 'only this source, e.g. GitRepository/app');
  withConnection(withListing(command, 'sources')).action(source);
}

/** The kinds of sources. */
const SOURCES: readonly ResourceType[] = Object.values(SOURCE_RESOURCES);
const USERS: readonly ResourceType[] = [
  ...[applicationResource, kustomizationResource, helmReleaseResource, helmChartResource],
];
/** What kubectl calls them, too. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(SOURCE_KINDS).flatMap(([kind, { shortNames }]) => shortNames.map((name) => [name, kind] as const)),
);

/** One source. */
export interface SourceName {
  readonly type: ResourceType;
  readonly name: string;
}

/** Reads KIND/NAME; the kind also in the plural, short, or in lower case. Throws for anything else. */
export function sourceName(text: string): SourceName {
  const [kind = '', name = '', ...rest] = text.split('/');
  const wanted = (SHORT_NAMES.get(kind.toLowerCase()) ?? kind).toLowerCase();
  const type = SOURCES.find((each) => [each.kind.toLowerCase(), each.plural].includes(wanted));
  if (type !== undefined && name !== '' && rest.length === 0) return { type, name };
  const kinds = SOURCES.map((each) => each.kind).join(', ');
  throw new Error(`${JSON.stringify(text)} is not KIND/NAME, e.g. GitRepository/app; the kinds are ${kinds}`);
}

/** What a cluster has of sources, and of what uses them, as far as the user may read it. */
export interface Found {
  readonly sources: readonly SourceObject[];
  readonly users: readonly SourceUser[];
  /** Kinds of sources that the user may not list. */
  readonly hidden: readonly string[];
  /** Kinds of which not all objects that use a source are there. */
  readonly hiddenUsers: readonly string[];
  /** False: no kind of source is known. */
  readonly isInstalled: boolean;
}

/** The objects of one kind; or why there are none: its API is missing, or the user may not list them. */
type Listed<T> = { readonly items: readonly T[] } | { readonly refusal: 'not served' | Error };

async function listed<T extends KubeObject>(kube: Kube, type: ResourceType, query: ListQuery): Promise<Listed<T>> {
  try {
    // The API server leaves out the kind of the items of a list.
    return { items: (await listAll<T>(kube, type, query)).items.map((item) => ({ ...item, kind: type.kind })) };
  } catch (error: unknown) {
    if (isNotFound(error)) return { refusal: 'not served' };
    if (apiStatusOf(error)?.code === 403 && error instanceof Error) return { refusal: error };
    throw error;
  }
}

function itemsOf<T>(found: Listed<T>): readonly T[] {
  return 'items' in found ? found.items : [];
}

function isForbidden(found: Listed<unknown>): found is { readonly refusal: Error } {
  return 'refusal' in found && found.refusal instanceof Error;
}

/** An Application names the source that its inline one stands for, as its children do. */
export function withItsSource(user: SourceUser): SourceUser {
  if (user.kind !== applicationResource.kind) return user;
  const sourceRef = sourceOf(user as Application); // of this kind
  return sourceRef === undefined ? user : { ...user, spec: { fluxApp: { spec: { source: { sourceRef } } } } };
}

/** Users of all namespaces, because they may be in any; of one, if the user may not read all. */
async function usersOf(kube: Kube, type: ResourceType, { namespace }: ListQuery) {
  const all = await listed<SourceUser>(kube, type, {});
  if (!isForbidden(all)) return { items: itemsOf(all), hidden: [] };
  const own = namespace === undefined ? all : await listed<SourceUser>(kube, type, { namespace });
  return { items: itemsOf(own), hidden: [type.kind] };
}

/** Reads the sources of a query, or the one of this name. Throws when the user may list no kind of them. */
export async function findSources(kube: Kube, wanted: SourceName | undefined, query: ListQuery): Promise<Found> {
  const types = wanted === undefined ? SOURCES : [wanted.type];
  const named = wanted === undefined ? query : { ...query, fieldSelector: `metadata.name=${wanted.name}` };
  const found = await Promise.all(
    types.map(async (type) => ({ type, list: await listed<SourceObject>(kube, type, named) })),
  );
  const isInstalled = found.some(({ list }) => !('refusal' in list) || list.refusal !== 'not served');
  const hidden = found.filter(({ list }) => isForbidden(list));
  const [first] = hidden.map(({ list }) => list);
  if (first !== undefined && isForbidden(first) && !found.some(({ list }) => 'items' in list)) throw first.refusal;
  const users = await Promise.all(USERS.map((type) => usersOf(kube, type, query)));
  return {
    sources: found.flatMap(({ list }) => itemsOf(list)),
    users: users.flatMap(({ items }) => items.map(withItsSource)),
    hidden: hidden.map(({ type }) => type.kind),
    hiddenUsers: users.flatMap((each) => each.hidden),
    isInstalled,
  };
}
