import type { KeyObject } from 'node:crypto';
import { bundleFromJSON, isBundleWithDsseEnvelope, type BundleWithDsseEnvelope } from '@sigstore/bundle';
import { bundleOfLayer } from './cosign-bundle.js';
import { payloadProblem, signedBytes, statementProblem } from './cosign-claim.js';
import { isSignedBy, publicKey } from './cosign-key.js';
import { identityCheck, keylessVerifier, type Identity } from './cosign-keyless.js';

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
