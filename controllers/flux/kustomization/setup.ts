import { kustomizationResource, type Kustomization } from '#api/flux/kustomization.js';
import type { Controller, Permission, SetupContext } from '../../runtime/controller.js';
import { keyOf } from '../../runtime/pure/keys.js';
import { isWorthAPass } from '../shared/changes.js';
import type { ApplyingSettings } from '../shared/deps.js';
import { reconcileKustomization, type Deps } from './reconcile.js';

const { group, plural } = kustomizationResource;

/** What the host cluster must allow. */
export const permissions: readonly Permission[] = [
  { group, resources: [plural], verbs: ['get', 'list', 'watch'] },
  { group, resources: [`${plural}/status`], verbs: ['get', 'patch', 'update'] },
];

/** The Kustomization controller of the embedded engine. */
export function kustomizationControllers(
  context: SetupContext,
  { allowCrossNamespace, dependencyRequeueMs }: ApplyingSettings,
): Controller[] {
  const { kube, now } = context;
  const kustomizations = context.cache<Kustomization>(kustomizationResource, { optional: true });
  const deps: Deps = { kube, now, settings: { allowCrossNamespace, dependencyRequeueMs }, kustomizations };
  return [
    {
      name: 'kustomization',
      concurrency: 1,
      watches: [
        {
          cache: kustomizations,
          toKeys: (change) => (isWorthAPass(change) ? [keyOf(change.object.metadata)] : []),
        },
      ],
      reconcile: (key) => reconcileKustomization(deps, key),
    },
  ];
}
