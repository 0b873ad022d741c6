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
  valuesKey: optional(text('Key in the object; values.yaml by default.', { maxLength: 253 })),
  targetPath: optional(
    text('Where the content goes, as in `helm --set`; by default it is a whole values file.', { maxLength: 250 }),
  ),
  optional: optional(flag('True passes over an object or key that is missing; false by default.')),
  literal: optional(flag('True takes the content as text, with targetPath only; false by default.')),
});
type ValuesReference = Type.Static<typeof ValuesReference>;

/** What kustomize may do to rendered manifests. */
export const kustomizeRendererFields = {
  patches: optional(list('Patches, in order.', Patch)),
  images: optional(list('Other images.', ImageOverride)),
};

const PostRenderer = object('A change of the rendered manifests.', {
  kustomize: optional(object('Changes by kustomize.', kustomizeRendererFields)),
});

const DriftDetection = object('What happens when a live object differs from the release.', {
  mode: optional(
    oneOf('enabled corrects, warn only tells, disabled (default) does not look.', ['enabled', 'warn', 'disabled']),
  ),
  ignore: optional(list('Differences that do not count.', IgnoreRule)),
});

const WaitStrategy = object('How waiting works.', {
  name: oneOf("poller (default) reads every object's status, legacy waits as Helm 3 did.", ['poller', 'legacy']),
});

/** All that a release may be told except which chart, where to and how often: an entry of an Application has it too. */
export const helmReleaseFields = {
  timeout: optional(duration('Limit of each action; 5m by default.')),
  suspend: optional(flag('True stops all work on the release; what runs stays.')),
  releaseName: optional(
    text('Name of the Helm release; that of the Application, or made of that of the HelmRelease, by default.', {
      minLength: 1,
      maxLength: 53,
    }),
  ),
  storageNamespace: optional(namespaceName('Namespace in which Helm keeps the history of the release.')),
  dependsOn: optional(list('HelmReleases that must be ready first.', Dependency)),
  maxHistory: optional(integer('Revisions that Helm keeps; 5 by default, 0 keeps all.', { minimum: 0 })),
  serviceAccountName: optional(objectName('ServiceAccount in whose name everything is applied.')),
  persistentClient: optional(
    flag('True (default) keeps one client per pass; false suits charts that use CRDs they bring.'),
  ),
  driftDetection: optional(DriftDetection),
  install: optional(Install),
  upgrade: optional(Upgrade),
  test: optional(Test),
  rollback: optional(Rollback),
  uninstall: optional(Uninstall),
  valuesFrom: optional(list('Values from ConfigMaps and Secrets, in order; later ones win.', ValuesReference)),
  values: optional(openObject('Values of the chart; they win over valuesFrom. A null deletes a key.')),
  postRenderers: optional(list('Changes of the rendered manifests, in order.', PostRenderer)),
  postRenderStrategy: optional(
    oneOf('Which manifests the post renderers see: combined (default) with hooks, nohooks, or separate.', [
      'combined',
      'nohooks',
      'separate',
    ]),
  ),
  commonMetadata: optional(CommonMetadata),
  waitStrategy: optional(WaitStrategy),
  healthCheckExprs: optional(list('How health is read off kinds of your own.', HealthCheckExpression)),
};
