import type { ConnectionOptions } from '../connection.js';
import type { Told } from './choices.js';

/** The flags of `fairlead install`. */
export interface InstallOptions extends ConnectionOptions, Told {
  readonly crdsOnly?: true;
  readonly takeOver?: true;
  readonly replaceFlux?: true;
  readonly fluxNamespace?: string;
  readonly dryRun?: true;
  readonly wait?: true;
  /** Milliseconds. */
  readonly timeout?: number;
}

/** Of the controller, which `--crds-only` does not install. */
const OF_THE_CONTROLLER = ['image', 'profile', 'wait'] as const;

/** Throws when flags do not go together: one without effect was meant to have one. Pure. */
export function checkFlags(options: InstallOptions): void {
  const { crdsOnly, dryRun, fluxNamespace, replaceFlux, timeout, wait } = options;
  const idle = OF_THE_CONTROLLER.find((flag) => options[flag] !== undefined);
  if (crdsOnly === true && idle !== undefined) {
    throw new Error(`--crds-only installs no controller, which --${idle} is for: use only one of the two`);
  }
  if (dryRun === true && wait === true) {
    throw new Error('--dry-run installs nothing to --wait for: use only one of the two');
  }
  if (timeout !== undefined && wait !== true) throw new Error('--timeout limits --wait: set --wait, too');
  if (fluxNamespace !== undefined && replaceFlux !== true) {
    throw new Error('--flux-namespace is where --replace-flux checks that Flux was stopped: set --replace-flux, too');
  }
}
