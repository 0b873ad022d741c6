import { expect, test } from '@jest/globals';
import { ABANDON_ANNOTATION, abandonedNames } from '#api/v1alpha1/labels.js';

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ['', []],
  ['true', ['true']],
  [' eu , ,fleet/us,', ['eu', 'fleet/us']],
])('%j names %j', (text, names) => {
  const annotations = text === undefined ? {} : { [ABANDON_ANNOTATION]: text };
  expect(abandonedNames({ metadata: { name: 'web', annotations } })).toEqual(names);
});
