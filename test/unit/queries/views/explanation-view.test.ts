import { expect, it } from '@jest/globals';
import { layerText } from '#queries/views/explanation-view.js';

it.each([
  ['spec.deploy[0]', 'entry'],
  ['spec.deploy[0].values', 'values'],
  ['spec.deploy[01].values', 'spec.deploy[01].values'],
  ['HelmTemplate shop/web', 'HelmTemplate shop/web'],
])('%s of an entry is %s', (from, expected) => {
  expect(layerText(from, 'spec.deploy[0]')).toBe(expected);
});
