import { failureOf } from '../shared/failure.js';
import type { Desired } from './actions/context.js';
import { applyCrds, type CrdPolicy } from './actions/crds.js';
import type { HelmRelease } from './model/types.js';
import { prepareChart, renderDesired, type RenderStep } from './render-desired.js';

function crdPolicy({ spec }: HelmRelease, action: 'install' | 'upgrade'): CrdPolicy {
  if (action === 'install' && spec.install?.skipCRDs === true) return 'Skip';
  return spec[action]?.crds ?? 'Create';
}

/** What an action brings, with the chart's CRDs on the cluster; `problem` is helm's refusal, `error` the cluster's. */
export async function makeReady(
  step: RenderStep,
  action: 'install' | 'upgrade',
): Promise<Desired | { readonly problem: string } | { readonly error: string }> {
  const isUpgrade = action === 'upgrade';
  const prepared = await prepareChart(step, isUpgrade);
  if ('problem' in prepared) return prepared;
  // First, as in Helm: templates may ask whether the cluster serves what the chart itself brings.
  const error = await failureOf(() => applyCrds(step.context, prepared.crds, crdPolicy(step.release, action)));
  return error === undefined ? renderDesired(step, isUpgrade, prepared) : { error };
}
