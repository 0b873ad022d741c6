import type { KubeObject } from '#api/meta.js';
import { OPTIONS } from '#manager/options.js';

/** The container of the controller in its Deployment. */
export const CONTAINER = 'controller';

interface Container {
  name?: string;
  image?: string;
  args?: string[];
  resources?: object;
}

export interface ControllerDeployment extends KubeObject {
  spec?: { replicas?: number; template?: { spec?: { containers?: Container[] } } };
}

/** A flag with its value, which may be the argument after it. */
export interface Flag {
  readonly name: string;
  readonly value: string | undefined;
  /** As it was written. */
  readonly args: readonly string[];
}

const WITH_VALUE: readonly string[] = OPTIONS.flatMap(({ flag, value }) => (value === undefined ? [] : [`--${flag}`]));

/** As the controller reads them. Pure. */
export function flagsOf(args: readonly string[]): Flag[] {
  const flags: Flag[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const equals = arg.indexOf('=');
    const value = args[index + 1];
    if (equals >= 0) flags.push({ name: arg.slice(0, equals), value: arg.slice(equals + 1), args: [arg] });
    else if (WITH_VALUE.includes(arg) && value !== undefined) {
      flags.push({ name: arg, value, args: [arg, value] });
      index++;
    } else flags.push({ name: arg, value: undefined, args: [arg] });
  }
  return flags;
}

/** Sidecars may stand before or after it. */
export function containerOf(deployment: ControllerDeployment): Container | undefined {
  return deployment.spec?.template?.spec?.containers?.find(({ name }) => name === CONTAINER);
}

/** Those of the controller. Pure. */
export function argsOf(deployment: ControllerDeployment): readonly string[] {
  return containerOf(deployment)?.args ?? [];
}

/** What an installed controller lets Applications refer to. Pure. */
export function rulesOf(deployment: ControllerDeployment | undefined): {
  readonly allowCrossNamespace: boolean;
  readonly watchedNamespace: string | undefined;
} {
  const flags = deployment === undefined ? [] : flagsOf(argsOf(deployment));
  return {
    allowCrossNamespace: !flags.some(({ name }) => name === '--no-cross-namespace-refs'),
    watchedNamespace: flags.findLast(({ name }) => name === '--namespace')?.value,
  };
}
