import { describe, expect, it } from '@jest/globals';
import { applicationUsing, shareRequest } from '#queries/views/requests.js';
import type { SharedWith } from '#api/v1alpha1/template-fields.js';
import { helmTemplate } from '../../template/model/builders.js';

const none: readonly string[] = [];

function shared(sharedWith?: SharedWith) {
  const template = helmTemplate(sharedWith === undefined ? {} : { sharedWith });
  return { ...template, metadata: { ...template.metadata, resourceVersion: '7' } };
}

function patch(namespaces: string[]) {
  return { metadata: { resourceVersion: '7' }, spec: { sharedWith: { namespaces } } };
}

describe('sharing a template', () => {
  it('adds and removes namespaces by name, of the template as it was read', () => {
    expect(shareRequest({ template: shared(), add: ['a', 'b', 'a'], remove: none })).toEqual({
      body: patch(['a', 'b']),
      done: 'shared with a, b',
    });
    expect(shareRequest({ template: shared({ namespaces: ['a', 'b'] }), add: ['c'], remove: ['a'] })).toEqual({
      body: patch(['b', 'c']),
      done: 'shared with b, c',
    });
  });

  it('leaves the selector alone, and says that it stays', () => {
    const template = shared({ namespaces: ['a'], selector: {} });
    expect(shareRequest({ template, add: none, remove: ['a'] })).toEqual({
      body: patch([]),
      done: 'shared with no namespace by its name; spec.sharedWith.selector stays, and may select more',
    });
  });

  it.each<[string, string[], string[], string]>([
    ['what it is already', ['a'], [], 'nothing changes: it is shared with a'],
    ['what it was not', [], ['c'], 'nothing changes: it is shared with a'],
    ['its own namespace', ['shop'], [], 'shop is its own namespace, which may always use it'],
    ['both at once', ['c'], ['c'], 'c is to be added and removed: name it once'],
  ])('refuses %s', (_, add, remove, refused) => {
    expect(shareRequest({ template: shared({ namespaces: ['a'] }), add, remove })).toEqual({ problem: refused });
  });
});

describe('using a template', () => {
  const base = { name: 'web', namespace: 'shop', template: 'platform/web@2', clusters: [], targetNamespace: undefined };

  it('deploys the chart to the host, into the namespace of the Application', () => {
    const { metadata, spec } = applicationUsing({ ...base, kind: 'HelmTemplate' });
    expect(metadata).toEqual({ name: 'web', namespace: 'shop' });
    const deploy = [{ destination: { targetNamespace: 'shop' } }];
    expect(spec.fluxApp?.spec.config).toEqual({ helmRelease: { template: 'platform/web@2', deploy } });
  });

  it('has one destination for each cluster', () => {
    const clusters = [
      { kind: 'Cluster', name: 'eu' },
      { kind: 'Secret', name: 'us' },
    ] as const;
    const { spec } = applicationUsing({ ...base, kind: 'HelmTemplate', clusters, targetNamespace: 'prod' });
    const deploy = clusters.map((clusterRef) => ({ destination: { clusterRef, targetNamespace: 'prod' } }));
    expect(spec.fluxApp?.spec.config.helmRelease?.deploy).toEqual(deploy);
  });

  it('has the same values everywhere', () => {
    const { spec } = applicationUsing({ ...base, kind: 'HelmTemplate', values: { replicas: 2 } });
    const deploy = [{ destination: { targetNamespace: 'shop' }, values: { replicas: 2 } }];
    expect(spec.fluxApp?.spec.config.helmRelease?.deploy).toEqual(deploy);
  });

  it('leaves the namespaces of files as they are', () => {
    const { spec } = applicationUsing({ ...base, kind: 'KustomizationTemplate' });
    expect(spec.fluxApp?.spec.config).toEqual({ kustomization: [{ template: 'platform/web@2' }] });
  });
});
