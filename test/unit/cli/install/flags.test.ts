import { describe, expect, test } from '@jest/globals';
import { checkFlags, type InstallOptions } from '#cli/install/install.js';

describe('a flag of install without effect is an error', () => {
  test.each<[InstallOptions, string]>([
    [{ timeout: 60_000 }, '--timeout limits --wait: set --wait, too'],
    [{ wait: true, dryRun: true }, '--dry-run installs nothing to --wait for'],
    [{ fluxNamespace: 'flux' }, 'set --replace-flux, too'],
    [{ crdsOnly: true, image: 'x' }, '--crds-only installs no controller, which --image is for'],
    [{ crdsOnly: true, profile: 'tenant' }, '--crds-only installs no controller, which --profile is for'],
    [{ crdsOnly: true, wait: true }, '--crds-only installs no controller, which --wait is for'],
  ])('%j', (options, message) => expect(() => checkFlags(options)).toThrow(message));

  test.each<InstallOptions>([
    {},
    { wait: true, timeout: 60_000, image: 'x', profile: 'tenant' },
    { crdsOnly: true, dryRun: true, replaceFlux: true, fluxNamespace: 'flux' },
  ])('%j is none', (options) => expect(() => checkFlags(options)).not.toThrow());
});
