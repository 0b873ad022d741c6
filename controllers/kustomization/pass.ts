import { kustomizationResource, type Kustomization, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { KubeObject } from '#api/meta.js';
import type { Cache, PassContext } from '#runtime/controller.js';
import { timestamp } from '#lib/kube/conditions.js';
import type { Serial } from '#lib/serial.js';
import type { KindWriter } from '#engine/flux/finalizers.js';
import { KeptStatus } from '#engine/flux/write-status.js';
import type { PassMoment } from '#engine/flux/model/progress.js';
import { SecretTexts } from '#engine/flux/model/secret-texts.js';
import type { ApplyingDeps } from '#engine/flux/deps.js';
import type { Build } from './build.js';
import type { Source } from './model/sources.js';

/** Flux's own manager: a hand-over leaves no co-owned fields. */
export const FIELD_MANAGER = 'kustomize-controller';

/** The services that every reconciliation of a Kustomization needs. */
export interface Deps extends ApplyingDeps {
  readonly kustomizations: Cache<Kustomization>;
  /** By kind. */
  readonly sources: ReadonlyMap<string, Cache<Source>>;
  readonly build: Build;
  /** By namespace. */
  readonly turns: Serial;
}

/** One reconciliation: the deps, and what belongs to it alone. */
export interface Pass extends Deps, PassContext {
  readonly kustomization: Kustomization;
  readonly status: KeptStatus<KustomizationStatus>;
  readonly secrets: SecretTexts;
}

/** How Kustomizations are written. */
export function writerOf({ kube }: Pick<Deps, 'kube'>): KindWriter {
  return { kube, type: kustomizationResource, fieldManager: FIELD_MANAGER };
}

/** The reconciliation of a Kustomization as it was read, with its status. */
export function passOver(kustomization: Kustomization, deps: Deps, context: PassContext): Pass {
  // Others see at once what it has.
  const onWritten = (written: KubeObject): void => deps.kustomizations.recordWrite(written as Kustomization);
  const target = { ...writerOf(deps), object: kustomization, onWritten };
  const status = new KeptStatus<KustomizationStatus>(target, kustomization.status ?? {});
  return { ...deps, ...context, kustomization, status, secrets: new SecretTexts() };
}

/** The moment of a condition: a reconciliation may take minutes, and each transition has its own time. */
export function momentOf({ now, kustomization: { metadata } }: Pick<Pass, 'now' | 'kustomization'>): PassMoment {
  return { generation: metadata.generation ?? 0, now: timestamp(now()) };
}
