import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { list, object, optional, text } from '../schema.js';
import { Artifact, Condition, referenceFields } from './common.js';
import { SOURCE_RESOURCES } from './source-kinds.js';

export const externalArtifactResource = SOURCE_RESOURCES.ExternalArtifact;

const ExternalArtifactSpec = object('What the artifact is made from.', {
  sourceRef: optional(
    object('The object that the artifact is made from.', referenceFields('object', text('Kind of the object.'))),
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
export type ExternalArtifact = KubeObject & Type.Static<typeof ExternalArtifact>;
