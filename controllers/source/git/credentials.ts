import { shellQuoted } from '#lib/text/text.js';
import { TerminalError, WaitingError } from '#lib/errors.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import { digestOf } from '#lib/hash.js';
import type { Deps } from '../deps.js';
import { tlsOf } from '../http-credentials.js';
import { githubAppIn } from '../model/github-app.js';
import { isRoutine } from '../model/status.js';
import { fetchTimeoutMs } from '../model/timing.js';
import type { GitRepository } from '../model/types.js';
import { readSecret, type SecretData, unusableSecret } from '../secrets.js';
import { type GitAccess, type Login, privateFile } from './access.js';
import { installationToken } from './github-token.js';
import { httpAccess } from './http-access.js';

/** Asked by ssh for the passphrase: it must not be an argument, and there is no terminal. */
const ASKPASS = `#!/bin/sh
printf '%s\\n' "$FAIRLEAD_PASSPHRASE"
`;

async function passphraseAccess(passphrase: string, folder: string): Promise<Record<string, string>> {
  const askpass = await privateFile(folder, 'askpass', ASKPASS, { isProgram: true });
  // The display is for an ssh that does not know the other variable.
  return { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0', FAIRLEAD_PASSPHRASE: passphrase };
}

/**
 * Access by the key `identity` of a Secret, which `password` decrypts, to the hosts in `known_hosts`; the files are
 * written into `folder`. Undefined when one of them is missing.
 */
export async function sshAccess(data: SecretData, folder: string): Promise<Login | undefined> {
  const [identity, knownHosts, passphrase] = ['identity', 'known_hosts', 'password'].map((key) => data.get(key));
  if (identity === undefined || knownHosts === undefined) return undefined;
  const key = await privateFile(folder, 'identity', identity);
  const hosts = await privateFile(folder, 'known_hosts', knownHosts);
  const options = [
    `BatchMode=${passphrase === undefined ? 'yes' : 'no'}`,
    ...['PreferredAuthentications=publickey', 'NumberOfPasswordPrompts=1', 'IdentitiesOnly=yes'],
    ...['StrictHostKeyChecking=yes', `UserKnownHostsFile=${hosts}`, 'GlobalKnownHostsFile=/dev/null'],
  ];
  const flags = options.map((option) => `-o ${shellQuoted(option)}`).join(' ');
  const command = `ssh -F /dev/null -i ${shellQuoted(key)} ${flags}`;
  const asked = passphrase === undefined ? {} : await passphraseAccess(passphrase, folder);
  return {
    config: () => ({}),
    env: { GIT_SSH_COMMAND: command, ...asked },
    secrets: passphrase === undefined ? [] : [passphrase],
  };
}

function refuse(deps: Deps, message: string): WaitingError {
  return new WaitingError('AuthenticationFailed', message, { retryAfterMs: deps.dependencyRequeueMs });
}

const ANONYMOUS: Login = { config: () => ({}), env: {}, secrets: [] };

/** Access to what everybody may read. */
export function anonymousAccess(url: string): GitAccess {
  return { ...ANONYMOUS, identity: digestOf([url]) };
}

/** What one pass reaches a server with. */
interface GitPass {
  /** For keys and certificates. */
  readonly folder: string;
  readonly proxies: ProxySettings;
  readonly signal: AbortSignal;
}

const INVALID_PROVIDER = 'InvalidProviderConfiguration';
const NEEDS_TLS = 'spec.provider github needs an https URL, because its token opens more than one repository';
const NEEDS_APP = 'spec.provider github needs a Secret with githubAppID in spec.secretRef';

/** Access with a token of the GitHub App that a Secret describes. The token is new each hour, the identity is not. */
async function githubAccess(
  deps: Deps,
  repository: GitRepository,
  { data, folder, proxies, signal }: GitPass & { readonly data: SecretData },
): Promise<GitAccess> {
  const { url, timeout, secretRef } = repository.spec;
  const app = githubAppIn(data);
  if ('problem' in app) {
    throw unusableSecret(deps, { field: 'spec.secretRef', name: secretRef?.name ?? '' }, app.problem);
  }
  const common = { proxies, timeoutMs: fetchTimeoutMs(timeout), signal, mayReuse: isRoutine(repository) };
  const { token } = await installationToken(deps, app, { ...common, tls: tlsOf(data) ?? {} });
  const login = new Map([...data, ['username', 'x-access-token'], ['password', token]]);
  login.delete('bearerToken');
  return { ...(await httpAccess(login, folder, url)), identity: digestOf([url, [...data].sort()]) };
}

/**
 * Access to a repository as `spec.secretRef` allows it; keys and certificates are written into `folder`. Nothing secret
 * is ever an argument. Throws WaitingError `AuthenticationFailed`, naming the Secret and the keys; TransientError
 * `AuthenticationFailed` of a GitHub App; TerminalError `InvalidProviderConfiguration`.
 */
export async function gitAccess(deps: Deps, repository: GitRepository, pass: GitPass): Promise<GitAccess> {
  const { folder, signal } = pass;
  const { secretRef, url, provider } = repository.spec;
  const [isSsh, isGitHub] = [url.startsWith('ssh:'), provider === 'github'];
  if (isGitHub && url.startsWith('http:')) throw new TerminalError(INVALID_PROVIDER, NEEDS_TLS);
  if (secretRef === undefined) {
    if (isGitHub) throw new TerminalError(INVALID_PROVIDER, NEEDS_APP);
    if (isSsh)
      throw refuse(deps, 'spec.url is an ssh URL: name a Secret with identity and known_hosts in spec.secretRef');
    return anonymousAccess(url);
  }
  const reference = { field: 'spec.secretRef', name: secretRef.name };
  const data = await readSecret(deps, repository, reference, signal);
  if (isGitHub) return githubAccess(deps, repository, { ...pass, data });
  if (data.has('githubAppID'))
    throw refuse(deps, `the Secret '${secretRef.name}' is of a GitHub App: set spec.provider to github`);
  const login = isSsh ? await sshAccess(data, folder) : await httpAccess(data, folder, url);
  if (login !== undefined) return { ...login, identity: digestOf([url, [...data].sort()]) };
  throw refuse(
    deps,
    `the Secret '${secretRef.name}' needs the keys identity and known_hosts for an ssh URL (and password, if identity has a passphrase)`,
  );
}
