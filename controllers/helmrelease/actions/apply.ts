import type { Unstructured } from '#api/meta.js';
import { applyPlain, readLive, ActionError, withKnownKinds } from '#engine/flux/objects.js';
import { expectKinds } from '#engine/apply/resolve-type.js';
import { servedKinds } from '#engine/apply/model/crd.js';
import { waitForHealthy } from '#engine/health/wait.js';
import { until } from '#runtime/until.js';
import type { TakeOverRule } from '#engine/apply/types.js';
import type { ActionContext } from './context.js';
import { isTakenOverCrd, ownershipConflict, withOwnership, isTakenOver } from '../model/ownership.js';

/** The release's namespace, as it is created. */
export function namespaceOf({ namespace }: Pick<ActionContext, 'namespace'>): Unstructured {
  // Helm labels namespaces that it creates with their own name.
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: { name: namespace } } };
}

/** Creates the release's namespace if it does not exist. Throws ActionError. */
export async function ensureNamespace(context: ActionContext): Promise<void> {
  const object = namespaceOf(context);
  if ((await readLive(context, object)) === undefined) await applyPlain(context, [object]);
}

export type CrdPolicy = 'Skip' | 'Create' | 'CreateReplace';

const TIMEOUT_MS = 60_000;
/** Discovery lists a CRD shortly after it is established. */
const DISCOVERY_LIMIT_MS = 15_000;
const DISCOVERY_POLL_MS = 500;

/** Templates ask discovery which kinds are served, so it must list the applied CRDs. */
async function untilServed({ member, signal }: ActionContext, crds: readonly Unstructured[]): Promise<void> {
  let missing = crds.flatMap(servedKinds).map(({ apiVersion, kind }) => `${apiVersion}/${kind}`);
  const areServed = async (): Promise<boolean> => {
    const served = new Set((await member.capabilities({ signal })).apiVersions);
    missing = missing.filter((kind) => !served.has(kind));
    return missing.length === 0;
  };
  const options = { timeoutMs: DISCOVERY_LIMIT_MS, intervalMs: DISCOVERY_POLL_MS, signal };
  if (await until(areServed, options)) return;
  throw new ActionError(`timeout waiting for the cluster to serve: [${missing.join(', ')}]`);
}

/**
 * Applies the chart's CRDs before anything that needs them: missing ones only, or all. Never deletes one. Throws
 * ActionError.
 */
export async function applyCrds(
  context: ActionContext,
  crds: readonly Unstructured[],
  policy: CrdPolicy,
): Promise<void> {
  const wanted: Unstructured[] = [];
  if (policy === 'Skip') return;
  for (const crd of crds) {
    const live = policy === 'CreateReplace' ? undefined : await readLive(context, crd);
    if (live === undefined) wanted.push(crd);
    // Another client may have created it just now.
    else expectKinds(context.member, live);
  }
  if (wanted.length === 0) return;
  // CreateReplace also takes over fields that helm set by hand.
  await applyPlain(context, wanted, {
    isTaken: (entry, live) => isTakenOverCrd(entry, live, context),
    looksFirst: false,
  });
  const { member, namespace, signal } = context;
  const problem = await waitForHealthy({
    member,
    objects: wanted,
    defaultNamespace: namespace,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (problem !== undefined) throw new ActionError(problem);
  await untilServed(context, wanted);
}

/**
 * Applies objects with Helm's ownership marks, and takes over the fields that helm set by hand or by client-side apply.
 * Returns the live objects by id. Throws ActionError naming every rejected object.
 */
export function applyOwned(
  context: ActionContext,
  objects: readonly Unstructured[],
  { looksFirst }: Pick<TakeOverRule, 'looksFirst'>,
): Promise<Unstructured[]> {
  return applyPlain(
    context,
    objects.map((object) => withOwnership(object, context)),
    { looksFirst, isTaken: (entry, live) => isTakenOver(entry, live, context) },
  );
}

/** Throws ActionError for the first object that exists and does not belong to this release. */
export async function rejectForeign(
  context: ActionContext,
  objects: readonly Unstructured[],
  action: 'install' | 'update',
): Promise<void> {
  for (const object of await withKnownKinds(context, objects)) {
    const live = await readLive(context, object);
    const conflict = live === undefined ? undefined : ownershipConflict(live, context);
    if (conflict !== undefined) throw new ActionError(`Unable to continue with ${action}: ${conflict}`);
  }
}
