import { duration, flag, list, namespaceName, object, objectName, oneOf, optional, text, textMap } from '../schema.js';
import {
  CommonMetadata,
  Dependency,
  HealthCheckExpression,
  IgnoreRule,
  ImageOverride,
  localReference,
  Patch,
} from './common.js';

const PostBuild = object('Variables that are put into the manifests.', {
  substituteStrategy: optional(
    oneOf('WithVariables (default) replaces when there are variables, Always also without.', [
      'WithVariables',
      'Always',
    ]),
  ),
  substitute: optional(textMap('Variables by name; they win over substituteFrom.')),
  substituteFrom: optional(
    list(
      'Variables from ConfigMaps and Secrets, in order; later ones win.',
      object('One object in the same namespace.', {
        kind: oneOf('Kind of the object.', ['Secret', 'ConfigMap']),
        name: objectName('Name of the object.'),
        optional: optional(flag('True passes over an object that is missing; false by default.')),
      }),
    ),
  ),
});

const Decryption = object('How encrypted files are read.', {
  provider: oneOf('The program that encrypted them.', ['sops']),
  secretRef: optional(localReference('Secret with the keys.')),
  serviceAccountName: optional(objectName('ServiceAccount for workload identity.')),
});

const HealthCheck = object('One object.', {
  apiVersion: optional(text('API version of the object.')),
  kind: text('Kind of the object.'),
  name: objectName('Name of the object.'),
  namespace: optional(namespaceName('Namespace of the object; the same by default.')),
});

/**
 * All that a Kustomization may be told except where from, where to, how often and prune: an entry of an Application has
 * it too.
 */
export const kustomizationFields = {
  retryInterval: optional(duration('Pause after a failure; as interval by default.')),
  timeout: optional(duration('Limit of one pass; interval less 30s by default.')),
  suspend: optional(flag('True stops all work; what runs stays.')),
  path: optional(text('Directory in the source; its root by default.', { maxLength: 4_096 })),
  deletionPolicy: optional(
    oneOf(
      'What happens to the objects in the end: MirrorPrune (default) as prune says, Delete, WaitForTermination, Orphan.',
      ['MirrorPrune', 'Delete', 'WaitForTermination', 'Orphan'],
    ),
  ),
  wait: optional(flag('True waits until every object is healthy; false by default.')),
  healthChecks: optional(list('Objects that must be healthy; wait covers all.', HealthCheck)),
  healthCheckExprs: optional(list('How health is read off kinds of your own.', HealthCheckExpression)),
  force: optional(flag('True makes objects anew whose immutable fields changed; false by default.')),
  dependsOn: optional(list('Kustomizations that must be ready first.', Dependency)),
  serviceAccountName: optional(objectName('ServiceAccount in whose name everything is applied.')),
  namePrefix: optional(text('Put before each name.', { minLength: 1, maxLength: 200 })),
  nameSuffix: optional(text('Put after each name.', { minLength: 1, maxLength: 200 })),
  patches: optional(list('Patches, in order.', Patch)),
  images: optional(list('Other images.', ImageOverride)),
  components: optional(list('Kustomize components in the source.', text('Path.'))),
  ignoreMissingComponents: optional(flag('True passes over components that do not exist; false by default.')),
  buildMetadata: optional(
    list(
      'Annotations that kustomize adds.',
      oneOf('Kind of annotation.', ['originAnnotations', 'transformerAnnotations']),
    ),
  ),
  commonMetadata: optional(CommonMetadata),
  postBuild: optional(PostBuild),
  decryption: optional(Decryption),
  ignore: optional(list('Differences that do not count.', IgnoreRule)),
};
