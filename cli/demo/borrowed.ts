import { setTimeout as delay } from 'node:timers/promises';
import { applicationResource } from '../../api/v1alpha1/application.js';
import { listAll, type Kube } from '../../controllers/runtime/kube.js';
import { liveCrds } from '../install/crds.js';
import { isFluxCrd, isOurs } from '../install/crd-rules.js';
import { readCrds } from '../install/package.js';
import { namespaceResource } from '../../api/core.js';

const LEAVE_LIMIT_MS = 120_000;
const POLL_MS = 500;

/** Throws when the cluster already has Flux: its controllers cannot read sources on our loopback. */
export async function refuseFlux(kube: Kube): Promise<void> {
  const names = (await readCrds()).map(({ metadata }) => metadata.name).filter(isFluxCrd);
  const foreign = (await liveCrds(kube, names)).filter((crd) => !isOurs(crd));
  if (foreign.length === 0) return;
  throw new Error(
    [
      `Flux is installed in ${kube.server}: it would be the engine of every release, and it cannot reach the git server`,
      'and Helm repository of the demo, which listen on this machine only. Nothing was changed. Install Fairlead beside',
      'Flux with `fairlead install` and point an Application at sources of your own, or run the demo without --kubeconfig.',
    ].join('\n'),
  );
}

async function untilGone(kube: Kube, namespace: string): Promise<void> {
  const deadline = performance.now() + LEAVE_LIMIT_MS;
  while ((await listAll(kube, applicationResource, { namespace, metadataOnly: true })).items.length > 0) {
    if (performance.now() > deadline) {
      throw new Error(`the Applications in ${namespace} do not go: kubectl -n ${namespace} get gapp,hr`);
    }
    await delay(POLL_MS);
  }
}

/** Takes away what the demo made in clusters of the user: the Applications with their releases, then the project. */
export async function cleanUp(kube: Kube, namespace: string): Promise<void> {
  const { items } = await listAll(kube, applicationResource, { namespace, metadataOnly: true });
  for (const { metadata } of items) await kube.delete(applicationResource, metadata);
  await untilGone(kube, namespace);
  await kube.delete(namespaceResource, { name: namespace });
}
