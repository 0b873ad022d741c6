import { argocd } from './argocd.js';
import { clusterApi } from './cluster-api.js';
import { clusterProfile } from './cluster-profile.js';
import { kubeconfigSecret } from './kubeconfig-secret.js';
import { kubesphere } from './kubesphere.js';
import type { Adapter } from '../cluster.js';

/** Of two that know the same object, the first decides. */
const ADAPTERS: readonly Adapter[] = [kubesphere, clusterApi, clusterProfile, kubeconfigSecret, argocd];

/** Those of a controller; one that is limited to a namespace reads no cluster-scoped objects. */
export function adaptersFor(namespace: string | undefined): readonly Adapter[] {
  return ADAPTERS.filter(({ types }) => namespace === undefined || types.every(({ namespaced }) => namespaced));
}
