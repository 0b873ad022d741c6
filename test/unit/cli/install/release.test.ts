import { describe, expect, it } from '@jest/globals';
import { resourceOf, whyHeld } from '#cli/install/release.js';

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

it('lists the objects of a CRD in a version that is served', () => {
  const version = (name: string, served: boolean) => ({ name, served });
  const spec = { group: 'g', names: { kind: 'Thing', plural: 'things' }, scope: 'Namespaced' };
  const versions = [version('v1alpha1', false), version('v1', true)];
  expect(resourceOf({ metadata: { name: 'things.g' }, spec: { ...spec, versions } }).version).toBe('v1');
});
