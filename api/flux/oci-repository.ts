import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { flag, object, objectName, oneOf, optional, text } from '../schema.js';
import {
  Artifact,
  localReference,
  SignatureCheck,
  sourceFields,
  sourceResource,
  statusFields,
  UNOBSERVED,
} from './common.js';

export const ociRepositoryResource = sourceResource('OCIRepository', 'ocirepositories');

const LayerSelector = object('Which layer is taken.', {
  mediaType: optional(text('Media type of the layer; the first layer by default.')),
  operation: optional(oneOf('extract (default) unpacks the layer, copy keeps it as it is.', ['extract', 'copy'])),
});

export const OCIRepositorySpec = object('The wanted artifact.', {
  ...sourceFields,
  url: text('Address, oci://HOST/REPOSITORY, without tag.', { pattern: '^oci://.*$', maxLength: 2_048 }),
  ref: optional(
    object('Which artifact; the first given of digest, semver, tag.', {
      digest: optional(text('Digest, e.g. sha256:1234.')),
      semver: optional(text('Range over the tags; the highest wins.')),
      semverFilter: optional(text('Regular expression that a tag must match.')),
      tag: optional(text('Tag; latest by default.')),
    }),
  ),
  layerSelector: optional(LayerSelector),
  provider: optional(oneOf('Who gives out credentials; generic by default.', ['generic', 'aws', 'azure', 'gcp'])),
  secretRef: optional(localReference('Secret of type dockerconfigjson.')),
  serviceAccountName: optional(objectName('ServiceAccount whose pull secrets are used.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt.')),
  proxySecretRef: optional(localReference('Secret with the address of a proxy and its credentials.')),
  verify: optional(SignatureCheck),
  ignore: optional(text('Files to leave out, in the form of .gitignore; replaces the usual exclusions.')),
  insecure: optional(flag('True allows plain HTTP; false by default.')),
});
export type OCIRepositorySpec = Type.Static<typeof OCIRepositorySpec>;

export const OCIRepositoryStatus = object(
  'The state of the artifact.',
  {
    ...statusFields,
    artifact: optional(Artifact),
    url: optional(text('Address of the newest archive.')),
    observedIgnore: optional(text('Exclusions of the artifact.')),
    observedLayerSelector: optional(LayerSelector),
  },
  { default: UNOBSERVED },
);
export type OCIRepositoryStatus = Type.Static<typeof OCIRepositoryStatus>;

export const OCIRepository = object('An artifact of an OCI registry that is fetched and kept as an archive.', {
  spec: OCIRepositorySpec,
  status: optional(OCIRepositoryStatus),
});
export interface OCIRepository extends KubeObject {
  spec: OCIRepositorySpec;
  status?: OCIRepositoryStatus;
}
