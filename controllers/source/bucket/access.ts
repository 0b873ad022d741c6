import type { ProxySettings } from '#lib/net/proxy.js';
import type { Deps } from '../deps.js';
import { tlsOf } from '../http-credentials.js';
import type { TlsFiles } from '../http.js';
import type { BucketPlace } from '../model/bucket-place.js';
import { isRoutine } from '../model/status.js';
import { fetchTimeoutMs } from '../model/timing.js';
import type { Bucket } from '../model/types.js';
import { proxiesOf } from '../proxy-secret.js';
import { readSecret, unusableSecret } from '../secrets.js';
import { ldapLogin } from './ldap-login.js';
import { ObjectStore, type ObjectStoreOptions } from './object-store.js';

/** What all requests of one fetch have in common. */
interface Way {
  readonly proxies: ProxySettings;
  readonly timeoutMs: number;
  readonly startedAt: number;
  readonly signal: AbortSignal;
}

type Reference = { readonly name: string } | undefined;

async function certificatesOf(
  deps: Deps,
  bucket: Bucket,
  { field, reference, signal }: { readonly field: string; readonly reference: Reference; readonly signal: AbortSignal },
): Promise<TlsFiles | undefined> {
  return reference && tlsOf(await readSecret(deps, bucket, { field, name: reference.name }, signal));
}

type Login = Pick<ObjectStoreOptions, 'login' | 'loginField'>;

async function keysLogin(deps: Deps, bucket: Bucket, name: string, signal: AbortSignal): Promise<Login> {
  const reference = { field: 'spec.secretRef', name };
  const data = await readSecret(deps, bucket, reference, signal);
  // Files that end in a line break are often made into Secrets, and no key has one.
  const [accessKeyId = '', secretAccessKey = ''] = ['accesskey', 'secretkey'].map((key) => data.get(key)?.trim());
  if (accessKeyId === '' || secretAccessKey === '')
    throw unusableSecret(deps, reference, 'it lacks the key accesskey or secretkey: add it');
  return { login: () => Promise.resolve({ accessKeyId, secretAccessKey }), loginField: reference.field };
}

type LdapSts = NonNullable<Bucket['spec']['sts']>;

async function stsLogin(deps: Deps, bucket: Bucket, sts: LdapSts, way: Way): Promise<Login> {
  const { signal } = way;
  const reference = { field: 'spec.sts.secretRef', name: sts.secretRef?.name ?? '' };
  const data = await readSecret(deps, bucket, reference, signal);
  // An editor ends a file with a newline.
  const line = (key: string): string => (data.get(key) ?? '').replace(/\r?\n$/, '');
  const [username, password] = [line('username'), line('password')];
  if (username === '' || password === '')
    throw unusableSecret(deps, reference, 'it lacks the key username or password: add it');
  const tls = await certificatesOf(deps, bucket, {
    field: 'spec.sts.certSecretRef',
    reference: sts.certSecretRef,
    signal,
  });
  const namespace = bucket.metadata.namespace ?? '';
  const access = { ...way, namespace, endpoint: sts.endpoint, username, password, tls, mayReuse: isRoutine(bucket) };
  return { login: ldapLogin(deps, access), loginField: reference.field };
}

/** As in Flux, keys in a Secret come first, also where `spec.sts` could give others. */
async function loginOf(deps: Deps, bucket: Bucket, way: Way): Promise<Login> {
  const { secretRef, sts } = bucket.spec;
  if (secretRef !== undefined) return keysLogin(deps, bucket, secretRef.name, way.signal);
  if (sts !== undefined) return stsLogin(deps, bucket, sts, way);
  return { login: () => Promise.resolve(undefined), loginField: 'spec.secretRef' };
}

/**
 * The object store of a bucket without a problem in its spec, reached with its keys, certificates and proxy; to be
 * closed. Throws WaitingError `AuthenticationFailed`, naming the field and the object.
 */
export async function openBucket(
  deps: Deps,
  bucket: Bucket,
  { place, signal }: { readonly place: BucketPlace; readonly signal: AbortSignal },
): Promise<ObjectStore> {
  const { bucketName, certSecretRef, timeout } = bucket.spec;
  const proxies = (await proxiesOf(deps, bucket, signal)) ?? deps.proxies;
  const tls = await certificatesOf(deps, bucket, { field: 'spec.certSecretRef', reference: certSecretRef, signal });
  const way = { proxies, timeoutMs: fetchTimeoutMs(timeout), startedAt: performance.now(), signal };
  return new ObjectStore({ ...way, ...(await loginOf(deps, bucket, way)), place, bucketName, tls });
}
