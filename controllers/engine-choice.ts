import { crdResource } from '../api/core.js';
import type { KubeObject } from '../api/meta.js';
import type { Engine } from './options.js';
import type { Kube, RequestOptions } from './runtime/kube.js';
import { TerminalError } from './runtime/pure/errors.js';

const APPLICATION_CRD = 'applications.gitops.kubesphere.io';
const HELM_RELEASE_CRD = 'helmreleases.helm.toolkit.fluxcd.io';

/** Who installed the Flux CRDs: nobody, Fairlead (its label is on them), or someone else, which means Flux. */
export type FluxCrds = 'missing' | 'ours' | 'foreign';

/** The engine that runs. Pure; throws a TerminalError `FluxNotInstalled` when the choice cannot work. */
export function chooseEngine(wanted: Engine, crds: FluxCrds): Exclude<Engine, 'auto'> {
  if (crds === 'missing') {
    throw new TerminalError(
      'FluxNotInstalled',
      `the CRD ${HELM_RELEASE_CRD} does not exist: run \`fairlead install\`, or install Flux`,
    );
  }
  if (wanted !== 'auto') return wanted;
  return crds === 'ours' ? 'embedded' : 'external';
}

/** Reads who owns the CRDs. Throws a TerminalError `CrdsNotInstalled` when the Application itself is unknown. */
export async function observeFluxCrds(
  kube: Kube,
  isOurs: (crd: KubeObject) => boolean,
  options: RequestOptions = {},
): Promise<FluxCrds> {
  if ((await kube.get(crdResource, { name: APPLICATION_CRD }, options)) === undefined) {
    throw new TerminalError('CrdsNotInstalled', `the CRD ${APPLICATION_CRD} does not exist: run \`fairlead install\``);
  }
  const crd = await kube.get(crdResource, { name: HELM_RELEASE_CRD }, options);
  if (crd === undefined) return 'missing';
  return isOurs(crd) ? 'ours' : 'foreign';
}
