import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { flag, object, objectName, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, ArtifactSignatureCheck, sourceFields, fluxStatus } from './common.js';
import { SOURCE_RESOURCES } from './source-kinds.js';

export const ociRepositoryResource = SOURCE_RESOURCES.OCIRepository;

const LayerSelector = object('Layer to use.', {
  mediaType: optional(text('Media type of the layer. Default: the first layer.')),
  operation: optional(oneOf('extract (default) unpacks the layer, copy keeps it unchanged.', ['extract', 'copy'])),
});

export const OCIRepositorySpec = object('Desired state of the artifact.', {
  ...sourceFields,
  url: text('URL oci://HOST/REPOSITORY, without a tag.', { pattern: '^oci://.*$', maxLength: 2_048 }),
  ref: optional(
    object('Artifact to pull: the first that is set of digest, semver, tag.', {
      digest: optional(text('Digest, e.g. sha256:1234.')),
      semver: optional(text('Semver range; the highest matching tag is used.')),
      semverFilter: optional(text('Regular expression that tags must match.')),
      tag: optional(text('Tag. Default: latest.')),
    }),
  ),
  layerSelector: optional(LayerSelector),
  provider: optional(oneOf('Provider of credentials. Default: generic.', ['generic', 'aws', 'azure', 'gcp'])),
  secretRef: optional(localReference('Secret of type dockerconfigjson.')),
  serviceAccountName: optional(objectName('ServiceAccount whose pull secrets are used.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt.')),
  proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
  verify: optional(ArtifactSignatureCheck),
  ignore: optional(text('Files to exclude, in .gitignore syntax; replaces the default exclusions.')),
  insecure: optional(flag('If true, plain HTTP is allowed. Default: false.')),
});
export type OCIRepositorySpec = Type.Static<typeof OCIRepositorySpec>;

export const OCIRepositoryStatus = fluxStatus('Observed state of the artifact.', {
  artifact: optional(Artifact),
  url: optional(text('URL of the latest archive.')),
  observedIgnore: optional(text('Exclusions used for the artifact.')),
  observedLayerSelector: optional(LayerSelector),
});
export type OCIRepositoryStatus = Type.Static<typeof OCIRepositoryStatus>;

export const OCIRepository = object('An artifact of an OCI registry, fetched and stored as an archive.', {
  spec: OCIRepositorySpec,
  status: optional(OCIRepositoryStatus),
});
export type OCIRepository = KubeObject & Type.Static<typeof OCIRepository>;
