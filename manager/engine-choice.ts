import { crdResource } from '#api/core.js';
import type { KubeObject } from '#api/meta.js';
import { OUR_SCHEMA_NOTE, PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import type { Kube, RequestOptions } from '#runtime/client/kube.js';
import { TerminalError } from '#lib/errors.js';
import type { Engine } from './options.js';

const APPLICATION_CRD = 'applications.gitops.kubesphere.io';
export const HELM_RELEASE_CRD = 'helmreleases.helm.toolkit.fluxcd.io';
/** Needed by no other kind: Flux's notification-controller may run next to the embedded engine. */
export const RECEIVER_CRD = 'receivers.notification.toolkit.fluxcd.io';

/** On every CRD that Go's controller-gen made: Flux's, and KubeSphere's Application. */
const GENERATED_ANNOTATION = 'controller-gen.kubebuilder.io/version';

/** The owner of the Flux CRDs: none, Fairlead, or somebody else, which means Flux. */
export type FluxCrds = 'missing' | 'ours' | 'foreign';

interface Crd extends KubeObject {
  spec?: { versions?: { schema?: { openAPIV3Schema?: { description?: string } } }[] };
}

/**
 * True for a CRD that Fairlead installed and over which nobody wrote another schema. Our label alone does not tell: a
 * forced apply leaves it where it is. Nor does the annotation alone: it stays when we take a CRD over. Pure.
 */
export function isFairleadCrd({ metadata, spec }: Crd): boolean {
  if (metadata.labels?.[PART_OF_LABEL] !== PART_OF_FAIRLEAD) return false;
  const descriptions = spec?.versions?.map(({ schema }) => schema?.openAPIV3Schema?.description ?? '') ?? [];
  const isNoted = descriptions.some((description) => description.endsWith(OUR_SCHEMA_NOTE));
  return isNoted || metadata.annotations?.[GENERATED_ANNOTATION] === undefined;
}

/**
 * Whose the CRDs of Flux are, by that of the HelmRelease, when there is one: the one rule for the controller, which asks
 * for its engine, and for `fairlead install`, which gives the rights for it. Pure.
 */
export function ownerOfFluxCrds(helmRelease: Crd | undefined): FluxCrds {
  if (helmRelease === undefined) return 'missing';
  return isFairleadCrd(helmRelease) ? 'ours' : 'foreign';
}

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
export async function observeFluxCrds(kube: Kube, options: RequestOptions = {}): Promise<FluxCrds> {
  if ((await kube.get(crdResource, { name: APPLICATION_CRD }, options)) === undefined) {
    throw new TerminalError('CrdsNotInstalled', `the CRD ${APPLICATION_CRD} does not exist: run \`fairlead install\``);
  }
  return ownerOfFluxCrds(await kube.get(crdResource, { name: HELM_RELEASE_CRD }, options));
}

/** True if somebody else installed the CRD of Receivers: then Flux's notification-controller serves them. */
export async function isReceiverForeign(kube: Kube, options: RequestOptions = {}): Promise<boolean> {
  const crd = await kube.get(crdResource, { name: RECEIVER_CRD }, options);
  return crd !== undefined && !isFairleadCrd(crd);
}
