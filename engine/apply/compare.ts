import omit from 'lodash/omit.js';
import type { Unstructured } from '#api/meta.js';
import { canonicalJson } from '#lib/json/lossless-json.js';
import { changesOwners } from './model/owned-fields.js';

/** The object without what the server writes by itself at every change. */
function content(object: Unstructured, withStatus: boolean): object {
  const { status, metadata, ...rest } = object;
  const kept = omit(metadata, 'managedFields', 'resourceVersion', 'generation');
  return { ...rest, metadata: kept, ...(withStatus ? { status } : {}) };
}

/** The parts of an object that are compared before and after applying `desired`. */
export function comparedContent(
  live: Unstructured,
  dryRun: Unstructured,
  desired: Unstructured,
): { readonly old: object; readonly new: object } {
  const withStatus = desired['status'] !== undefined;
  return { old: content(live, withStatus), new: content(dryRun, withStatus) };
}

/**
 * True when applying `desired` would change nothing: `dryRun`, the server's answer, holds the same content as `live`,
 * and the manager already owns everything that matters (otherwise a field that is later removed from `desired` would
 * stay). The status is only compared if `desired` has one: it may change between the two reads.
 */
export function isUnchanged(
  live: Unstructured,
  dryRun: Unstructured,
  { desired, fieldManager }: { readonly desired: Unstructured; readonly fieldManager: string },
): boolean {
  const compared = comparedContent(live, dryRun, desired);
  return !changesOwners(live, dryRun, fieldManager) && canonicalJson(compared.old) === canonicalJson(compared.new);
}
