import { describe, expect, it } from '@jest/globals';
import { fluxElsewhere, unguardedFlux, type Deployment } from '#manager/flux-watch.js';

const ELECTS = '--enable-leader-election';

interface Facts {
  readonly name?: string;
  readonly namespace?: string;
  readonly component?: string;
  readonly replicas?: number;
  readonly args?: string[];
}

function deployment({
  name = 'helm-controller',
  namespace = 'flux-system',
  component,
  replicas,
  args = [ELECTS],
}: Facts): Deployment {
  const labels = component === undefined ? {} : { 'app.kubernetes.io/component': component };
  const template = { spec: { containers: [{ args }] } };
  const spec = replicas === undefined ? { template } : { replicas, template };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, labels }, spec };
}

describe('unguardedFlux', () => {
  it.each<[string, Facts, boolean]>([
    ['that stands for the Lease which we hold is kept waiting by it', {}, false],
    ['with the flag spelt out is kept waiting, too', { args: [`${ELECTS}=true`] }, false],
    ['without leader election conflicts', { args: [] }, true],
    ['with leader election switched off conflicts', { args: [`${ELECTS}=false`] }, true],
    ['of another namespace is none, whatever it says: anybody may have made it', { namespace: 'tenant' }, false],
    ['of another namespace without leader election is none either', { namespace: 'tenant', args: [] }, false],
    ['of a shard conflicts: its Lease has another name', { args: [ELECTS, '--watch-label-selector=a=b'] }, true],
    ['that was scaled to zero is none', { args: [], replicas: 0 }, false],
    ['of sources is one, like that of releases', { name: 'source-controller', args: [] }, true],
    ['is known by its component, whatever its name', { name: 'x', component: 'helm-controller', args: [] }, true],
    ['that does nothing of ours is none', { name: 'notification-controller', args: [] }, false],
    ['of Kustomizations is none', { name: 'kustomize-controller', args: [] }, false],
  ])('a controller of Flux %s', (_, facts, isRival) => {
    expect(unguardedFlux([deployment(facts)], 'flux-system')).toHaveLength(isRival ? 1 : 0);
  });

  it('names them all', () => {
    const two = [deployment({ args: [] }), deployment({ args: [], name: 'source-controller' })];
    expect(unguardedFlux(two, 'flux-system')).toEqual([
      'Deployment flux-system/helm-controller of Flux runs',
      'Deployment flux-system/source-controller of Flux runs',
    ]);
  });
});

describe('fluxElsewhere', () => {
  it.each<[string, Facts, string[]]>([
    ['of the namespace of Flux is not elsewhere', { args: [] }, []],
    ['of another namespace is worth a warning', { namespace: 'gitops' }, ['gitops/helm-controller']],
    ['that was scaled to zero is not', { namespace: 'gitops', replicas: 0 }, []],
    ['that does nothing of ours is not', { namespace: 'gitops', name: 'kustomize-controller' }, []],
  ])('a controller %s', (_, facts, found) => {
    expect(fluxElsewhere([deployment(facts)], 'flux-system')).toEqual(found);
  });
});
