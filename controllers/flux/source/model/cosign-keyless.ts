import type { Bundle } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier, type TrustMaterial } from '@sigstore/verify';
import { goPattern } from '#controllers/runtime/pure/go-pattern.js';

/** A signer that is accepted: regular expressions in Go's syntax, found anywhere, as in Flux. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Who signed. */
export interface Signer {
  readonly issuer: string;
  readonly subject: string;
}

/** Characters of a certificate that become part of a message. */
const SHOWN = 200;
const NO_ROOT = 'it is not a trusted_root.json of Sigstore, with an authority for certificates';

function trustMaterial(trustedRoot: string): TrustMaterial {
  try {
    const material = toTrustMaterial(TrustedRoot.fromJSON(JSON.parse(trustedRoot)));
    if (material.certificateAuthorities.length > 0) return material;
  } catch (error: unknown) {
    throw new RangeError(NO_ROOT, { cause: error });
  }
  throw new RangeError(NO_ROOT);
}

/** Verifies keyless signatures by what a trust root says. Throws RangeError when it is none. */
export function keylessVerifier(trustedRoot: string): (bundle: Bundle, payload?: Uint8Array) => Signer {
  const verifier = new Verifier(trustMaterial(trustedRoot));
  return (bundle, payload) => {
    const { identity } = verifier.verify(toSignedEntity(bundle, payload && Buffer.from(payload)));
    return { issuer: identity?.extensions?.issuer ?? '', subject: identity?.subjectAlternativeName ?? '' };
  };
}

/**
 * Says why a signer is not accepted: none of the identities is theirs. Without any, everybody is. Throws RangeError for
 * an identity that is no pair of patterns.
 */
export function identityCheck(identities: readonly Identity[]): (signer: Signer) => string | undefined {
  const accepts = identities.map(({ issuer, subject }) => {
    const [isIssuer, isSubject] = [goPattern(issuer), goPattern(subject)];
    return (signer: Signer): boolean => isIssuer(signer.issuer) && isSubject(signer.subject);
  });
  return (signer) => {
    if (accepts.length === 0 || accepts.some((isAccepted) => isAccepted(signer))) return undefined;
    const [from, who] = [signer.issuer, signer.subject].map((text) => JSON.stringify(text.slice(0, SHOWN)));
    return `spec.verify.matchOIDCIdentity does not accept ${who} of ${from}`;
  };
}
