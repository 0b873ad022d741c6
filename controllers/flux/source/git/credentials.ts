import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { digestOf } from '#controllers/runtime/pure/canonical-json.js';
import { WaitingError } from '#controllers/runtime/pure/errors.js';
import type { Deps } from '../deps.js';
import type { GitRepository } from '../model/types.js';
import { readSecret, type SecretData } from '../secrets.js';
import { trustedRoots } from '../trusted-roots.js';

/** The settings and environment variables of a git process, with its credentials. */
export interface GitAccess {
  /** Git settings, by key. */
  readonly config: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  /** What no message may show. */
  readonly secrets: readonly string[];
  /** Of the URL and all that the server is shown: what is fetched is shared only where this is the same. */
  readonly identity: string;
}

type Login = Omit<GitAccess, 'identity'>;

const PRIVATE = 0o600;
/** Tokens are not shorter. */
const TOKEN_LENGTH = 20;
/** Git asks it for the credentials of the origin that it is set up for, so a redirect elsewhere gets none. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$FAIRLEAD_USERNAME" "$FAIRLEAD_PASSWORD"; }; f';

async function privateFile(folder: string, name: string, content: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content.endsWith('\n') ? content : `${content}\n`, { mode: PRIVATE });
  await chmod(file, PRIVATE);
  return file;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

async function sshAccess(data: SecretData, folder: string): Promise<Login | undefined> {
  const [identity, knownHosts] = [data.get('identity'), data.get('known_hosts')];
  if (identity === undefined || knownHosts === undefined) return undefined;
  const key = await privateFile(folder, 'identity', identity);
  const hosts = await privateFile(folder, 'known_hosts', knownHosts);
  const options = ['BatchMode=yes', 'StrictHostKeyChecking=yes', 'IdentitiesOnly=yes', `UserKnownHostsFile=${hosts}`];
  const flags = options.map((option) => `-o ${quoted(option)}`).join(' ');
  return { config: {}, env: { GIT_SSH_COMMAND: `ssh -F /dev/null -i ${quoted(key)} ${flags}` }, secrets: [] };
}

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
    `the Secret '${secretRef.name}' needs the keys identity (without a passphrase) and known_hosts for an ssh URL`,
  );
}
