import { serviceAccountResource } from '#api/core.js';
import type { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import type { KubeObject } from '#api/meta.js';
import { WaitingError, TerminalError } from '#lib/errors.js';
import type { RegistryRepository } from '#lib/net/registry-name.js';
import type { Deps } from '../deps.js';
import { tlsOf, proxiesOf, readSecret, unusableSecret, type SecretData, type SecretReference } from '../secrets.js';
import { findLogin, type RegistryLogin } from './model/login.js';
import { fetchTimeoutMs, notSupported, type Source, type HelmRepository } from '../model/source.js';
import { namedHost } from '../model/urls.js';
import { Registry, type RegistryOptions } from './registry.js';
import { registryUrlProblem } from './model/reference.js';

/** The fields of a spec that say how its registry is reached. */
type AccessSpec = Pick<
  OCIRepositorySpec,
  'insecure' | 'secretRef' | 'serviceAccountName' | 'certSecretRef' | 'proxySecretRef'
>;

interface ServiceAccount extends KubeObject {
  imagePullSecrets?: { name: string }[];
}

const DOCKER_CONFIG = '.dockerconfigjson';

/** All that one access is read with. */
class AccessReader {
  readonly #deps: Deps;
  readonly #source: Source;
  readonly #signal: AbortSignal;

  constructor(deps: Deps, source: Source, signal: AbortSignal) {
    this.#deps = deps;
    this.#source = source;
    this.#signal = signal;
  }

  secret(reference: SecretReference): Promise<SecretData> {
    return readSecret(this.#deps, this.#source, reference, this.#signal);
  }

  async loginIn(reference: SecretReference, repository: RegistryRepository): Promise<RegistryLogin | undefined> {
    const data = await this.secret(reference);
    const [username, password, config] = ['username', 'password', DOCKER_CONFIG].map((key) => data.get(key));
    if (username !== undefined && password !== undefined) return { username, password };
    if (config === undefined) {
      throw unusableSecret(
        this.#deps,
        reference,
        `it has neither ${DOCKER_CONFIG} nor username and password: add one of them`,
      );
    }
    const found = findLogin(config, repository);
    if ('problem' in found) throw unusableSecret(this.#deps, reference, found.problem);
    return found.login;
  }

  async pullSecrets(name: string): Promise<SecretReference[]> {
    const ref = { name, namespace: this.#source.metadata.namespace ?? '' };
    const account = await this.#deps.kube.get<ServiceAccount>(serviceAccountResource, ref, { signal: this.#signal });
    if (account === undefined) {
      const message = `ServiceAccount '${ref.namespace}/${name}' named by spec.serviceAccountName does not exist: create it`;
      throw new WaitingError('AuthenticationFailed', message, { retryAfterMs: this.#deps.dependencyRequeueMs });
    }
    const field = `imagePullSecrets of ServiceAccount '${name}'`;
    return (account.imagePullSecrets ?? []).map((secret) => ({ field, name: secret.name }));
  }
}

async function findLoginOf(
  reader: AccessReader,
  { secretRef, serviceAccountName }: AccessSpec,
  repository: RegistryRepository,
): Promise<RegistryLogin | undefined> {
  if (secretRef !== undefined) return reader.loginIn({ field: 'spec.secretRef', name: secretRef.name }, repository);
  const references = serviceAccountName === undefined ? [] : await reader.pullSecrets(serviceAccountName);
  for (const reference of references) {
    const login = await reader.loginIn(reference, repository);
    if (login !== undefined) return login;
  }
  return undefined;
}

async function registryAccess(
  reader: AccessReader,
  spec: AccessSpec,
  repository: RegistryRepository,
): Promise<Pick<RegistryOptions, 'login' | 'tls'>> {
  const login = await findLoginOf(reader, spec, repository);
  const certificates =
    spec.certSecretRef && (await reader.secret({ field: 'spec.certSecretRef', name: spec.certSecretRef.name }));
  return { login, tls: certificates && tlsOf(certificates) };
}

/**
 * The registry of a source, reached with its pull secrets, certificates and proxy. Throws WaitingError
 * `AuthenticationFailed`, naming the field and the object.
 */
export async function openRegistry(
  deps: Deps,
  source: Source & { readonly spec: AccessSpec },
  {
    place,
    signal,
    reason,
  }: { readonly place: RegistryRepository; readonly signal: AbortSignal; readonly reason: string },
): Promise<Registry> {
  const { insecure = false, timeout } = source.spec;
  const access = await registryAccess(new AccessReader(deps, source, signal), source.spec, place);
  const proxies = (await proxiesOf(deps, source, signal)) ?? deps.proxies;
  const timeoutMs = fetchTimeoutMs(timeout);
  return new Registry({
    ...access,
    ...{ repository: place, insecure, proxies, timeoutMs, signal, reason },
    namedHost: namedHost(source, new URL(`http://${place.host}`).hostname),
  });
}

/** Throws TerminalError `URLInvalid` | `FeatureNotSupported` for a registry that charts cannot be pulled from. */
export function requireRegistry({ spec: { url, provider } }: HelmRepository): void {
  const problem = registryUrlProblem(url);
  if (problem !== undefined) throw new TerminalError('URLInvalid', problem);
  if (provider !== undefined && provider !== 'generic') throw notSupported(`spec.provider ${provider}`);
}
