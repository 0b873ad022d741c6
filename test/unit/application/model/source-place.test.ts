import { expect, it } from '@jest/globals';
import { sourceText } from '#controllers/application/model/source-place.js';

it('tells sources apart by kind, namespace and name', () => {
  expect(sourceText({ kind: 'GitRepository', namespace: 'shop', name: 'fleet' })).toBe('GitRepository/shop/fleet');
});
