import type { TlsFiles } from '../http.js';
import { basicAuthorization, tlsOf } from '../http-credentials.js';
import type { SecretData } from '../secrets.js';
import type { Login } from './access.js';
import { privateFile } from './private-file.js';

/** Tokens are not shorter. */
const TOKEN_LENGTH = 20;
/** Git asks it for the credentials of the origin that it is set up for, so a redirect elsewhere gets none. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$FAIRLEAD_USERNAME" "$FAIRLEAD_PASSWORD"; }; f';

/** Settings for requests to one origin, whatever else git is asked for or led to. */
function settingsFor(origin: string, settings: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [`http.${origin}/.${name}`, value]));
}

async function tlsSettings({ ca, cert, key }: TlsFiles, folder: string): Promise<Record<string, string>> {
  const files = [
    { setting: 'sslCAInfo', name: 'ca.crt', content: ca?.join('\n') },
    { setting: 'sslCert', name: 'tls.crt', content: cert },
    { setting: 'sslKey', name: 'tls.key', content: key },
  ];
  const settings: Record<string, string> = {};
  for (const { setting, name, content } of files) {
    if (content !== undefined) settings[setting] = await privateFile(folder, name, content);
  }
  return settings;
}

/** Access by the login and the certificates of a Secret to the origin of `url`; the files are written into `folder`. */
export async function httpAccess(data: SecretData, folder: string, url: string): Promise<Login> {
  const { origin } = new URL(url);
  const tls = tlsOf(data) ?? {};
  const settings = await tlsSettings(tls, folder);
  const token = data.get('bearerToken');
  if (token !== undefined) {
    const authorization = `Bearer ${token}`;
    const config = settingsFor(origin, { ...settings, extraHeader: `Authorization: ${authorization}` });
    return { config, env: {}, http: { tls, authorization }, secrets: [token] };
  }
  const config = settingsFor(origin, settings);
  const [username, password] = [data.get('username'), data.get('password')];
  if (username === undefined || password === undefined) return { config, env: {}, http: { tls }, secrets: [] };
  return {
    http: { tls, authorization: basicAuthorization(username, password) },
    config: { ...config, [`credential.${origin}.helper`]: HELPER },
    env: { FAIRLEAD_USERNAME: username, FAIRLEAD_PASSWORD: password },
    // A username is none, and `git` or `x` occur in any message; but some servers take a token in its place.
    secrets: username.length < TOKEN_LENGTH ? [password] : [password, username],
  };
}
