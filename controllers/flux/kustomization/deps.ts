import type { GitRepository } from '#api/flux/git-repository.js';
import { kustomizationResource, type Kustomization, type KustomizationStatus } from '#api/flux/kustomization.js';
import type { Cache } from '../../runtime/controller.js';
import type { ApplyingDeps } from '../shared/deps.js';
import type { KindWriter } from '../shared/finalizers.js';
import { KeptStatus } from '../shared/kept-status.js';
import type { Build } from './build.js';
import type { Owner } from './model/objects.js';

/** Flux's own manager: a hand-over leaves no co-owned fields. */
export const FIELD_MANAGER = 'kustomize-controller';

/** What every pass over a Kustomization uses. */
export interface Deps extends ApplyingDeps {
  readonly kustomizations: Cache<Kustomization>;
  readonly repositories: Cache<GitRepository>;
  readonly build: Build;
}

/** How Kustomizations are written. */
export function writerOf({ kube }: Pick<Deps, 'kube'>): KindWriter {
  return { kube, type: kustomizationResource, fieldManager: FIELD_MANAGER };
}

/** The status of a Kustomization, as it was read. */
export function keptStatus(deps: Pick<Deps, 'kube'>, kustomization: Kustomization): KeptStatus<KustomizationStatus> {
  return new KeptStatus({ ...writerOf(deps), object: kustomization }, kustomization.status ?? {});
}

export function ownerOf({ metadata }: Kustomization): Owner {
  return { name: metadata.name, namespace: metadata.namespace ?? '' };
}
