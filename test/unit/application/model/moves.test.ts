import { expect, test } from '@jest/globals';
import { moves } from '#controllers/application/model/destinations/identity.js';
import type { Application } from '#api/v1alpha1/application.js';
import { application, deploy, files, filesApplication, work } from './builders.js';

function childOf(wanted: Application) {
  const [step] = work(wanted).steps;
  if (step?.op !== 'create') throw new Error('nothing is created');
  return step.object;
}
const release = (namespace: string, more: object = {}) => childOf(application([deploy(namespace, 'eu', more)]));
const ofFiles = (namespace: string | undefined, more: object = {}) =>
  childOf(filesApplication([files(namespace, 'eu', { path: './a', ...more })]));

test.each<[string, ReturnType<typeof childOf>, ReturnType<typeof childOf>, boolean]>([
  ['a field', release('prod'), release('prod', { timeout: '1m' }), false],
  ['the release name', release('prod'), release('prod', { releaseName: 'new' }), true],
  ['the target namespace', release('prod'), release('test', { storageNamespace: 'prod' }), true],
  ['the name of an entry with files', ofFiles('prod'), ofFiles('prod', { name: 'f' }), false],
  ['the name and the path of an entry with files', ofFiles('prod'), ofFiles('prod', { name: 'f', path: './b' }), false],
  ['the namespace of files', ofFiles('prod'), ofFiles('test'), true],
  ['files to the namespaces that they state', ofFiles('prod'), ofFiles(undefined), true],
])('a change of %s', (_, live, object, expected) => {
  expect(moves(live, object)).toBe(expected);
});
