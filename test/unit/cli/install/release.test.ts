import { describe, expect, it } from '@jest/globals';
import { whyHeld } from '#cli/install/release.js';

const FLUX = ['Deployment flux-system/helm-controller of Flux runs'];
const [releases, applications] = ['helmreleases.helm.toolkit.fluxcd.io', 'applications.gitops.kubesphere.io'];

describe('a purge', () => {
  it.each<[string, string[], string[], RegExp | undefined]>([
    [
      "stops when Flux runs on Fairlead's CRDs",
      [applications, releases],
      FLUX,
      /^Deployment flux-system.*scale it to 0/,
    ],
    ["goes on when Flux does not use Fairlead's CRDs", [applications], FLUX, undefined],
    ['goes on when no Flux runs', [applications, releases], [], undefined],
  ])('%s', (_, crds, running, why) => {
    if (why === undefined) expect(whyHeld(crds, running)).toBeUndefined();
    else expect(whyHeld(crds, running)).toMatch(why);
  });
});
