import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { ed25519ph } from '@noble/curves/ed25519.js';

const BLOCK = /-----BEGIN ((?:RSA )?PUBLIC KEY)-----[A-Za-z0-9+/=\s]*-----END \1-----/g;
/** The hashes that cosign signs with, by curve: version 2 took SHA-256 for all. */
const CURVE_HASHES: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['sha256'],
  secp384r1: ['sha384', 'sha256'],
  secp521r1: ['sha512', 'sha256'],
};
/** What precedes the 32 bytes of an Ed25519 key. */
const ED25519_PREFIX_BYTES = 12;
const LEAST_RSA_BITS = 2_048;

function curveHashes({ asymmetricKeyDetails: { namedCurve = '' } = {} }: KeyObject): readonly string[] {
  return CURVE_HASHES[namedCurve] ?? [];
}

function isUsable(key: KeyObject): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= LEAST_RSA_BITS;
  return type === 'ed25519' || (type === 'ec' && curveHashes(key).length > 0);
}

/** The one public key in a text, of a kind that cosign takes; undefined when it is none. */
export function publicKey(text: string): KeyObject | undefined {
  const [block, ...others] = text.match(BLOCK) ?? [];
  if (block === undefined || others.length > 0) return undefined;
  try {
    const key = createPublicKey(block);
    return isUsable(key) ? key : undefined;
  } catch {
    return undefined;
  }
}

/** Of the bytes, or of their SHA-512 (Ed25519ph), as cosign 3 signs. */
function isSignedByEd25519(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (verify(null, bytes, key, signature)) return true;
  const raw = key.export({ type: 'spki', format: 'der' }).subarray(ED25519_PREFIX_BYTES);
  return signature.length === 64 && ed25519ph.verify(signature, bytes, raw);
}

/** True when the key made the signature of these bytes, in one of the ways that cosign signs. */
export function isSignedBy(key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  if (key.asymmetricKeyType === 'ed25519') return isSignedByEd25519(key, bytes, signature);
  const hashes = key.asymmetricKeyType === 'rsa' ? ['sha256'] : curveHashes(key);
  return hashes.some((hash) => verify(hash, bytes, key, signature));
}
