import { createHash, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';

/** The signed bytes, and their signature; each character is a byte. */
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

/** OpenSSH, PROTOCOL.sshsig. */
const MAGIC = Buffer.from('SSHSIG');
const VERSION = 1;
/** What git signs in. */
const NAMESPACE = 'git';
const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\s*$/;
const LINE = /^(?:ssh|ecdsa)-[\w.@-]+ ([A-Za-z0-9+/]+={0,2})(?: .*)?$/;
/** Maps: signatures name the format, and a plain object answers to more names than its own. */
const CURVES: ReadonlyMap<string, { crv: string; hash: string; bytes: number }> = new Map([
  ['ecdsa-sha2-nistp256', { crv: 'P-256', hash: 'sha256', bytes: 32 }],
  ['ecdsa-sha2-nistp384', { crv: 'P-384', hash: 'sha384', bytes: 48 }],
  ['ecdsa-sha2-nistp521', { crv: 'P-521', hash: 'sha512', bytes: 66 }],
]);
/** Not `ssh-rsa`: that is SHA-1. */
const RSA_HASHES: ReadonlyMap<string, string> = new Map([
  ['rsa-sha2-256', 'sha256'],
  ['rsa-sha2-512', 'sha512'],
]);

/** Reads the fields of SSH's wire format; throws a RangeError at the end of the bytes. */
class Wire {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    if (length > this.#bytes.length - this.#at) throw new RangeError('too short');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  number(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.number());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /** A positive number, without the zero in front that says so, in at least `length` bytes. */
  integer(length = 0): Buffer {
    const bytes = this.string();
    const first = bytes.findIndex((byte) => byte !== 0);
    const digits = first < 0 ? Buffer.alloc(0) : bytes.subarray(first);
    return Buffer.concat([Buffer.alloc(Math.max(0, length - digits.length)), digits]);
  }
}

function wireString(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function jwkOf(key: Buffer): JsonWebKey | undefined {
  const wire = new Wire(key);
  const type = wire.text();
  if (type === 'ssh-ed25519') return { kty: 'OKP', crv: 'Ed25519', x: wire.string().toString('base64url') };
  if (type === 'ssh-rsa') {
    const [e, n] = [wire.integer(), wire.integer()];
    return { kty: 'RSA', e: e.toString('base64url'), n: n.toString('base64url') };
  }
  const curve = CURVES.get(type);
  if (curve === undefined) return undefined;
  wire.string();
  const point = wire.string();
  if (point[0] !== 4 || point.length !== 1 + 2 * curve.bytes) return undefined;
  const [x, y] = [point.subarray(1, 1 + curve.bytes), point.subarray(1 + curve.bytes)];
  return { kty: 'EC', crv: curve.crv, x: x.toString('base64url'), y: y.toString('base64url') };
}

function isSignedBy(key: KeyObject, format: string, signature: Buffer, data: Buffer): boolean {
  const curve = CURVES.get(format);
  if (curve !== undefined && key.asymmetricKeyType === 'ec') {
    const wire = new Wire(signature);
    const pair = Buffer.concat([wire.integer(curve.bytes), wire.integer(curve.bytes)]);
    return verify(curve.hash, data, { key, dsaEncoding: 'ieee-p1363' }, pair);
  }
  if (format === 'ssh-ed25519' && key.asymmetricKeyType === 'ed25519') return verify(null, data, key, signature);
  const hash = RSA_HASHES.get(format);
  return hash !== undefined && key.asymmetricKeyType === 'rsa' && verify(hash, data, key, signature);
}

function signedData(wire: Wire, payload: Buffer): Buffer | undefined {
  const [namespace, reserved, hash] = [wire.string(), wire.string(), wire.string()];
  const algorithm = hash.toString('latin1');
  if (namespace.toString('latin1') !== NAMESPACE || !['sha256', 'sha512'].includes(algorithm)) return undefined;
  const digest = createHash(algorithm).update(payload).digest();
  return Buffer.concat([MAGIC, ...[namespace, reserved, hash, digest].map(wireString)]);
}

function signerIn({ payload, signature }: Signed, trusted: readonly Buffer[]): string | undefined {
  const armored = ARMOR.exec(signature)?.[1];
  if (armored === undefined) return undefined;
  const wire = new Wire(Buffer.from(armored, 'base64'));
  if (!wire.take(MAGIC.length).equals(MAGIC) || wire.number() !== VERSION) return undefined;
  const key = wire.string();
  const jwk = trusted.some((one) => one.equals(key)) ? jwkOf(key) : undefined;
  const data = signedData(wire, Buffer.from(payload, 'latin1'));
  if (jwk === undefined || data === undefined) return undefined;
  const made = new Wire(wire.string());
  const [format, bytes] = [made.text(), made.string()];
  if (!isSignedBy(createPublicKey({ key: jwk, format: 'jwk' }), format, bytes, data)) return undefined;
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/**
 * The keys in lines `TYPE BASE64 COMMENT`. A line with anything before that holds none: it may be a comment, revoke the
 * key, or limit what it is for. Security keys (`sk-`) are not supported.
 */
export function sshKeys(text: string): Buffer[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const key = LINE.exec(line.trim())?.[1];
    return key === undefined ? [] : [Buffer.from(key, 'base64')];
  });
}

/**
 * Fingerprint of the key of `trusted` that made an SSH signature of git (`ssh-keygen -Y sign -n git`); undefined when
 * none did. Never throws.
 */
export function sshSigner(signed: Signed, trusted: readonly Buffer[]): string | undefined {
  try {
    return signerIn(signed, trusted);
  } catch {
    // Too short, or no key of its type.
    return undefined;
  }
}
