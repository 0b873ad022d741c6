import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { duration, flag, object, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, sourceFields, fluxStatus } from './common.js';
import { SOURCE_RESOURCES } from './source-kinds.js';

export const helmRepositoryResource = SOURCE_RESOURCES.HelmRepository;

export const HelmRepositorySpec = object('Desired state of the repository.', {
  suspend: sourceFields.suspend,
  timeout: optional(duration('Timeout of a fetch, at most 10m. Default: 60s.')),
  interval: optional(duration('Interval at which the index is checked, e.g. 10m. Default: 1m.')),
  url: text('URL of the repository: http, https or oci.', { pattern: '^(http|https|oci)://.*$', maxLength: 2_048 }),
  type: optional(oneOf('default (default) for a Helm repository, oci for a registry.', ['default', 'oci'])),
  secretRef: optional(localReference('Secret with username and password, or of type dockerconfigjson.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt.')),
  passCredentials: optional(flag('If true, credentials are sent to other hosts too. Default: false.')),
  insecure: optional(flag('If true, plain HTTP is allowed for a registry. Default: false.')),
  provider: optional(oneOf('Provider of registry credentials. Default: generic.', ['generic', 'aws', 'azure', 'gcp'])),
});
export type HelmRepositorySpec = Type.Static<typeof HelmRepositorySpec>;

export const HelmRepositoryStatus = fluxStatus('Observed state of the repository.', {
  artifact: optional(Artifact),
  url: optional(text('URL of the latest archive.')),
});
export type HelmRepositoryStatus = Type.Static<typeof HelmRepositoryStatus>;

export const HelmRepository = object('A repository of Helm charts.', {
  spec: HelmRepositorySpec,
  status: optional(HelmRepositoryStatus),
});
export type HelmRepository = KubeObject & Type.Static<typeof HelmRepository>;
