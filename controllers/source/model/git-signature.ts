/** What was signed, and with what; each character is a byte. */
export interface Signed {
  readonly payload: string;
  /** Armored: `-----BEGIN PGP SIGNATURE-----` or `-----BEGIN SSH SIGNATURE-----`, and on. */
  readonly signature: string;
}

/** git's own, by the hash of the repository; both are left out of what is signed. */
const HEADERS = ['gpgsig', 'gpgsig-sha256'];
const BEGINS = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SIGNED MESSAGE|SSH SIGNATURE)-----$/gm;

/** The headers of an object, each with the lines that continue it. */
function headersOf(head: string): string[] {
  return head.split(/\n(?! )/);
}

/** The signature of a commit, as `git cat-file commit` prints it; undefined when it has none, or several. */
export function signedCommit(raw: string): Signed | undefined {
  const end = raw.indexOf('\n\n');
  const head = headersOf(end < 0 ? raw : raw.slice(0, end));
  const isSignature = (header: string): boolean => HEADERS.includes(header.slice(0, header.indexOf(' ')));
  const [found, ...others] = head.filter(isSignature);
  if (found === undefined || others.length > 0) return undefined;
  const signature = found.slice(found.indexOf(' ') + 1).replaceAll('\n ', '\n');
  const rest = head.filter((header) => !isSignature(header)).join('\n');
  return { signature, payload: rest + (end < 0 ? '' : raw.slice(end)) };
}

/** The signature of an annotated tag, which is the end of its message; undefined when it has none. */
export function signedTag(raw: string): Signed | undefined {
  const start = [...raw.matchAll(BEGINS)].at(-1)?.index;
  return start === undefined ? undefined : { payload: raw.slice(0, start), signature: raw.slice(start) };
}

/** True when what was signed is the tag of this name: a reference of another name may lead to it, too. */
export function isTagNamed({ payload }: Signed, name: string): boolean {
  const written = /^object [\da-f]+\ntype \w+\ntag ([^\n]*)\n/.exec(payload)?.[1];
  return written === Buffer.from(name).toString('latin1');
}
