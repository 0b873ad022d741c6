import type { HttpCredentials } from '../http.js';

/** The settings and environment variables of a git process, with its credentials. */
export interface GitAccess {
  /** Git settings, by key. */
  readonly config: Readonly<Record<string, string>>;
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
