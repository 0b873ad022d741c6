import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { list, namespaceName, object, objectName, optional, text } from '../schema.js';
import { Artifact, Condition } from './common.js';
import { SOURCE_RESOURCES } from './source-kinds.js';

export const externalArtifactResource = SOURCE_RESOURCES.ExternalArtifact;

const ExternalArtifactSpec = object('What the artifact is made from.', {
  sourceRef: optional(
    object('The object that the artifact is made from.', {
      apiVersion: optional(text('API version of the object.')),
      kind: text('Kind of the object.'),
      name: objectName('Name of the object.'),
      namespace: optional(namespaceName('Namespace of the object. Default: the same namespace.')),
    }),
  ),
});

const ExternalArtifactStatus = object('The artifact, as its controller publishes it.', {
  artifact: optional(Artifact),
  conditions: optional(list('Conditions of the object; Ready summarizes them.', Condition)),
});

export const ExternalArtifact = object('An artifact that a controller outside of Flux publishes.', {
  spec: optional(ExternalArtifactSpec),
  status: optional(ExternalArtifactStatus),
});
export interface ExternalArtifact extends KubeObject {
  spec?: Type.Static<typeof ExternalArtifactSpec>;
  status?: Type.Static<typeof ExternalArtifactStatus>;
}
