import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';

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
