import difference from 'lodash/difference.js';
import isEqual from 'lodash/isEqual.js';
import type { KubeObject } from '../../api/meta.js';
import { OPTIONS } from '../../controllers/options.js';
import { defined } from '../../controllers/runtime/pure/defined.js';

/** Whether releases get the rights of the controller (`cluster`) or those of a ServiceAccount of their namespace. */
export const PROFILES = ['cluster', 'tenant'] as const;
export type Profile = (typeof PROFILES)[number];

/** What the tenant profile adds to the flags of the controller. */
const TENANT_FLAGS = ['--default-service-account=default', '--no-cross-namespace-refs'];
/** Binds cluster-admin; the tenant profile does not have it. */
const ENGINE_BINDING = 'fairlead-engine';

interface Container {
  name?: string;
  image?: string;
  args?: string[];
  resources?: object;
}

export interface ControllerDeployment extends KubeObject {
  spec?: { replicas?: number; template?: { spec?: { containers?: Container[] } } };
}

/** What the user tells `fairlead install`; absent: keep what is installed, or the default. */
export interface Told {
  readonly image?: string | undefined;
  readonly profile?: Profile | undefined;
}

/** True for the binding that the tenant profile does without. */
export function isClusterAdminBinding({ kind, metadata }: KubeObject): boolean {
  return kind === 'ClusterRoleBinding' && metadata.name === ENGINE_BINDING;
}

function flagName(arg: string): string {
  return arg.split('=', 1)[0] ?? arg;
}

function containerOf(deployment: ControllerDeployment): Container {
  return deployment.spec?.template?.spec?.containers?.[0] ?? {};
}

/** The image of a Deployment's first container; empty without one. */
export function imageOf(deployment: ControllerDeployment): string {
  return containerOf(deployment).image ?? '';
}

/** What a user may choose of a Deployment, and what therefore outlives the next installation. */
interface Settings {
  readonly image: string;
  readonly args: readonly string[];
  readonly replicas: number | undefined;
  readonly resources: object | undefined;
}

function settingsOf(deployment: ControllerDeployment): Settings {
  const { image = '', args = [], resources } = containerOf(deployment);
  return { image, args, replicas: deployment.spec?.replicas, resources };
}

/** The image that this package, or another version of it, takes by default is nobody's choice. */
function keptImage(live: string, packaged: string): string {
  return live === '' || live.split(':', 1)[0] === packaged.split(':', 1)[0] ? packaged : live;
}

function withProfile(args: readonly string[], profile: Profile | undefined): readonly string[] {
  if (profile === undefined) return args;
  const names = TENANT_FLAGS.map(flagName);
  const others = args.filter((arg) => !names.includes(flagName(arg)));
  return profile === 'tenant' ? [...others, ...TENANT_FLAGS] : others;
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
 * resources), then the package. Pure.
 */
export function chosenDeployment(
  packaged: ControllerDeployment,
  live: ControllerDeployment | undefined,
  told: Told,
): ControllerDeployment {
  const chosen = structuredClone(packaged);
  const { replicas, ...rest } = chosenSettings(
    settingsOf(packaged),
    live === undefined ? undefined : settingsOf(live),
    told,
  );
  Object.assign(chosen.spec ?? {}, defined({ replicas }));
  Object.assign(containerOf(chosen), defined(rest));
  return chosen;
}

/** Flags of an installed controller that this version does not have: it would not start with them. Pure. */
export function unknownFlags(deployment: ControllerDeployment): string[] {
  const known = new Set(OPTIONS.map(({ flag }) => `--${flag}`));
  return settingsOf(deployment).args.filter((arg) => arg.startsWith('-') && !known.has(flagName(arg)));
}

function flagsInWords(packaged: readonly string[], chosen: readonly string[]): string[] {
  const [more, missing] = [difference(chosen, packaged), difference(packaged, chosen)];
  return [
    ...(more.length === 0 ? [] : [`flags ${more.join(' ')}`]),
    ...(missing.length === 0 ? [] : [`without ${missing.join(' ')}`]),
  ];
}

/** What differs from the package because it was installed so, in words. Pure. */
export function keptInWords(packaged: ControllerDeployment, chosen: ControllerDeployment, told: Told): string[] {
  const [before, after] = [settingsOf(packaged), settingsOf(chosen)];
  return [
    ...(told.image !== undefined || before.image === after.image ? [] : [`image ${after.image}`]),
    ...flagsInWords(withProfile(before.args, told.profile), after.args),
    ...(before.replicas === after.replicas ? [] : [`replicas: ${String(after.replicas)}`]),
    ...(isEqual(before.resources, after.resources) ? [] : ['resources']),
  ];
}
