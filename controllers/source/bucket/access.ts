import { digestOf } from '#lib/hash.js';
import { TransientError } from '#lib/errors.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import type { Deps } from '../deps.js';
import { exchange, readAll, retryAfterOf, type Answer, type Download, type TlsFiles } from '../http.js';
import { areFresh, keysIn, ldapForm, type TemporaryKeys } from './model/sts.js';
import { printableUrl } from '../model/urls.js';
import { errorCode, refusalText, ObjectStore, type ObjectStoreOptions } from './object-store.js';
import { tlsOf, proxiesOf, readSecret, unusableSecret } from '../secrets.js';
import type { BucketPlace } from './model/place.js';
import { isRoutine } from '../model/status.js';
import { fetchTimeoutMs, type Bucket } from '../model/source.js';

/** A login of LDAP, and the server that gives temporary keys for it. */
export interface LdapAccess {
  readonly namespace: string;
  readonly endpoint: string;
  readonly username: string;
  readonly password: string;
  readonly tls: TlsFiles | undefined;
  readonly proxies: ProxySettings;
  /** Since `startedAt` by `performance.now()`. */
  readonly timeoutMs: number;
  readonly startedAt: number;
  readonly signal: AbortSignal;
  /** False: keys that are known will not do. */
  readonly mayReuse: boolean;
}

type Known = Pick<Deps, 'temporaryKeys' | 'now'>;

const MAX_BYTES = 64 * 1024;
const REFUSED = 'AuthenticationFailed';
const FAILED = 'BucketOperationFailed';
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403]);
const CHECK_ENDPOINT = 'check spec.sts.endpoint';

function requestOf(access: LdapAccess): Download {
  const { endpoint: url, username, password, tls, proxies, timeoutMs, startedAt, signal } = access;
  const credentials = tls === undefined ? {} : { tls };
  const limits = { timeoutMs, startedAt, signal, maxBytes: MAX_BYTES };
  // Nobody who gives keys for a login is link-local.
  const common = { method: 'POST', namedHost: '', reason: FAILED } as const;
  return { url, form: ldapForm(username, password), credentials, proxies, ...limits, ...common };
}

function failure(url: string, problem: string, retryAfterMs?: number): TransientError {
  return new TransientError(`STS at ${printableUrl(url)} ${problem}`, { reason: FAILED, retryAfterMs });
}

/** A 400 is the answer to a wrong password, and to a user whom no policy lets in. */
async function refusal(asked: Download, { response }: Answer): Promise<TransientError> {
  const { url } = asked;
  const location = response.headers['location'];
  if (typeof location === 'string' && URL.canParse(location, url)) {
    const { origin } = new URL(location, url);
    return failure(url, `redirects to ${origin}, where no login is sent: ${CHECK_ENDPOINT}`);
  }
  const text = refusalText(response, await errorCode(asked, response));
  if (!REFUSALS.has(response.statusCode))
    return failure(url, `gives no keys: ${text}: ${CHECK_ENDPOINT}`, retryAfterOf(response));
  const check = 'check the login in the Secret of spec.sts.secretRef, the policy of its user, and spec.sts.endpoint';
  return new TransientError(`STS at ${printableUrl(url)} gives no keys: ${text}: ${check}`, { reason: REFUSED });
}

async function ask(asked: Download, now: () => number): Promise<TemporaryKeys> {
  return exchange(asked, async (answer) => {
    if (answer.response.statusCode !== 200) throw await refusal(asked, answer);
    const keys = keysIn((await readAll(asked, answer.response)).toString('utf8'), now());
    if ('problem' in keys) throw failure(asked.url, `${keys.problem}: ${CHECK_ENDPOINT}`);
    return keys;
  });
}

/** Tells logins apart: keys that another authority or proxy vouched for are not given to those who do not trust it. */
function idOf({ namespace, endpoint, username, password, tls, proxies }: LdapAccess): string {
  return digestOf({ namespace, endpoint, username, password, tls, proxies });
}

/**
 * Temporary keys for a login of LDAP, for each request of a fetch: those that are known to this namespace for the same
 * endpoint, way there and login, others before their end. Errors: TransientError `AuthenticationFailed` | `BucketOperationFailed`;
 * CancelledError.
 */
export function ldapLogin({ temporaryKeys, now }: Known, access: LdapAccess): () => Promise<TemporaryKeys> {
  const id = idOf(access);
  let keys = access.mayReuse ? temporaryKeys.get(id) : undefined;
  let renewal: Promise<TemporaryKeys> | undefined;
  const renew = async (): Promise<TemporaryKeys> => {
    keys = await ask(requestOf(access), now);
    temporaryKeys.set(id, keys);
    return keys;
  };
  return async () => {
    if (keys !== undefined && areFresh(keys, now())) return keys;
    // Many objects are fetched at a time: one of them asks, for all.
    renewal ??= renew().finally(() => (renewal = undefined));
    return renewal;
  };
}

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
