import { expect, test } from '@jest/globals';
import { keepCrds } from '#controllers/flux/helmrelease/model/inventory.js';

const crd = { id: '_sheets.example.com_apiextensions.k8s.io_CustomResourceDefinition', v: 'v1' };
const old = { id: 'apps_old__ConfigMap', v: 'v1' };
const web = { id: 'apps_web__ConfigMap', v: 'v1' };

test('a failed revision lists its objects and the CRDs that were known', () => {
  expect(keepCrds([crd, old], [web])).toEqual([crd, web]);
});

test('a CRD of the revision itself is listed once, in its new version', () => {
  expect(keepCrds([crd], [{ ...crd, v: 'v2' }])).toEqual([{ ...crd, v: 'v2' }]);
});
