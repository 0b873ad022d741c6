import { whyNotAdopted } from '#queries/plans/adoption.js';
import { listFluxObjects, readNeeds } from '#queries/host/flux-objects.js';
import { fluxObjectView, plainObjects } from '#queries/host/model/flux-object.js';
import type { Kube, ListQuery } from '#runtime/client/kube.js';
import { inNamespace } from '../command/connection.js';
import { type FluxObjectName, readFluxObject } from '../command/flux-object.js';
import { inFormat, isTable, type ListingOptions, placeOf } from '../output/listing.js';
import { note, outputTerminal, print } from '../output/standard-output.js';
import { objectCommands } from './look-further.js';
import { fluxTable, needsTable } from './model/flux-table.js';
import { type ListedPlain, section } from './ready.js';

/** The HelmReleases and Kustomizations that no Application has, as far as the user may list them; says of the others. */
export async function listPlain(kube: Kube, query: ListQuery): Promise<ListedPlain> {
  const { objects, unread } = await listFluxObjects(kube, query);
  for (const kind of unread) {
    note(`You may not list ${kind}s in ${placeOf(query)}: those without an Application are not shown.`);
  }
  return { views: plainObjects(objects).map(({ view }) => view), unread };
}

/** `fairlead status KIND/NAME`: one HelmRelease or Kustomization, what it needs, and the next commands. */
export async function showFluxObject(wanted: FluxObjectName, options: ListingOptions): Promise<void> {
  if (options.allNamespaces === true) throw new Error('-A does not go with KIND/NAME: name its namespace with -n');
  await inNamespace(options, async (kube, namespace) => {
    const child = await readFluxObject(kube, wanted, namespace);
    const view = fluxObjectView(child);
    const needs = await readNeeds(kube, child);
    const status = { ...view, needs };
    const terminal = outputTerminal();
    const tables = (wide: boolean): string =>
      [
        fluxTable([view], { allNamespaces: false, wide, terminal }),
        ...(needs.length === 0 ? [] : ['', needsTable(status, { wide, terminal })]),
      ].join('\n');
    print(inFormat(options, { fluxObjects: [status] }, tables));
    if (!isTable(options) || !terminal.hasSymbols) return;
    const next = objectCommands(status, whyNotAdopted(child) === undefined);
    if (next.length > 0) print(['', ...section('Next:', next)].join('\n'));
  });
}
