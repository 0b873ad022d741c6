import { expect, test } from '@jest/globals';
import { templateApiPath } from '#console/web/model/template-paths.js';

test('the path of a template holds whatever its name is', () => {
  const names = { namespace: 'shop', kind: 'HelmTemplate', name: '../a?b' };
  expect(templateApiPath(names)).toBe('/api/v1/namespaces/shop/templates/HelmTemplate/..%2Fa%3Fb');
});
