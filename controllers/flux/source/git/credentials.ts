import { digestOf } from '#controllers/runtime/pure/canonical-json.js';
import { WaitingError } from '#controllers/runtime/pure/errors.js';
import type { GitAccess, Login } from './access.js';
import { privateFile } from './private-file.js';
import { sshAccess } from './ssh-access.js';
import type { Deps } from '../deps.js';
import type { GitRepository } from '../model/types.js';
import { readSecret, type SecretData } from '../secrets.js';
import { trustedRoots } from '../trusted-roots.js';

/** Tokens are not shorter. */
const TOKEN_LENGTH = 20;
/** Git asks it for the credentials of the origin that it is set up for, so a redirect elsewhere gets none. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$FAIRLEAD_USERNAME" "$FAIRLEAD_PASSWORD"; }; f';

async function tlsConfig(data: SecretData, folder: string): Promise<Record<string, string>> {
  const ca = data.get('ca.crt') ?? data.get('caFile');
  const files = [
    { setting: 'http.sslCAInfo', name: 'ca.crt', content: ca && trustedRoots(ca).join('\n') },
    { setting: 'http.sslCert', name: 'tls.crt', content: data.get('tls.crt') },
    { setting: 'http.sslKey', name: 'tls.key', content: data.get('tls.key') },
  ];
  const config: Record<string, string> = {};
  for (const { setting, name, content } of files) {
    if (content !== undefined) config[setting] = await privateFile(folder, name, content);
  }
  return config;
}

async function httpAccess(data: SecretData, folder: string, url: string): Promise<Login> {
  const config = await tlsConfig(data, folder);
  const token = data.get('bearerToken');
  if (token !== undefined) {
    // A header would follow a redirect to another host.
    return {
      config: { ...config, 'http.extraHeader': `Authorization: Bearer ${token}`, 'http.followRedirects': 'false' },
      env: {},
      secrets: [token],
    };
  }
  const [username, password] = [data.get('username'), data.get('password')];
  if (username === undefined || password === undefined) return { config, env: {}, secrets: [] };
  return {
    config: { ...config, [`credential.${new URL(url).origin}.helper`]: HELPER },
    env: { FAIRLEAD_USERNAME: username, FAIRLEAD_PASSWORD: password },
    // A username is none, and `git` or `x` occur in any message; but some servers take a token in its place.
    secrets: username.length < TOKEN_LENGTH ? [password] : [password, username],
  };
}

function refuse(deps: Deps, message: string): WaitingError {
  return new WaitingError('AuthenticationFailed', message, { retryAfterMs: deps.dependencyRequeueMs });
}

/** Access without a Secret: SSH never asks, and knows no host. */
const ANONYMOUS: Login = {
  config: {},
  env: { GIT_SSH_COMMAND: 'ssh -F /dev/null -o BatchMode=yes' },
  secrets: [],
};

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
