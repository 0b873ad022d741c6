import groupBy from 'lodash/groupBy.js';
import { gt, valid } from 'semver';
import type { KubeObject } from '#api/meta.js';
import { CRD_VERSION_LABEL, PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';
import { HELM_RELEASE_CRD, isFairleadCrd, ownerOfFluxCrds, RECEIVER_CRD } from '#manager/engine-choice.js';

/** What to do with one CRD of ours; `why` is for the user. */
export interface CrdStep {
  readonly name: string;
  readonly action: 'apply' | 'leave' | 'refuse';
  readonly why: string;
}

export interface InstallRules {
  /** Replace CRDs that somebody else installed, but for Flux's. */
  readonly takeOver: boolean;
  /** Replace those of Flux: only when it has ended. Default false. */
  readonly replaceFlux?: boolean;
  /** Where Flux must have ended for that. Default: in every namespace. */
  readonly fluxNamespace?: string | undefined;
}

/** True for the kinds that Flux defines. */
export function isFluxCrd(name: string): boolean {
  return name.endsWith('.toolkit.fluxcd.io');
}

/** True when Fairlead installed the object: its label says so, and of a CRD its schema. */
export function isOurs(object: KubeObject): boolean {
  if (object.kind === 'CustomResourceDefinition') return isFairleadCrd(object);
  return object.metadata.labels?.[PART_OF_LABEL] === PART_OF_FAIRLEAD;
}

function versionOf(crd: KubeObject): string {
  return crd.metadata.labels?.[CRD_VERSION_LABEL] ?? '';
}

function isDowngrade(wanted: KubeObject, live: KubeObject): boolean {
  const [from, to] = [versionOf(live), versionOf(wanted)];
  return valid(from) !== null && valid(to) !== null && gt(from, to);
}

function ourStep(wanted: KubeObject, live: KubeObject): CrdStep {
  const { name } = wanted.metadata;
  if (!isDowngrade(wanted, live)) return { name, action: 'apply', why: 'installed by Fairlead' };
  const why = `version ${versionOf(live)} is installed, this is ${versionOf(wanted)}: use the newer fairlead`;
  return { name, action: 'refuse', why };
}

const OF_NOTIFICATIONS = "Flux's notification-controller answers the webhooks";

const NOT_OURS = 'somebody else installed it: --take-over replaces it and keeps its objects';
const PART_OF_FLUX =
  'owned by Flux, while the HelmRelease CRD, which selects the engine, is not: install the rest of Flux, or ' +
  'stop Flux and replace its CRDs with --replace-flux; the objects stay';

function stepOf(
  wanted: KubeObject,
  live: KubeObject | undefined,
  rules: { takeOver: boolean; flux: boolean },
): CrdStep {
  const { name } = wanted.metadata;
  if (isFluxCrd(name) && rules.flux) return { name, action: 'leave', why: 'Flux is installed and is the engine' };
  if (live === undefined) return { name, action: 'apply', why: 'not installed yet' };
  if (isOurs(live)) return ourStep(wanted, live);
  if (rules.takeOver) return { name, action: 'apply', why: 'taken over' };
  if (name === RECEIVER_CRD) return { name, action: 'leave', why: OF_NOTIFICATIONS };
  return { name, action: 'refuse', why: isFluxCrd(name) ? PART_OF_FLUX : NOT_OURS };
}

/**
 * One step per wanted CRD, from the CRDs of those names that the cluster has. Fairlead leaves all of Flux's kinds alone
 * as soon as the HelmRelease is Flux's own, and refuses where only others are: a cluster never has half of two engines,
 * and the controller chooses its engine by the same rule.
 */
export function planCrds(
  wanted: readonly KubeObject[],
  live: readonly KubeObject[],
  { takeOver, replaceFlux = false }: InstallRules,
): CrdStep[] {
  const byName = new Map(live.map((crd) => [crd.metadata.name, crd]));
  const flux = !replaceFlux && ownerOfFluxCrds(byName.get(HELM_RELEASE_CRD)) === 'foreign';
  return wanted.map((crd) => {
    const { name } = crd.metadata;
    return stepOf(crd, byName.get(name), { takeOver: isFluxCrd(name) ? replaceFlux : takeOver, flux });
  });
}

/** Names the refused CRDs and why, one reason for all that share it; empty if none was refused. */
export function refusalOf(steps: readonly CrdStep[]): string {
  const byReason = groupBy(
    steps.filter(({ action }) => action === 'refuse'),
    'why',
  );
  return Object.entries(byReason)
    .map(([why, refused]) => `CRD ${refused.map(({ name }) => name).join(', ')}: ${why}`)
    .join('; ');
}
