import type { KubeObject } from '#api/meta.js';
import { PROFILE_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { ControllerDeployment } from '#queries/plans/installed-flags.js';
import { isClusterAdminBinding, isForTenants, type Profile } from './choices.js';

/** What decides about the rights on what releases contain. */
interface RightsFacts {
  readonly profile: Profile | undefined;
  /** The controller that is installed. */
  readonly installed: ControllerDeployment | undefined;
  /** What the cluster has of the objects that only the embedded engine needs. */
  readonly ofEngine: readonly KubeObject[];
}

const NARROWEST_FIRST: readonly Profile[] = ['tenant', 'cluster'];

/** The profile that an installation wrote down on these before it bound anything, the narrower of two. */
export function recordedProfile(objects: readonly (KubeObject | undefined)[]): Profile | undefined {
  const recorded = objects.map((object) => object?.metadata.annotations?.[PROFILE_ANNOTATION]);
  return NARROWEST_FIRST.find((profile) => recorded.includes(profile));
}

/**
 * The profile with which an interrupted installation goes on. Where a controller is installed, it only takes rights;
 * undefined stands for those that are installed.
 */
export function begunProfile(
  recorded: Profile | undefined,
  facts: Pick<RightsFacts, 'installed' | 'ofEngine'>,
): Profile | undefined {
  const isWider = recorded === 'tenant' && getsClusterAdmin({ ...facts, profile: undefined });
  return facts.installed === undefined || isWider ? recorded : undefined;
}

/** The object as it records a profile. */
export function withRecord(object: KubeObject, profile: Profile): KubeObject {
  const annotations = { ...object.metadata.annotations, [PROFILE_ANNOTATION]: profile };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/**
 * Whether the embedded engine gets cluster-admin. An engine without the binding was installed for tenants, or somebody
 * removed the binding, or its installation was interrupted: it stays away. While Flux is the engine, none of its objects
 * are left, and the flags of the controller tell.
 */
export function getsClusterAdmin({ profile, installed, ofEngine }: RightsFacts): boolean {
  if (profile !== undefined) return profile === 'cluster';
  if (ofEngine.length > 0) return ofEngine.some(isClusterAdminBinding);
  return installed === undefined || !isForTenants(installed);
}

/** The rights that the controller has, as a user reads them. */
export function rightsLine(
  chosen: ControllerDeployment,
  { isClusterAdmin, isExternal }: { readonly isClusterAdmin: boolean; readonly isExternal: boolean },
): string {
  const account = `ServiceAccount ${chosen.metadata.namespace ?? ''}/${chosen.metadata.name}`;
  if (isExternal) return `Rights: ${account} has none on what releases contain: Flux reconciles them.`;
  if (isClusterAdmin) return `Rights: ${account} is bound to cluster-admin; --profile tenant installs it without.`;
  const none = `Rights: ${account} has none on what releases contain`;
  if (isForTenants(chosen)) return `${none}: it impersonates a ServiceAccount of their namespace.`;
  return `${none}, and releases without serviceAccountName fail; --profile tenant or cluster sets up both.`;
}
