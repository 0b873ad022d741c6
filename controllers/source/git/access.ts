import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { HttpCredentials } from '../http.js';

const PRIVATE = 0o600;
const PROGRAM = 0o700;

/** Writes a file that only this user may read, and run when it is a program. Its last line ends, as ssh needs it. */
export async function privateFile(
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
  /** What no message may show. */
  readonly secrets: readonly string[];
  /** Of the URL and all that the server is shown: what is fetched is shared only where this is the same. */
  readonly identity: string;
}

/** What opens a server, whatever the repository. */
export type Login = Omit<GitAccess, 'identity'>;
