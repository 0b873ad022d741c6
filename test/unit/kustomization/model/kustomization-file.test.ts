import { expect, test } from '@jest/globals';
import { generatedFile, withSpec, type FileSpec } from '#controllers/kustomization/model/kustomization-file.js';
import { treeOf } from './builders.js';

const TREE = treeOf({
  'app/a.yaml': '',
  'app/notes.md': '',
  'app/deep/er/b.yml': '',
  'app/base/kustomization.yaml': '',
  'app/base/c.yaml': '',
  'common/kustomization.yaml': '',
});
const TYPE = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' };

function merged(file: Record<string, unknown>, spec: FileSpec): unknown {
  return withSpec(file, spec, { tree: TREE, folder: 'app' });
}

test('a folder without a kustomization file is all of its manifests, and its bases as a whole', () => {
  expect(generatedFile(TREE, 'app')).toEqual({ ...TYPE, resources: ['./a.yaml', './base', './deep/er/b.yml'] });
});

test.each<[string, Record<string, unknown>, FileSpec, Record<string, unknown>]>([
  [
    'names and namespace win',
    { namespace: 'a', namePrefix: 'b' },
    { targetNamespace: 'n', namePrefix: 'p', nameSuffix: 's' },
    { namespace: 'n', namePrefix: 'p', nameSuffix: 's' },
  ],
  [
    'patches come after',
    { patches: [{ patch: 'a' }] },
    { patches: [{ patch: 'b' }] },
    { patches: [{ patch: 'a' }, { patch: 'b' }] },
  ],
  ['components are added', {}, { components: ['../common'] }, { components: ['../common'] }],
  [
    'missing components are left out',
    {},
    { components: ['../common', '../none'], ignoreMissingComponents: true },
    { components: ['../common'] },
  ],
  [
    'annotations are asked for once',
    { buildMetadata: ['originAnnotations'] },
    { buildMetadata: ['originAnnotations', 'transformerAnnotations'] },
    { buildMetadata: ['originAnnotations', 'transformerAnnotations'] },
  ],
  [
    'an image is merged by name',
    { images: [{ name: 'a', newName: 'x', newTag: '1' }] },
    { images: [{ name: 'a', digest: 'd' }] },
    { images: [{ name: 'a', newName: 'x', digest: 'd' }] },
  ],
  [
    'a new name keeps the tag',
    { images: [{ name: 'a', newTag: '1' }] },
    { images: [{ name: 'a', newName: 'y' }] },
    { images: [{ name: 'a', newTag: '1', newName: 'y' }] },
  ],
  [
    'another image is added',
    { images: [{ name: 'a' }] },
    { images: [{ name: 'b', newTag: '2' }] },
    { images: [{ name: 'a' }, { name: 'b', newTag: '2' }] },
  ],
])('%s', (_title, file, spec, expected) => {
  expect(merged(file, spec)).toEqual({ ...TYPE, ...expected });
});

test('a field that is no list is named', () => {
  expect(() => merged({ patches: 'x' }, { patches: [{ patch: 'a' }] })).toThrow('patches of the kustomization file');
});
