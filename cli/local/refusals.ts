import { deploymentResource, namespaceResource } from '#api/core.js';
import { CRD_VERSION_LABEL } from '#api/v1alpha1/labels.js';
import { runningFlux } from '#manager/flux-watch.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { keyOf } from '#lib/kube/keys.js';
import { installedCrds } from '../install/crds.js';
import { isFluxCrd, isOurs } from '../install/crd-rules.js';
import { readCrds } from '../install/package.js';
import { isOwnNamespace, type DemoName } from './mark.js';
import type { Target } from './model/placement.js';
import { kubeOf, type UserClusters } from './user-clusters.js';

const CONTROLLER = 'app.kubernetes.io/name=fairlead-controller';
const WITHOUT = 'run the demo without --kubeconfig';

/** Throws when the cluster already has Flux: its controllers cannot read sources on our loopback. */
async function refuseFlux(kube: Kube): Promise<void> {
  const live = await installedCrds(kube);
  const crd = live.find((each) => isFluxCrd(each.metadata.name) && !isOurs(each));
  const [controller] = await runningFlux(kube);
  if (crd === undefined && controller === undefined) return;
  const found = controller ?? `CRD ${crd?.metadata.name ?? ''}`;
  throw new Error(
    `Flux is installed in ${kube.server} (${found}): it would reconcile the releases of the demo, and cannot reach its servers on this machine. Nothing was changed. Use \`fairlead install\` and your own sources, or ${WITHOUT}.`,
  );
}

/** The Deployment of an installed controller, wherever it is; undefined without one. */
export async function installedController(kube: Kube): Promise<string | undefined> {
  const { items } = await listAll(kube, deploymentResource, { labelSelector: CONTROLLER, metadataOnly: true });
  return items.map(({ metadata }) => keyOf(metadata))[0];
}

/** Throws when Fairlead is installed: its controller would work on the objects of the demo, and so would ours. */
async function refuseInstalled(kube: Kube): Promise<void> {
  const name = await installedController(kube);
  if (name === undefined) return;
  throw new Error(
    `Fairlead is installed in ${kube.server} (Deployment ${name}): two controllers would reconcile the same objects. Nothing was changed. Apply the samples to it, or ${WITHOUT}.`,
  );
}

/** Throws when a CRD would have to be changed: the objects of others rely on it. */
async function refuseCrds(kube: Kube): Promise<void> {
  const wanted = new Map((await readCrds()).map((crd) => [crd.metadata.name, crd]));
  for (const live of await installedCrds(kube)) {
    const { name } = live.metadata;
    const [has, needs] = [live, wanted.get(name)].map((crd) => crd?.metadata.labels?.[CRD_VERSION_LABEL]);
    if (isOurs(live) && has === needs) continue;
    const whose = isOurs(live)
      ? `is of version ${has ?? '?'}, this is ${needs ?? '?'}`
      : 'was installed by somebody else';
    const wayOut = isOurs(live) ? 'Upgrade it with `fairlead install --crds-only`' : 'Use another cluster';
    throw new Error(`CRD ${name} of ${kube.server} ${whose}. Nothing was changed. ${wayOut}, or ${WITHOUT}.`);
  }
}

async function refuseNamespace(kube: Kube, name: string, demo: DemoName): Promise<void> {
  const live = await kube.get(namespaceResource, { name });
  if (live === undefined) return;
  if (live.metadata.deletionTimestamp !== undefined) {
    throw new Error(`namespace ${name} is being deleted: \`kubectl wait --for=delete namespace/${name}\`, then repeat`);
  }
  if (isOwnNamespace(live, demo)) {
    throw new Error(
      `namespace ${name} of ${kube.server} is of a demo that still runs or crashed: end it, or remove what is left with --clean and the same flags`,
    );
  }
  throw new Error(
    `namespace ${name} of ${kube.server} was not created by a demo, and a demo deletes its namespaces with everything in them. Nothing was changed. Choose another one with --namespace NAME.`,
  );
}

/** Makes sure, before anything is changed, that the demo gets in nobody's way on clusters of the user. */
export async function refuseToDisturb(clusters: UserClusters, targets: readonly Target[]): Promise<void> {
  const { host, namespace } = clusters;
  await refuseFlux(host.kube);
  await refuseInstalled(host.kube);
  await refuseNamespace(host.kube, namespace, clusters);
  for (const target of targets) await refuseNamespace(kubeOf(clusters, target), target.namespace, clusters);
  await refuseCrds(host.kube);
}
