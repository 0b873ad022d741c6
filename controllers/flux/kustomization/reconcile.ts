import pick from 'lodash/pick.js';
import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Cache, Result } from '../../runtime/controller.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import { parseKey } from '../../runtime/pure/keys.js';
import type { ApplyingDeps } from '../shared/deps.js';
import { problemOf } from '../shared/failure.js';
import { KeptStatus } from '../shared/kept-status.js';
import { notReady } from '../shared/model/progress.js';
import { readRequests } from '../shared/model/requests.js';
import { refusalOf } from './model/refusal.js';

/** Flux's own manager: a hand-over leaves no co-owned fields. */
const FIELD_MANAGER = 'kustomize-controller';

/** What every pass over a Kustomization uses. */
export interface Deps extends Pick<ApplyingDeps, 'kube' | 'now' | 'settings'> {
  readonly kustomizations: Cache<Kustomization>;
}

function isLeftAlone({ metadata, spec }: Kustomization): boolean {
  return metadata.deletionTimestamp !== undefined || spec.suspend === true;
}

/**
 * One pass over one Kustomization. Nothing is applied or pruned yet, and no finalizer holds it: it is only said so.
 *
 *   gone -> nothing     deleted -> nothing     suspended -> nothing     else: refusal -> status
 */
export async function reconcileKustomization(deps: Deps, key: string): Promise<Result> {
  const kustomization = deps.kustomizations.get(parseKey(key));
  if (kustomization === undefined || isLeftAlone(kustomization)) return {};
  const { kube, now, settings } = deps;
  const { metadata, status: before = {} } = kustomization;
  const target = { kube, type: kustomizationResource, object: kustomization, fieldManager: FIELD_MANAGER };
  const status = new KeptStatus(target, before);
  const moment = { generation: metadata.generation ?? 0, now: timestamp(now()) };
  const refused = notReady(before, moment, problemOf(refusalOf(kustomization, settings), 'ReconciliationFailed'));
  status.current = { ...refused, ...pick(readRequests(kustomization).handled, 'lastHandledReconcileAt') };
  await status.write();
  return {};
}
