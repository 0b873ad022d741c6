import { expect, test } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { Namespaces } from '#console/server/namespaces.js';
import type { Change } from '#runtime/controller.js';
import { application } from '../../../support/application.js';

const inside = (name: string, namespace: string): Application => {
  const made = application(name, '{}');
  return { ...made, metadata: { ...made.metadata, namespace } };
};

test('namespaces are collected anew when an Application comes or goes, not when one changes', () => {
  let listed = 0;
  let all = [inside('a', 'x'), inside('b', 'x'), inside('a', 'w')];
  let tell: (change: Change<Application>) => void = () => undefined;
  const list = (): Application[] => {
    listed += 1;
    return all;
  };
  const namespaces = new Namespaces({ list, onChange: (handler) => (tell = handler) });
  const { key } = namespaces.names;
  expect(namespaces.names.all).toEqual(['w', 'x']);
  tell({ type: 'updated', object: inside('a', 'x'), previous: inside('a', 'x') });
  expect([namespaces.names.key, listed]).toEqual([key, 1]);
  all = [...all, inside('c', 'x')];
  tell({ type: 'added', object: inside('c', 'x') });
  expect([namespaces.names.key, listed]).toEqual([key, 2]);
  all = [inside('a', 'x')];
  tell({ type: 'deleted', object: inside('a', 'w') });
  expect(namespaces.names.all).toEqual(['x']);
  expect(namespaces.names.key).not.toBe(key);
});
