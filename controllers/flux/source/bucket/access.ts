import type { Deps } from '../deps.js';
import { tlsOf } from '../http-credentials.js';
import type { BucketPlace } from '../model/bucket-place.js';
import { fetchTimeoutMs } from '../model/timeout.js';
import type { Bucket } from '../model/types.js';
import { proxiesOf } from '../proxy-secret.js';
import { readSecret, unusableSecret } from '../secrets.js';
import { ObjectStore, type BucketLogin } from './object-store.js';

async function loginOf(deps: Deps, bucket: Bucket, signal: AbortSignal): Promise<BucketLogin | undefined> {
  const { secretRef } = bucket.spec;
  if (secretRef === undefined) return undefined;
  const reference = { field: 'spec.secretRef', name: secretRef.name };
  const data = await readSecret(deps, bucket, reference, signal);
  // Files that end in a line break are often made into Secrets, and no key has one.
  const [accessKeyId = '', secretAccessKey = ''] = ['accesskey', 'secretkey'].map((key) => data.get(key)?.trim());
  if (accessKeyId !== '' && secretAccessKey !== '') return { accessKeyId, secretAccessKey };
  throw unusableSecret(deps, reference, 'it lacks the key accesskey or secretkey: add it');
}

/**
 * The object store of a bucket, reached with its keys, certificates and proxy; to be closed. Throws WaitingError
 * `AuthenticationFailed`, naming the field and the object.
 */
export async function openBucket(
  deps: Deps,
  bucket: Bucket,
  { place, signal }: { readonly place: BucketPlace; readonly signal: AbortSignal },
): Promise<ObjectStore> {
  const { bucketName, certSecretRef, timeout } = bucket.spec;
  const certificates =
    certSecretRef &&
    (await readSecret(deps, bucket, { field: 'spec.certSecretRef', name: certSecretRef.name }, signal));
  return new ObjectStore({
    ...{ place, bucketName, signal, timeoutMs: fetchTimeoutMs(timeout) },
    login: await loginOf(deps, bucket, signal),
    tls: certificates && tlsOf(certificates),
    proxies: (await proxiesOf(deps, bucket, signal)) ?? deps.proxies,
  });
}
