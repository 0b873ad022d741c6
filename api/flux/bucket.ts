import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { flag, object, objectName, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, sourceFields, fluxStatus } from './common.js';
import { SOURCE_RESOURCES } from './source-kinds.js';

export const bucketResource = SOURCE_RESOURCES.Bucket;

export const BucketSpec = object('Desired state of the bucket.', {
  ...sourceFields,
  provider: optional(
    oneOf('Kind of the object store; generic (default) is any with the S3 API.', ['generic', 'aws', 'gcp', 'azure']),
  ),
  bucketName: text('Name of the bucket.', { maxLength: 255 }),
  endpoint: text('Host of the object store.', { maxLength: 2_048 }),
  region: optional(text('Region of the bucket.')),
  prefix: optional(text('Only fetch objects whose key has this prefix.')),
  insecure: optional(flag('If true, plain HTTP is allowed. Default: false.')),
  sts: optional(
    object('Service that issues short-lived credentials.', {
      provider: oneOf('Kind of the service.', ['aws', 'ldap']),
      endpoint: text('URL of the service.', { pattern: '^(http|https)://.*$', maxLength: 2_048 }),
      secretRef: optional(localReference('Secret with the credentials for the service.')),
      certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt for the service.')),
    }),
  ),
  secretRef: optional(localReference('Secret with accesskey and secretkey, or those of the provider.')),
  serviceAccountName: optional(objectName('ServiceAccount for workload identity.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt.')),
  proxySecretRef: optional(localReference('Secret with the address and credentials of a proxy.')),
  ignore: optional(text('Files to exclude, in .gitignore syntax; replaces the default exclusions.')),
});
export type BucketSpec = Type.Static<typeof BucketSpec>;

export const BucketStatus = fluxStatus('Observed state of the bucket.', {
  artifact: optional(Artifact),
  url: optional(text('URL of the latest archive.')),
  observedIgnore: optional(text('Exclusions used for the artifact.')),
});
export type BucketStatus = Type.Static<typeof BucketStatus>;

export const Bucket = object('A bucket of an object store, fetched and stored as an archive.', {
  spec: BucketSpec,
  status: optional(BucketStatus),
});
export type Bucket = KubeObject & Type.Static<typeof Bucket>;
