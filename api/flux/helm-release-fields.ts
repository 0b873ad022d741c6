import type Type from 'typebox';
import {
  duration,
  flag,
  integer,
  list,
  namespaceName,
  object,
  objectName,
  oneOf,
  openObject,
  optional,
  text,
} from '../schema.js';
import { CommonMetadata, Dependency, HealthCheckExpression, IgnoreRule, ImageOverride, Patch } from './common.js';
import { Install, Rollback, Test, Uninstall, Upgrade } from './release-actions.js';

const ValuesReference = object('Values from a ConfigMap or Secret in the same namespace.', {
  kind: oneOf('Kind of the object.', ['Secret', 'ConfigMap']),
  name: objectName('Name of the object.'),
  valuesKey: optional(text('Key in the object. Default: values.yaml.', { maxLength: 253 })),
  targetPath: optional(
    text('Path to set, as in `helm --set`. Default: the content is a whole values file.', { maxLength: 250 }),
  ),
  optional: optional(flag('If true, a missing object or key is ignored. Default: false.')),
  literal: optional(flag('If true, the content is a literal string; only with targetPath. Default: false.')),
});
export type ValuesReference = Type.Static<typeof ValuesReference>;

/** What kustomize can change in rendered manifests. */
export const kustomizeRendererFields = {
  patches: optional(list('Patches, in order.', Patch)),
  images: optional(list('Images to replace.', ImageOverride)),
};

const PostRenderer = object('Modifies the rendered manifests.', {
  kustomize: optional(object('Kustomize patches and images.', kustomizeRendererFields)),
});

const DriftDetection = object('What to do when a live object differs from the release.', {
  mode: optional(
    oneOf('enabled corrects drift, warn only reports it, disabled (default) does not look for it.', [
      'enabled',
      'warn',
      'disabled',
    ]),
  ),
  ignore: optional(list('Differences to ignore.', IgnoreRule)),
});

const WaitStrategy = object('How to wait for objects.', {
  name: oneOf('poller (default) checks the status of every object, legacy waits as Helm 3 did.', ['poller', 'legacy']),
});

/** All fields of a release except chart, destination and interval; an entry of an Application has them too. */
export const helmReleaseFields = {
  timeout: optional(duration('Timeout of each action. Default: 5m.')),
  suspend: optional(flag('If true, the release is not reconciled; what runs stays.')),
  releaseName: optional(
    text('Name of the Helm release. Default: the name of the Application, or composed from that of the HelmRelease.', {
      minLength: 1,
      maxLength: 53,
    }),
  ),
  storageNamespace: optional(namespaceName('Namespace in which Helm keeps the history of the release.')),
  dependsOn: optional(list('HelmReleases that must be ready first.', Dependency)),
  maxHistory: optional(integer('Number of revisions that Helm keeps; 0 keeps all. Default: 5.', { minimum: 0 })),
  serviceAccountName: optional(objectName('ServiceAccount to impersonate.')),
  persistentClient: optional(
    flag('If true (default), one client is kept per reconciliation; use false for charts that use their own CRDs.'),
  ),
  driftDetection: optional(DriftDetection),
  install: optional(Install),
  upgrade: optional(Upgrade),
  test: optional(Test),
  rollback: optional(Rollback),
  uninstall: optional(Uninstall),
  valuesFrom: optional(
    list('Values from ConfigMaps and Secrets, in order; later ones override earlier ones.', ValuesReference),
  ),
  values: optional(openObject('Values of the chart; they override valuesFrom. A null deletes a key.')),
  postRenderers: optional(list('Modifications of the rendered manifests, in order.', PostRenderer)),
  postRenderStrategy: optional(
    oneOf('Manifests to post-render: combined (default, with hooks), nohooks, or separate (hooks on their own).', [
      'combined',
      'nohooks',
      'separate',
    ]),
  ),
  commonMetadata: optional(CommonMetadata),
  waitStrategy: optional(WaitStrategy),
  healthCheckExprs: optional(list('Health checks for custom kinds.', HealthCheckExpression)),
};
