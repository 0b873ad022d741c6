import type { HttpCredentials } from '../http.js';

/** The settings and environment variables of a git process, with its credentials. */
export interface GitAccess {
  /** Git settings, by key, to speak to the server of a URL: what the credentials are not for gets none of them. */
  readonly config: (url: string) => Readonly<Record<string, string>>;
  /** Git sends the login before the server asks for one. */
  readonly isSentUnasked?: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** The same for our own requests to an http or https server. */
  readonly http?: HttpCredentials;
  /** What no message may show. */
  readonly secrets: readonly string[];
  /** Of the URL and all that the server is shown: what is fetched is shared only where this is the same. */
  readonly identity: string;
}

/** What opens a server, whatever the repository. */
export type Login = Omit<GitAccess, 'identity'>;
