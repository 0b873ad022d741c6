import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { shellQuoted } from '#lib/text/text.js';
import { TerminalError, WaitingError } from '#lib/errors.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import { digestOf } from '#lib/hash.js';
import type { HttpCredentials, TlsFiles } from '../http.js';
import { basicAuthorization, tlsOf, readSecret, unusableSecret, type SecretData } from '../secrets.js';
import { sharesCredentials } from '../model/urls.js';
import type { Deps } from '../deps.js';
import { githubAppIn } from './model/github-app.js';
import { isRoutine } from '../model/status.js';
import { fetchTimeoutMs, type GitRepository } from '../model/source.js';
import { installationToken } from './github-token.js';

const PRIVATE = 0o600;
const PROGRAM = 0o700;

/** Writes a file that only this user may read, and run when it is a program. Its last line ends, as ssh needs it. */
async function privateFile(
  folder: string,
  name: string,
  content: string,
  { isProgram = false }: { readonly isProgram?: boolean } = {},
): Promise<string> {
  const file = path.join(folder, name);
  const mode = isProgram ? PROGRAM : PRIVATE;
  await writeFile(file, content.endsWith('\n') ? content : `${content}\n`, { mode });
  await chmod(file, mode);
  return file;
}

/** The settings and environment variables of a git process, with its credentials. */
export interface GitAccess {
  /** Git settings, by key, to speak to the server of a URL: what the credentials are not for gets none of them. */
  readonly config: (url: string) => Readonly<Record<string, string>>;
  /** Git sends the login before the server asks for one. */
  readonly isSentUnasked?: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** The same for our own requests to an http or https server. */
  readonly http?: HttpCredentials;
  /** Texts that no message may show. */
  readonly secrets: readonly string[];
  /** Digest of the URL and of everything the server is shown: content is shared only where it is the same. */
  readonly identity: string;
}

/** The part that opens a server, whatever the repository. */
type Login = Omit<GitAccess, 'identity'>;

/** Tokens are not shorter. */
const TOKEN_LENGTH = 20;
/** Git asks it for the credentials of the origin that it is set up for. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$FAIRLEAD_USERNAME" "$FAIRLEAD_PASSWORD"; }; f';

/** Settings for requests to one origin, whatever else git is asked for or led to. */
function settingsFor(origin: string, settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`http.${origin}/.${name}`, value]));
}

/** Those of the certificates that there are; their files are written into `folder`. */
async function tlsSettings({ ca, cert, key }: TlsFiles, folder: string) {
  const file = async (setting: string, name: string, content?: string): Promise<Record<string, string>> =>
    content === undefined ? {} : { [setting]: await privateFile(folder, name, content) };
  return {
    trust: await file('http.sslCAInfo', 'ca.crt', ca?.join('\n')),
    identity: { ...(await file('sslCert', 'tls.crt', cert)), ...(await file('sslKey', 'tls.key', key)) },
  };
}

/** The login of a Secret: what git is told for an origin, what our own requests send, and what no message may show. */
function loginIn(data: SecretData) {
  const token = data.get('bearerToken');
  if (token !== undefined) {
    const authorization = `Bearer ${token}`;
    const header = { extraHeader: `Authorization: ${authorization}` };
    return { header, isSentUnasked: true, http: { authorization }, env: {}, secrets: [token] };
  }
  const [username, password] = [data.get('username'), data.get('password')];
  if (username === undefined || password === undefined) return { env: {}, http: {}, secrets: [] };
  return {
    helper: HELPER,
    http: { authorization: basicAuthorization(username, password) },
    env: { FAIRLEAD_USERNAME: username, FAIRLEAD_PASSWORD: password },
    // A username is none, and `git` or `x` occur in any message; but some servers take a token in its place.
    secrets: username.length < TOKEN_LENGTH ? [password] : [password, username],
  };
}

/**
 * Access by the login and the certificates of a Secret to the origin of `url`, and to the same host when that turns to
 * TLS; the CA is for any server. The files are written into `folder`.
 */
export async function httpAccess(data: SecretData, folder: string, url: string): Promise<Login> {
  const tls = tlsOf(data) ?? {};
  const { trust, identity } = await tlsSettings(tls, folder);
  const { header, helper, http, ...login } = loginIn(data);
  const config = (asked: string): Record<string, string> => {
    if (!sharesCredentials(url, asked)) return trust;
    const { origin } = new URL(asked);
    const forHelper = helper === undefined ? {} : { [`credential.${origin}.helper`]: helper };
    return { ...trust, ...settingsFor(origin, { ...identity, ...header }), ...forHelper };
  };
  return { ...login, config, http: { ...http, tls } };
}

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
