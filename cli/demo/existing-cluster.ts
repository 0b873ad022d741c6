import { deploymentResource, namespaceResource } from '../../api/core.js';
import { applicationResource } from '../../api/v1alpha1/application.js';
import { PART_OF_LABEL } from '../../api/v1alpha1/labels.js';
import { listAll, type Kube } from '../../controllers/runtime/kube.js';
import { keyOf } from '../../controllers/runtime/pure/keys.js';
import { until } from '../../controllers/runtime/until.js';
import { liveCrds } from '../install/crds.js';
import { isFluxCrd, isOurs } from '../install/crd-rules.js';
import { readController, readCrds } from '../install/package.js';

const LEAVE = { timeoutMs: 120_000, intervalMs: 500 };
/** On the namespace of a demo. */
const PART_OF_DEMO = 'fairlead-demo';

/** Throws when the cluster already has Flux: its controllers cannot read sources on our loopback. */
export async function refuseFlux(kube: Kube): Promise<void> {
  const names = (await readCrds()).map(({ metadata }) => metadata.name).filter(isFluxCrd);
  const foreign = (await liveCrds(kube, names)).filter((crd) => !isOurs(crd));
  if (foreign.length === 0) return;
  throw new Error(
    [
      `Flux is installed in ${kube.server}: it would be the engine of every release, and it cannot reach the Git server`,
      'and Helm repository of the demo, which listen on this machine only. Nothing was changed. Install Fairlead next to',
      'Flux with `fairlead install` and use your own sources in an Application, or run the demo without --kubeconfig.',
    ].join('\n'),
  );
}

/** Throws when Fairlead is installed: its controller would work on the objects of the demo, and so would ours. */
export async function refuseInstalled(kube: Kube): Promise<void> {
  for (const { kind, metadata } of await readController()) {
    if (kind !== 'Deployment' || (await kube.get(deploymentResource, metadata)) === undefined) continue;
    throw new Error(
      `Fairlead is installed in ${kube.server} (Deployment ${keyOf(metadata)}): two controllers would reconcile the same objects. Nothing was changed. Apply the samples to it, or run the demo without --kubeconfig.`,
    );
  }
}

/** Makes the namespace of the demo. Throws when it is there and no demo made it: in the end the demo deletes it. */
export async function claimNamespace(kube: Kube, name: string): Promise<void> {
  const live = await kube.get(namespaceResource, { name });
  if (live === undefined) {
    const metadata = { name, labels: { [PART_OF_LABEL]: PART_OF_DEMO } };
    await kube.create(namespaceResource, { apiVersion: 'v1', kind: 'Namespace', metadata });
    return;
  }
  if (live.metadata.labels?.[PART_OF_LABEL] !== PART_OF_DEMO) {
    throw new Error(
      `namespace ${name} of ${kube.server} was not created by a demo, and a demo deletes its namespace with everything in it at the end. Nothing was changed. Use another cluster, or run the demo without --kubeconfig.`,
    );
  }
  if (live.metadata.deletionTimestamp !== undefined) {
    throw new Error(`namespace ${name} is being deleted: \`kubectl wait --for=delete namespace/${name}\`, then repeat`);
  }
}

async function untilGone(kube: Kube, namespace: string): Promise<void> {
  const query = { namespace, metadataOnly: true } as const;
  const isGone = async (): Promise<boolean> => (await listAll(kube, applicationResource, query)).items.length === 0;
  if (await until(isGone, LEAVE)) return;
  throw new Error(`the Applications in ${namespace} are not deleted: kubectl -n ${namespace} get gapp,hr`);
}

async function untilNamespaceGone(kube: Kube, name: string): Promise<void> {
  const isGone = async (): Promise<boolean> => (await kube.get(namespaceResource, { name })) === undefined;
  if (await until(isGone, LEAVE)) return;
  throw new Error(`namespace ${name} is not deleted: kubectl describe namespace ${name}`);
}

/**
 * Takes away what the demo made in clusters of the user: the Applications with their releases, then the project. The
 * controller has to run until the end: sources hold on to life until it lets them go.
 */
export async function cleanUp(kube: Kube, namespace: string): Promise<void> {
  const { items } = await listAll(kube, applicationResource, { namespace, metadataOnly: true });
  for (const { metadata } of items) await kube.delete(applicationResource, metadata);
  await untilGone(kube, namespace);
  await kube.delete(namespaceResource, { name: namespace });
  await untilNamespaceGone(kube, namespace);
}
