import difference from 'lodash/difference.js';
import isEqual from 'lodash/isEqual.js';
import type { KubeObject } from '#api/meta.js';
import { OPTIONS } from '#manager/options.js';
import {
  argsOf,
  CONTAINER,
  containerOf,
  flagsOf,
  type ControllerDeployment,
  type Flag,
} from '#queries/plans/installed-flags.js';
import { defined } from '#lib/plain.js';
import { GLOBAL_FLAGS } from '../command/program-info.js';

/** Whether releases get the rights of the controller (`cluster`) or those of a ServiceAccount of their namespace. */
export const PROFILES = ['cluster', 'tenant'] as const;
export type Profile = (typeof PROFILES)[number];

/** What the tenant profile adds to the flags of the controller. */
const TENANT_FLAGS = ['--default-service-account=default', '--no-cross-namespace-refs'];
/** Binds cluster-admin; the tenant profile does not have it. */
const ENGINE_BINDING = 'fairlead-engine';
/** The tag of a default image. */
const VERSION = /^\d+\.\d+\.\d+$/;

/** What the user tells `fairlead install`; absent: keep what is installed, or the default. */
export interface Told {
  readonly image?: string | undefined;
  readonly profile?: Profile | undefined;
}

/** True for the binding that the tenant profile does without. */
export function isClusterAdminBinding({ kind, metadata }: KubeObject): boolean {
  return kind === 'ClusterRoleBinding' && metadata.name === ENGINE_BINDING;
}

/** The image of the controller in a Deployment; empty without one. */
export function imageOf(deployment: ControllerDeployment): string {
  return containerOf(deployment)?.image ?? '';
}

/** What a user may choose of a Deployment, and what therefore outlives the next installation. */
interface Settings {
  readonly image: string;
  readonly args: readonly string[];
  readonly replicas: number | undefined;
  readonly resources: object | undefined;
}

/** Undefined without a container of the controller. */
function settingsOf(deployment: ControllerDeployment): Settings | undefined {
  const container = containerOf(deployment);
  if (container === undefined) return undefined;
  const { image = '', args = [], resources } = container;
  return { image, args, replicas: deployment.spec?.replicas, resources };
}

/** The image that this package, or another version of it, takes by default is nobody's choice. */
function keptImage(live: string, packaged: string): string {
  const [repository = ''] = packaged.split(':', 1);
  const isDefault = live.startsWith(`${repository}:`) && VERSION.test(live.slice(repository.length + 1));
  return live === '' || isDefault ? packaged : live;
}

/** `tenant` adds what is missing, and `cluster` removes what `tenant` added: other flags and values are the user's. */
function withProfile(args: readonly string[], profile: Profile | undefined): readonly string[] {
  if (profile === undefined) return args;
  const [flags, ofTenant] = [flagsOf(args), flagsOf(TENANT_FLAGS)];
  if (profile === 'tenant') {
    const missing = ofTenant.filter(({ name }) => !flags.some((flag) => flag.name === name));
    return [...args, ...missing.flatMap((flag) => flag.args)];
  }
  const isAdded = ({ name, value }: Flag): boolean =>
    ofTenant.some((added) => added.name === name && added.value === value);
  return flags.filter((flag) => !isAdded(flag)).flatMap((flag) => flag.args);
}

/** Whether releases impersonate a ServiceAccount of their namespace by default. */
export function isForTenants(deployment: ControllerDeployment): boolean {
  return flagsOf(argsOf(deployment)).some(({ name }) => name === '--default-service-account');
}

/** The flags that a profile removes from an installed controller. */
export function removedFlags(live: ControllerDeployment | undefined, { profile }: Told): string[] {
  const args = live === undefined ? [] : argsOf(live);
  return difference(args, withProfile(args, profile));
}

function chosenSettings(packaged: Settings, live: Settings | undefined, { image, profile }: Told): Settings {
  const installed = live ?? packaged;
  return {
    image: image ?? keptImage(installed.image, packaged.image),
    args: withProfile(installed.args, profile),
    replicas: installed.replicas ?? packaged.replicas,
    resources: installed.resources ?? packaged.resources,
  };
}

/**
 * The packaged Deployment as this user wants it: what was told, then what is installed (image, flags, replicas and
 * resources), then the package.
 */
export function chosenDeployment(
  packaged: ControllerDeployment,
  live: ControllerDeployment | undefined,
  told: Told,
): ControllerDeployment {
  const chosen = structuredClone(packaged);
  const [settings, container] = [settingsOf(packaged), containerOf(chosen)];
  if (settings === undefined || container === undefined) throw new Error(`the package has no container ${CONTAINER}`);
  const { replicas, ...rest } = chosenSettings(settings, live && settingsOf(live), told);
  Object.assign(chosen.spec ?? {}, defined({ replicas }));
  Object.assign(container, defined(rest));
  return chosen;
}

/** Flags of an installed controller that this version does not have: it would not start with them. */
export function unknownFlags(deployment: ControllerDeployment): string[] {
  const known = [...OPTIONS.map(({ flag }) => `--${flag}`), ...GLOBAL_FLAGS];
  const flags = flagsOf(argsOf(deployment)).map(({ name }) => name);
  return flags.filter((name) => name.startsWith('-') && !known.includes(name));
}

function flagsInWords(packaged: readonly string[], chosen: readonly string[]): string[] {
  const [more, missing] = [difference(chosen, packaged), difference(packaged, chosen)];
  return [
    ...(more.length === 0 ? [] : [`flags ${more.join(' ')}`]),
    ...(missing.length === 0 ? [] : [`without ${missing.join(' ')}`]),
  ];
}

/** Describes in words how an installation differs from the package because of the flags it was installed with. */
export function keptInWords(packaged: ControllerDeployment, chosen: ControllerDeployment, told: Told): string[] {
  const [before, after] = [settingsOf(packaged), settingsOf(chosen)];
  if (before === undefined || after === undefined) return [];
  return [
    ...(told.image !== undefined || before.image === after.image ? [] : [`image ${after.image}`]),
    ...flagsInWords(withProfile(before.args, told.profile), after.args),
    ...(before.replicas === after.replicas ? [] : [`replicas: ${String(after.replicas)}`]),
    ...(isEqual(before.resources, after.resources) ? [] : ['resources']),
  ];
}
