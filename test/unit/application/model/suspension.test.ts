import { expect, it } from '@jest/globals';
import { isSuspendedForRemoval, resumption } from '#controllers/application/model/child/metadata.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { application, applied, deploy, suspended, work } from './builders.js';

const made = (suspend?: boolean): Child => {
  const [child] = applied(
    [],
    work(application([deploy('prod', 'eu', suspend === undefined ? {} : { suspend })])).steps,
  );
  if (child === undefined) throw new Error('no child was made');
  return child;
};
const MARK = { metadata: { annotations: { 'gitops.kubesphere.io/suspended-for-removal': null } } };

it.each<[string, Child, Child, object | undefined]>([
  ['what we suspended is resumed', suspended(made()), made(), { ...MARK, spec: { suspend: null } }],
  ['what its entry suspends as well only loses the mark', suspended(made()), made(true), MARK],
  ['what its entry says not to suspend has that from the entry', suspended(made()), made(false), MARK],
  ['what its entry suspends stays so', made(true), made(true), undefined],
  ['what a user suspended by hand stays so', made(true), made(), undefined],
])('%s', (_, live, desired, expected) => {
  expect(resumption(live, desired)).toEqual(expected);
  expect(isSuspendedForRemoval(live)).toBe(expected !== undefined);
});
