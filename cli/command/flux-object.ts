import type { ResourceType } from '#api/meta.js';
import { BACKENDS } from '#controllers/application/model/backends/index.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { fluxObject } from '#queries/host/model/flux-object.js';
import type { Kube } from '#runtime/client/kube.js';

/** A HelmRelease or Kustomization that somebody named. */
export interface FluxObjectName {
  readonly resource: ResourceType;
  readonly name: string;
}

/** As kubectl names the kinds. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([
  ['hr', 'helmrelease'],
  ['ks', 'kustomization'],
]);

/** How one is named, for messages. */
export const FLUX_OBJECT_FORM = 'KIND/NAME; the kinds are HelmRelease and Kustomization';

/** Reads KIND/NAME; the kind also in the plural, short, or in lower case. Undefined for anything else. */
export function fluxObjectName(text: string): FluxObjectName | undefined {
  const [given = '', name = '', ...more] = text.split('/');
  const kind = SHORT_NAMES.get(given.toLowerCase()) ?? given.toLowerCase();
  const found = BACKENDS.find(({ resource }) => [resource.kind.toLowerCase(), resource.plural].includes(kind));
  return found === undefined || name === '' || more.length > 0 ? undefined : { resource: found.resource, name };
}

/** The object that a text names; undefined: it is the name of an Application. Throws for another kind of object. */
export function fluxObjectIn(text: string | undefined): FluxObjectName | undefined {
  if (text?.includes('/') !== true) return undefined;
  const found = fluxObjectName(text);
  if (found !== undefined) return found;
  throw new Error(`${JSON.stringify(text)} is neither the name of an Application nor ${FLUX_OBJECT_FORM}`);
}

/** The object as it is now. Throws if there is none. */
export async function readFluxObject(
  kube: Kube,
  { resource, name }: FluxObjectName,
  namespace: string,
): Promise<Child> {
  const found = await kube.get<Child>(resource, { name, namespace });
  if (found !== undefined) return fluxObject(found, resource);
  throw new Error(
    `there is no ${resource.kind} ${name} in namespace ${namespace}: \`fairlead status -A\` shows those that no Application has`,
  );
}
