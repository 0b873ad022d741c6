import { describe, expect, it } from '@jest/globals';
import { deploy } from '../../unit/application/model/builders.js';
import { useHarness } from './harness.js';

describe('what Go clients and ks-devops write, on a real API server', () => {
  const harness = useHarness();

  it('is not set where it is an empty text', async () => {
    const wanted = harness.wanted('blank', [
      deploy('blank', 'eu', { releaseName: '', storageNamespace: '', serviceAccountName: '' }),
    ]);
    wanted.spec.fluxApp!.spec.config.helmRelease!.template = '';
    await harness.apply(wanted);
    const [child] = await harness.eventuallyHas('blank', 1);
    expect(child?.spec).toMatchObject({ releaseName: 'blank', storageNamespace: 'blank' });
    expect(child?.spec).not.toHaveProperty('serviceAccountName');
  });

  it('becomes patches of today where it is one of the older kinds of patches', async () => {
    const target = { kind: 'Deployment', name: 'web' };
    const operations = [{ op: 'remove', path: '/spec/replicas' }];
    const merge = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { type: 'NodePort' } };
    const kustomize = {
      patchesStrategicMerge: [merge],
      patchesJson6902: [{ target, patch: operations }],
    };
    await harness.put('patched', [deploy('patched', 'eu', { postRenderers: [{ kustomize }] })]);
    const [child] = await harness.eventuallyHas('patched', 1);
    const patches = [{ patch: JSON.stringify(merge) }, { patch: JSON.stringify(operations), target }];
    expect(child?.spec['postRenderers']).toEqual([{ kustomize: { patches } }]);
    const { spec } = await harness.read('patched');
    expect(spec.fluxApp?.spec.config.helmRelease?.deploy[0]?.postRenderers).toEqual([{ kustomize }]);
  });
});
