import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { duration, flag, object, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, sourceFields, sourceResource, statusFields, UNOBSERVED } from './common.js';

export const helmRepositoryResource = sourceResource('HelmRepository', 'helmrepositories');

export const HelmRepositorySpec = object('The wanted repository.', {
  suspend: sourceFields.suspend,
  timeout: optional(duration('Limit of one fetch, at most 10m; 60s by default.')),
  interval: optional(duration('How often the index is checked, e.g. 10m; 1m by default.')),
  url: text('Address, http, https or oci.', { pattern: '^(http|https|oci)://.*$', maxLength: 2_048 }),
  type: optional(oneOf('default (default) is a Helm repository, oci a registry.', ['default', 'oci'])),
  secretRef: optional(localReference('Secret with username and password, or of type dockerconfigjson.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt.')),
  passCredentials: optional(flag('True sends the credentials to other hosts too; false by default.')),
  insecure: optional(flag('True allows plain HTTP for a registry; false by default.')),
  provider: optional(
    oneOf('Who gives out credentials of a registry; generic by default.', ['generic', 'aws', 'azure', 'gcp']),
  ),
});
export type HelmRepositorySpec = Type.Static<typeof HelmRepositorySpec>;

export const HelmRepositoryStatus = object(
  'The state of the repository.',
  { ...statusFields, artifact: optional(Artifact), url: optional(text('Address of the newest archive.')) },
  { default: UNOBSERVED },
);
export type HelmRepositoryStatus = Type.Static<typeof HelmRepositoryStatus>;

export const HelmRepository = object('A repository of Helm charts.', {
  spec: HelmRepositorySpec,
  status: optional(HelmRepositoryStatus),
});
export interface HelmRepository extends KubeObject {
  spec: HelmRepositorySpec;
  status?: HelmRepositoryStatus;
}
