import { basicAuthorization, tlsOf } from '../http-credentials.js';
import type { TlsFiles } from '../http.js';
import { sharesCredentials } from '../model/urls.js';
import type { SecretData } from '../secrets.js';
import { type Login, privateFile } from './access.js';

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
