import { expect, test } from '@jest/globals';
import { serviceAccountOf } from '#controllers/flux/shared/model/service-account.js';
import { helmRelease } from '#test/unit/flux/helmrelease/model/builders.js';

test.each<[string, string | undefined, string | undefined, string | undefined]>([
  ['neither is given', undefined, undefined, undefined],
  ['both are empty', '', '', undefined],
  ['the spec names one', 'deployer', undefined, 'deployer'],
  ['the spec names one beside the default', 'deployer', 'tenant', 'deployer'],
  ['there is a default', undefined, 'tenant', 'tenant'],
  ['the spec is empty beside the default', '', 'tenant', 'tenant'],
])('when %s', (_name, serviceAccountName, fallback, expected) => {
  const spec = serviceAccountName === undefined ? {} : { serviceAccountName };
  expect(serviceAccountOf(helmRelease(spec), fallback)).toBe(expected);
});
