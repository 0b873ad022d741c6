import { duration, flag, list, object, objectName, oneOf, optional, text, textMap } from '../schema.js';
import {
  CommonMetadata,
  Dependency,
  HealthCheckExpression,
  IgnoreRule,
  ImageOverride,
  localReference,
  Patch,
  referenceFields,
} from './common.js';

const PostBuild = object('Variable substitution in the manifests.', {
  substituteStrategy: optional(
    oneOf('WithVariables (default) substitutes only if variables are set, Always substitutes in any case.', [
      'WithVariables',
      'Always',
    ]),
  ),
  substitute: optional(textMap('Variables by name; they override substituteFrom.')),
  substituteFrom: optional(
    list(
      'Variables from ConfigMaps and Secrets, in order; later ones override earlier ones.',
      object('One object in the same namespace.', {
        kind: oneOf('Kind of the object.', ['Secret', 'ConfigMap']),
        name: objectName('Name of the object.'),
        optional: optional(flag('If true, a missing object is ignored. Default: false.')),
      }),
    ),
  ),
});

const Decryption = object('How to decrypt encrypted files.', {
  provider: oneOf('Tool that encrypted the files.', ['sops']),
  secretRef: optional(localReference('Secret with the keys.')),
  serviceAccountName: optional(objectName('ServiceAccount for workload identity.')),
});

const HealthCheck = object('One object.', referenceFields('object', text('Kind of the object.')));

/**
 * All fields of a Kustomization except source, destination, interval and prune; an entry of an Application has them
 * too.
 */
export const kustomizationFields = {
  retryInterval: optional(duration('Interval after a failure. Default: interval.')),
  timeout: optional(duration('Timeout of a reconciliation. Default: interval minus 30s.')),
  suspend: optional(flag('If true, nothing is reconciled; what runs stays.')),
  path: optional(text('Directory in the source. Default: its root.', { maxLength: 4_096 })),
  deletionPolicy: optional(
    oneOf(
      'What a deletion does to the objects: MirrorPrune (default: follow prune), Delete, WaitForTermination, Orphan.',
      ['MirrorPrune', 'Delete', 'WaitForTermination', 'Orphan'],
    ),
  ),
  wait: optional(flag('If true, waits until every object is healthy. Default: false.')),
  healthChecks: optional(list('Objects that must become healthy; not needed with wait.', HealthCheck)),
  healthCheckExprs: optional(list('Health checks for custom kinds.', HealthCheckExpression)),
  force: optional(flag('If true, objects are recreated when immutable fields change. Default: false.')),
  dependsOn: optional(list('Kustomizations that must be ready first.', Dependency)),
  serviceAccountName: optional(objectName('ServiceAccount to impersonate.')),
  namePrefix: optional(text('Prefix for all names.', { minLength: 1, maxLength: 200 })),
  nameSuffix: optional(text('Suffix for all names.', { minLength: 1, maxLength: 200 })),
  patches: optional(list('Patches, in order.', Patch)),
  images: optional(list('Images to replace.', ImageOverride)),
  components: optional(list('Kustomize components in the source.', text('Path.'))),
  ignoreMissingComponents: optional(flag('If true, missing components are ignored. Default: false.')),
  buildMetadata: optional(
    list(
      'Annotations that kustomize adds.',
      oneOf('Kind of annotation.', ['originAnnotations', 'transformerAnnotations']),
    ),
  ),
  commonMetadata: optional(CommonMetadata),
  postBuild: optional(PostBuild),
  decryption: optional(Decryption),
  ignore: optional(list('Differences to ignore.', IgnoreRule)),
};
