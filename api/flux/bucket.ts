import type Type from 'typebox';
import type { KubeObject } from '../meta.js';
import { flag, object, objectName, oneOf, optional, text } from '../schema.js';
import { Artifact, localReference, sourceFields, sourceResource, statusFields, UNOBSERVED } from './common.js';

export const bucketResource = sourceResource('Bucket', 'buckets');

export const BucketSpec = object('The wanted bucket.', {
  ...sourceFields,
  provider: optional(
    oneOf('Kind of the object store; generic (default) is any with the S3 API.', ['generic', 'aws', 'gcp', 'azure']),
  ),
  bucketName: text('Name of the bucket.', { maxLength: 255 }),
  endpoint: text('Host of the object store.', { maxLength: 2_048 }),
  region: optional(text('Region of the bucket.')),
  prefix: optional(text('Only objects whose key begins so.')),
  insecure: optional(flag('True allows plain HTTP; false by default.')),
  sts: optional(
    object('Where short-lived credentials come from.', {
      provider: oneOf('Kind of the service.', ['aws', 'ldap']),
      endpoint: text('Address of the service.', { pattern: '^(http|https)://.*$', maxLength: 2_048 }),
      secretRef: optional(localReference('Secret with the credentials for the service.')),
      certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt for the service.')),
    }),
  ),
  secretRef: optional(localReference('Secret with accesskey and secretkey, or those of the provider.')),
  serviceAccountName: optional(objectName('ServiceAccount for workload identity.')),
  certSecretRef: optional(localReference('Secret with tls.crt, tls.key and ca.crt.')),
  proxySecretRef: optional(localReference('Secret with the address of a proxy and its credentials.')),
  ignore: optional(text('Files to leave out, in the form of .gitignore; replaces the usual exclusions.')),
});
export type BucketSpec = Type.Static<typeof BucketSpec>;

export const BucketStatus = object(
  'The state of the bucket.',
  {
    ...statusFields,
    artifact: optional(Artifact),
    url: optional(text('Address of the newest archive.')),
    observedIgnore: optional(text('Exclusions of the artifact.')),
  },
  { default: UNOBSERVED },
);
export type BucketStatus = Type.Static<typeof BucketStatus>;

export const Bucket = object('A bucket of an object store that is fetched and kept as an archive.', {
  spec: BucketSpec,
  status: optional(BucketStatus),
});
export interface Bucket extends KubeObject {
  spec: BucketSpec;
  status?: BucketStatus;
}
