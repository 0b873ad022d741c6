import type { Kustomization, KustomizationStatus } from '#api/flux/kustomization.js';
import type { Cache, PassContext } from '../../runtime/controller.js';
import type { ApplyingDeps } from '../shared/deps.js';
import type { KeptStatus } from '../shared/write-status.js';
import type { Build } from './build.js';
import type { Source } from './model/sources.js';

/** Flux's own manager: a hand-over leaves no co-owned fields. */
export const FIELD_MANAGER = 'kustomize-controller';

/** What every reconciliation of a Kustomization works with. */
export interface Deps extends ApplyingDeps {
  readonly kustomizations: Cache<Kustomization>;
  /** By kind. */
  readonly sources: ReadonlyMap<string, Cache<Source>>;
  readonly build: Build;
}

/** One reconciliation: the deps, and what belongs to it alone. */
export interface Pass extends Deps, PassContext {
  readonly kustomization: Kustomization;
  readonly status: KeptStatus<KustomizationStatus>;
}
