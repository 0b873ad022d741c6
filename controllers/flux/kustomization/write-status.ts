import { kustomizationResource, type Kustomization, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { PassContext } from '../../runtime/controller.js';
import { timestamp } from '../../runtime/pure/conditions.js';
import type { KindWriter } from '../shared/finalizers.js';
import { KeptStatus } from '../shared/write-status.js';
import type { PassMoment } from '../shared/model/progress.js';
import { FIELD_MANAGER, type Deps, type Pass } from './deps.js';

/** How Kustomizations are written. */
export function writerOf({ kube }: Pick<Deps, 'kube'>): KindWriter {
  return { kube, type: kustomizationResource, fieldManager: FIELD_MANAGER };
}

/** The reconciliation of a Kustomization as it was read, with its status. */
export function passOver(kustomization: Kustomization, deps: Deps, context: PassContext): Pass {
  const target = { ...writerOf(deps), object: kustomization };
  const status = new KeptStatus<KustomizationStatus>(target, kustomization.status ?? {});
  return { ...deps, ...context, kustomization, status };
}

/** What conditions need of this moment: a reconciliation may take minutes, and each transition has its own time. */
export function momentOf({ now, kustomization: { metadata } }: Pick<Pass, 'now' | 'kustomization'>): PassMoment {
  return { generation: metadata.generation ?? 0, now: timestamp(now()) };
}
