import { expect, test } from '@jest/globals';
import { templateApiPath, usedTemplatePaths } from '#console/web/templates/model/template-query.js';

test('the path of a template holds whatever its name is', () => {
  const names = { namespace: 'shop', kind: 'HelmTemplate', name: '../a?b' };
  expect(templateApiPath(names)).toBe('/api/v1/namespaces/shop/templates/HelmTemplate/..%2Fa%3Fb');
});

test.each([
  ['web', ['shop/templates/HelmTemplate/web', 'shop/templates/HelmTemplate/shop-web']],
  ['base/web@3', ['base/templates/HelmTemplate/web/revisions/3']],
  ['', []],
])('the template %j of an Application is looked for where the controller does', (template, paths) => {
  const found = usedTemplatePaths({ namespace: 'shop', template });
  expect(found).toEqual(paths.map((path) => `/api/v1/namespaces/${path}`));
});
