import { configMap, deployment, kustomizationFile, manifest, object, type Case } from './case.js';

const WEB = manifest(deployment('web'), configMap('web', { a: '1' }));

/** How the files become objects. */
export const BUILD_CASES: readonly Case[] = [
  {
    name: 'plain-folder',
    steps: [
      {
        does: 'manifests without a kustomization file are applied',
        files: {
          'one.yaml': manifest(configMap('one', { a: '1' }), configMap('two', { b: '2' })),
          'below/three.yaml': manifest(configMap('three', {})),
          'notes.txt': 'no manifest',
        },
      },
      {
        does: 'one is changed, one is removed',
        files: {
          'one.yaml': manifest(configMap('one', { a: '2', c: '3' })),
          'below/three.yaml': manifest(configMap('three', {})),
        },
      },
    ],
  },
  {
    name: 'overlay',
    steps: [
      {
        does: 'an overlay of a base is built',
        files: {
          'base/kustomization.yaml': kustomizationFile({
            resources: ['web.yaml'],
            labels: [{ pairs: { tier: 'front' } }],
          }),
          'base/web.yaml': WEB,
          'overlay/kustomization.yaml': kustomizationFile({
            resources: ['../base'],
            replicas: [{ name: 'web', count: 2 }],
            patches: [{ patch: manifest(configMap('web', { b: '2' })) }],
          }),
        },
        spec: { path: './overlay' },
      },
    ],
  },
  {
    name: 'generators',
    steps: [
      {
        does: 'names carry a hash',
        files: {
          'kustomization.yaml': kustomizationFile({
            resources: ['web.yaml'],
            configMapGenerator: [{ name: 'settings', literals: ['level=1'] }],
            secretGenerator: [{ name: 'keys', literals: ['key=1'] }],
          }),
          'web.yaml': manifest(deployment('web', 1, { volumes: [{ name: 'x', configMap: { name: 'settings' } }] })),
        },
      },
      {
        does: 'another hash replaces the object',
        files: {
          'kustomization.yaml': kustomizationFile({
            resources: ['web.yaml'],
            configMapGenerator: [{ name: 'settings', literals: ['level=2'] }],
            secretGenerator: [{ name: 'keys', literals: ['key=1'] }],
          }),
          'web.yaml': manifest(deployment('web', 1, { volumes: [{ name: 'x', configMap: { name: 'settings' } }] })),
        },
      },
    ],
  },
  {
    name: 'patches',
    steps: [
      {
        does: 'patches of both kinds are applied',
        files: {
          'web.yaml': WEB,
          'more.yaml': manifest(
            configMap('back', {}, { labels: { tier: 'back' } }),
            configMap('noted', {}, { namespace: 'patches', annotations: { note: 'yes' } }),
          ),
        },
        spec: {
          patches: [
            { patch: manifest(configMap('web', { b: '2' })) },
            {
              patch: '- {op: replace, path: /spec/replicas, value: 2}',
              target: { group: 'apps', version: 'v1', kind: 'Deployment', name: 'w.b' },
            },
            {
              patch: '- {op: add, path: /data/c, value: labeled}',
              target: { kind: 'ConfigMap', labelSelector: 'tier in (back)' },
            },
            {
              patch: '- {op: add, path: /data/d, value: annotated}',
              target: { kind: 'ConfigMap', namespace: 'patches', annotationSelector: 'note=yes' },
            },
          ],
        },
      },
      { does: 'without them', spec: { patches: [] } },
    ],
  },
  {
    name: 'images',
    steps: [
      {
        does: 'an image is replaced',
        files: { 'web.yaml': WEB },
        spec: { images: [{ name: 'example.com/app', newName: 'example.org/app', newTag: '2' }] },
      },
      {
        does: 'by its digest',
        spec: { images: [{ name: 'example.com/app', digest: `sha256:${'0'.repeat(64)}` }] },
      },
    ],
  },
  {
    name: 'source-in-full',
    steps: [
      {
        does: 'the source is named with its namespace',
        files: { 'web.yaml': manifest(configMap('web', {})) },
        spec: {
          targetNamespace: 'source-in-full',
          sourceRef: {
            ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository' },
            ...{ name: 'source-in-full', namespace: 'source-in-full' },
          },
        },
      },
    ],
  },
  {
    name: 'components',
    steps: [
      {
        does: 'components of the spec are added',
        files: {
          'app/web.yaml': WEB,
          'parts/more/kustomization.yaml': JSON.stringify({
            apiVersion: 'kustomize.config.k8s.io/v1alpha1',
            kind: 'Component',
            resources: ['more.yaml'],
            patches: [{ patch: manifest(configMap('web', { c: '3' })) }],
          }),
          'parts/more/more.yaml': manifest(configMap('more', {})),
        },
        spec: { path: 'app', components: ['../parts/more', '../parts/none'], ignoreMissingComponents: true },
      },
    ],
  },
  {
    name: 'affixes',
    steps: [
      {
        does: 'names have a prefix and a suffix',
        files: {
          'web.yaml': manifest(
            deployment('web', 1, { serviceAccountName: 'web', volumes: [{ name: 'x', configMap: { name: 'web' } }] }),
            configMap('web', {}),
            object('v1 ServiceAccount', 'web'),
          ),
        },
        spec: { namePrefix: 'a-', nameSuffix: '-z' },
      },
      { does: 'another suffix is another object', spec: { nameSuffix: '-y' } },
    ],
  },
  {
    name: 'common-metadata',
    steps: [
      {
        does: 'labels and annotations are added',
        files: { 'web.yaml': manifest(configMap('web', {}, { labels: { team: 'one', other: 'x' } })) },
        spec: { commonMetadata: { labels: { team: 'two' }, annotations: { 'example.com/note': 'yes' } } },
      },
      { does: 'and removed', spec: { commonMetadata: { labels: { site: 'here' } } } },
    ],
  },
  {
    name: 'build-metadata',
    steps: [
      {
        does: 'annotations name the origin',
        files: {
          'kustomization.yaml': kustomizationFile({ resources: ['web.yaml'] }),
          'web.yaml': manifest(configMap('web', {})),
        },
        spec: { buildMetadata: ['originAnnotations'] },
      },
    ],
  },
  {
    name: 'texts',
    steps: [
      {
        does: 'YAML of all kinds is read',
        files: {
          'list.yaml': manifest({
            apiVersion: 'v1',
            kind: 'List',
            items: [configMap('one', { a: '1' }), configMap('two', {})],
          }),
          'more.yaml': [
            ...['# only a comment', '---', '---', 'apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: three}'],
            ...[
              'data:',
              '  "on": "yes"',
              '  "1": "1e3"',
              '  text: |',
              '    # kept',
              '    a: b',
              '  folded: >-',
              '    a',
              '    b',
            ],
            ...[
              '---',
              'apiVersion: v1',
              'kind: ConfigMap',
              'metadata: &m {name: four, annotations: {"a/b": "0x10"}}',
              'data: {x: "~"}',
              '',
            ],
          ].join('\n'),
        },
      },
    ],
  },
  {
    name: 'build-fails',
    steps: [
      { does: 'objects are applied', files: { 'web.yaml': manifest(configMap('web', { a: '1' })) } },
      {
        does: 'a file that is not there',
        files: { 'kustomization.yaml': kustomizationFile({ resources: ['none.yaml'] }) },
        fails: 'BuildFailed',
      },
      {
        does: 'one object twice',
        files: { 'a.yaml': manifest(configMap('web', {})), 'b.yaml': manifest(configMap('web', {})) },
        fails: 'BuildFailed',
      },
      { does: 'a path that is not there', spec: { path: './none' }, fails: 'ArtifactFailed' },
    ],
  },
];
