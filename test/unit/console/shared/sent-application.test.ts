import { describe, expect, test } from '@jest/globals';
import { createdFrom, sentApplication } from '#console/shared/sent-application.js';

const IN = { namespace: 'shop' };
const AT = { namespace: 'shop', name: 'web' };
const metadata = { name: 'web' };

describe('an Application that was sent', () => {
  test('keeps of its metadata what is the user’s to say', () => {
    const own = { name: 'web', labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x/y'] };
    const others = { uid: '1', generation: 3, creationTimestamp: 'x', managedFields: [], ownerReferences: null };
    const sent = sentApplication(
      { metadata: { ...own, ...others, namespace: 'shop' }, spec: { kind: 'fluxcd' }, status: {} },
      IN,
    );
    expect(sent).toEqual({ metadata: own, spec: { kind: 'fluxcd' } });
  });

  test('is created without the version of another one', () => {
    const sent = sentApplication({ metadata: { ...metadata, resourceVersion: '5' }, spec: {} }, IN);
    expect(createdFrom(sent, 'shop')).toEqual({
      apiVersion: 'gitops.kubesphere.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'web', namespace: 'shop' },
      spec: {},
    });
  });

  test('means what the forms of the console mean', () => {
    const config = (valuesFiles: string[]) => ({ helmRelease: { chart: { chart: 'web', valuesFiles }, deploy: [] } });
    const spec = (syncPolicy: object, files: string[]) => ({
      argoApp: { spec: { syncPolicy, project: 'x' } },
      fluxApp: { spec: { config: config(files) } },
    });
    const body = { metadata, spec: spec({ manual: {}, syncOptions: ['x'] }, ['', 'a.yaml', '']) };
    const before = JSON.stringify(body);
    expect(sentApplication(body, IN).spec).toEqual(spec({ syncOptions: ['x'] }, ['a.yaml']));
    expect(JSON.stringify(body)).toBe(before);
  });

  test.each<[string, unknown, string]>([
    ['no object', [], 'the body is not an object'],
    ['nothing', undefined, 'the body is not an object'],
    ['another API', { apiVersion: 'v1', metadata, spec: {} }, 'apiVersion is "v1"'],
    ['another kind', { kind: 'Secret', metadata, spec: {} }, 'kind is "Secret"'],
    [
      'another namespace (bug S2 of ks-devops)',
      { metadata: { ...metadata, namespace: 'x' }, spec: {} },
      'metadata.namespace is "x"',
    ],
    ['another name (bug S2 of ks-devops)', { metadata: { name: 'x' }, spec: {} }, 'metadata.name is "x"'],
    ['odd metadata', { metadata: 'x', spec: {} }, 'metadata is not an object'],
    ['odd labels', { metadata: { ...metadata, labels: 'abc' }, spec: {} }, 'metadata.labels has another form'],
    ['an odd version', { metadata: { ...metadata, resourceVersion: 5 }, spec: {} }, 'metadata.resourceVersion has'],
    ['no spec, which would remove everything', { metadata }, 'spec is missing'],
    ['an empty spec', { metadata, spec: null }, 'spec is missing'],
  ])('is refused with %s', (_, body, message) => expect(() => sentApplication(body, AT)).toThrow(message));

  test('needs a name', () => expect(() => sentApplication({ spec: {} }, IN)).toThrow('metadata.name is missing'));
});
