import { digestOf } from '#controllers/runtime/pure/canonical-json.js';
import { WaitingError } from '#controllers/runtime/pure/errors.js';
import type { GitAccess, Login } from './access.js';
import { httpAccess } from './http-access.js';
import { sshAccess } from './ssh-access.js';
import type { Deps } from '../deps.js';
import type { GitRepository } from '../model/types.js';
import { readSecret } from '../secrets.js';

function refuse(deps: Deps, message: string): WaitingError {
  return new WaitingError('AuthenticationFailed', message, { retryAfterMs: deps.dependencyRequeueMs });
}

const ANONYMOUS: Login = { config: {}, env: {}, secrets: [] };

/** Access to what everybody may read. */
export function anonymousAccess(url: string): GitAccess {
  return { ...ANONYMOUS, identity: digestOf([url]) };
}

/**
 * Access to a repository as `spec.secretRef` allows it; keys and certificates are written into `folder`. Nothing secret
 * is ever an argument. Throws WaitingError `AuthenticationFailed`, naming the Secret and the keys.
 */
export async function gitAccess(
  deps: Deps,
  repository: GitRepository,
  { folder, signal }: { readonly folder: string; readonly signal: AbortSignal },
): Promise<GitAccess> {
  const { secretRef, url } = repository.spec;
  const isSsh = url.startsWith('ssh:');
  if (secretRef === undefined) {
    if (isSsh)
      throw refuse(deps, 'spec.url is an ssh URL: name a Secret with identity and known_hosts in spec.secretRef');
    return anonymousAccess(url);
  }
  const data = await readSecret(deps, repository, { field: 'spec.secretRef', name: secretRef.name }, signal);
  const login = isSsh ? await sshAccess(data, folder) : await httpAccess(data, folder, url);
  if (login !== undefined) return { ...login, identity: digestOf([url, [...data].sort()]) };
  throw refuse(
    deps,
    `the Secret '${secretRef.name}' needs the keys identity and known_hosts for an ssh URL (and password, if identity has a passphrase)`,
  );
}
