import { expect, it } from '@jest/globals';
import { textOf } from '#console/web/editor/model/application-text.js';
import { takeoverOf } from '#console/web/editor/model/drafts.js';
import { pathText } from '#console/web/editor/model/three-way.js';

const BASE = { namespace: 'shop', name: 'web', labels: {}, annotations: {}, spec: { a: 1, b: { c: 1 } } };

it('puts their changes into what was typed, and keeps the rest of it', () => {
  const typed = textOf(BASE).replace('  a: 1', '  a: 2 # mine');
  const takeover = takeoverOf(typed, BASE, { ...BASE, labels: { team: 'x' }, spec: { a: 3, b: { c: 4 } } });
  expect(takeover?.text).toBe(
    [
      ...['apiVersion: gitops.kubesphere.io/v1alpha1', 'kind: Application', 'metadata:', '  name: web'],
      ...['  namespace: shop', '  labels:', '    team: x', 'spec:', '  a: 2 # mine', '  b:', '    c: 4', ''],
    ].join('\n'),
  );
  expect(takeover?.theirs.map(pathText)).toEqual(['metadata.labels', 'spec.a', 'spec.b.c']);
  expect(takeover?.both.map(pathText)).toEqual(['spec.a']);
});

it('needs a text that can be read', () => {
  expect(takeoverOf('a: [', BASE, BASE)).toBeUndefined();
});
