import { expect, test } from '@jest/globals';
import type { KubeObject, ResourceType } from '#api/meta.js';
import { clusterGrantResource } from '#api/v1alpha1/cluster-grant.js';
import { credentialControllers } from '#controllers/cluster/credential/setup.js';
import type { CacheOptions, SetupContext } from '#runtime/controller.js';
import { Store } from '#runtime/cache/store.js';

test('without the CRD of grants the program is ready, and grants are unknown rather than none', () => {
  const asked: (readonly [ResourceType, CacheOptions<KubeObject>])[] = [];
  const cache = (type: ResourceType, options: CacheOptions<KubeObject> = {}): Store<KubeObject> => {
    asked.push([type, options]);
    return new Store<KubeObject>(type, (error) => {
      throw error;
    });
  };
  // Setup only asks for caches.
  credentialControllers({ cache } as unknown as SetupContext, { controllerNamespace: 'fairlead' });
  const grants = asked.filter(([type]) => type === clusterGrantResource);
  expect(grants.map(([, { mayFail = false, optional = false }]) => ({ mayFail, optional }))).toEqual([
    { mayFail: true, optional: false },
  ]);
});
