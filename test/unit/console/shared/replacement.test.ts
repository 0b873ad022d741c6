import { describe, expect, test } from '@jest/globals';
import { replacementOf } from '#console/shared/replacement.js';
import { application } from '../../../support/application.js';

const LIVE = application(
  'web',
  '{ kind: fluxcd }',
  `{ uid: u1, resourceVersion: "7", labels: { a: "1", b: "2" }, annotations: { pin: "3" },
     finalizers: [f], ownerReferences: [{ apiVersion: v1, kind: Plan, name: p, uid: o }], managedFields: [] }`,
);
const spec = { kind: 'fluxcd', fluxApp: {} };

describe('what replaces an Application', () => {
  test('without a version takes no metadata away: pins, finalizers and labels stay (bug S2 of ks-devops)', () => {
    const sent = { metadata: { name: 'web', labels: { b: '9' }, finalizers: [] }, spec };
    const { metadata } = replacementOf(LIVE, sent);
    const { finalizers, ownerReferences, annotations } = LIVE.metadata;
    expect(metadata).toEqual({
      ...{ name: 'web', namespace: 'shop', uid: 'u1', resourceVersion: '7' },
      ...{ labels: { a: '1', b: '9' }, annotations, finalizers, ownerReferences },
    });
  });

  test('with a version says what all labels are, and must be of what is live', () => {
    const sent = { metadata: { name: 'web', resourceVersion: '6', labels: { b: '9' }, finalizers: [] }, spec };
    const { metadata } = replacementOf(LIVE, sent);
    expect(metadata).toMatchObject({ resourceVersion: '6', labels: { b: '9' }, annotations: { pin: '3' } });
    expect(metadata.finalizers).toEqual([]);
    expect(metadata.ownerReferences).toEqual(LIVE.metadata.ownerReferences);
  });

  test('has the spec that was sent, and no status', () => {
    expect(replacementOf(LIVE, { metadata: { name: 'web' }, spec })).not.toHaveProperty('status');
    expect(replacementOf(LIVE, { metadata: { name: 'web' }, spec }).spec).toEqual(spec);
  });

  test.each<[string, object]>([
    ['argocd, which the form of the console sends', { kind: 'argocd', argoApp: {} }],
    ['argocd without saying so', { argoApp: {} }],
    ['neither', {}],
  ])('cannot become %s', (_, other) => {
    expect(() => replacementOf(LIVE, { metadata: { name: 'web' }, spec: { ...other } })).toThrow(
      /^spec.kind: fluxcd cannot be changed to (argocd|none)/,
    );
  });
});
