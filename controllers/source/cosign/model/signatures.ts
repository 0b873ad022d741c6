import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { ed25519ph } from '@noble/curves/ed25519.js';
import { bundleFromJSON, isBundleWithDsseEnvelope, type BundleWithDsseEnvelope } from '@sigstore/bundle';
import { bundleOfLayer, identityCheck, keylessVerifier, type Identity } from './keyless.js';
import { payloadProblem, signedBytes, statementProblem } from './format.js';

const BLOCK = /-----BEGIN ((?:RSA )?PUBLIC KEY)-----[A-Za-z0-9+/=\s]*-----END \1-----/g;
/** The hashes that cosign signs with, by curve: version 2 took SHA-256 for all. */
const CURVE_HASHES: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['sha256'],
  secp384r1: ['sha384', 'sha256'],
  secp521r1: ['sha512', 'sha256'],
};
/** The bytes that precede the 32 of an Ed25519 key. */
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

/** True if the key signed the bytes, or their SHA-512 (Ed25519ph), as cosign 3 does. */
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

/** A signature as it was found in a registry. */
export type FoundSignature =
  | {
      readonly kind: 'layer';
      /** What was signed, base64. */
      readonly payload: string;
      readonly signature: string;
      readonly certificate?: string;
      readonly promise?: string;
    }
  | {
      readonly kind: 'bundle';
      /** JSON. */
      readonly text: string;
    };

type FoundLayer = Extract<FoundSignature, { kind: 'layer' }>;

/** Who must have signed. */
export type Trust =
  | {
      readonly kind: 'keys';
      /** PEM, by the name of their entry in a Secret. */
      readonly keys: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'keyless';
      /** JSON. */
      readonly trustedRoot: string;
      readonly identities: readonly Identity[];
    };

export interface SignatureQuestion {
  /** Of the manifest that must be signed. */
  readonly digest: string;
  readonly signatures: readonly FoundSignature[];
  readonly trust: Trust;
}

/** Why a signature is not to be trusted; undefined when it is. */
interface Verify {
  readonly layer: (found: FoundLayer, payload: Buffer) => string | undefined;
  readonly bundle: (bundle: BundleWithDsseEnvelope) => string | undefined;
}

const OTHER_KEY = 'none of the keys made it';

/** As in Flux, keys do not ask for an entry in a transparency log. */
function byKeys(keys: readonly KeyObject[]): Verify {
  const check = (bytes: Buffer, signature: Uint8Array): string | undefined =>
    keys.some((key) => isSignedBy(key, bytes, signature)) ? undefined : OTHER_KEY;
  return {
    layer: ({ signature }, payload) => check(payload, Buffer.from(signature, 'base64')),
    // An envelope of a bundle has one signature.
    bundle: ({ content: { dsseEnvelope: envelope } }) =>
      check(signedBytes(envelope), envelope.signatures[0]?.sig ?? Buffer.alloc(0)),
  };
}

function byIdentity({ trustedRoot, identities }: Extract<Trust, { kind: 'keyless' }>): Verify {
  const problemOfBundle = keylessVerifier(trustedRoot, identityCheck(identities));
  return {
    layer: ({ signature, certificate, promise }, payload) => {
      if (certificate === undefined) return 'it was made with a key';
      if (promise === undefined) return 'it has no entry of a transparency log';
      return problemOfBundle(bundleOfLayer({ payload, signature, certificate, promise }), payload);
    },
    bundle: (bundle) => problemOfBundle(bundle),
  };
}

function keysIn(texts: Readonly<Record<string, string>>): KeyObject[] {
  return Object.entries(texts).map(([name, text]) => {
    const key = publicKey(text);
    if (key !== undefined) return key;
    throw new RangeError(`${name} is not one public key (PEM; ECDSA, RSA of 2048 bits or more, or Ed25519)`);
  });
}

function problemOf(found: FoundSignature, digest: string, verify: Verify): string | undefined {
  try {
    if (found.kind === 'layer') {
      const payload = Buffer.from(found.payload, 'base64');
      return payloadProblem(payload, digest) ?? verify.layer(found, payload);
    }
    const bundle = bundleFromJSON(JSON.parse(found.text));
    if (!isBundleWithDsseEnvelope(bundle)) return 'what was signed is no statement about an artifact';
    return statementProblem(bundle.content.dsseEnvelope, digest) ?? verify.bundle(bundle);
  } catch (error: unknown) {
    // The library and JSON.parse refuse what is malformed, or not to be trusted, by throwing.
    return error instanceof Error ? error.message : String(error);
  }
}

function verifierOf(trust: Trust): Verify {
  return trust.kind === 'keys' ? byKeys(keysIn(trust.keys)) : byIdentity(trust);
}

/** What is wrong with each of the signatures, or with the trust; undefined when one signature will do. */
export function signatureProblems({ digest, signatures, trust }: SignatureQuestion): string[] | undefined {
  try {
    const verify = verifierOf(trust);
    const problems: string[] = [];
    for (const found of signatures) {
      const problem = problemOf(found, digest, verify);
      if (problem === undefined) return undefined;
      problems.push(problem);
    }
    return problems;
  } catch (error: unknown) {
    if (!(error instanceof RangeError)) throw error;
    return [error.message];
  }
}
