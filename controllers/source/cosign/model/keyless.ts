import { createHash, X509Certificate } from 'node:crypto';
import { bundleFromJSON, type Bundle } from '@sigstore/bundle';
import { TrustedRoot } from '@sigstore/protobuf-specs';
import { toSignedEntity, toTrustMaterial, Verifier, type SignedEntity, type TrustMaterial } from '@sigstore/verify';
import { isMap, type PlainMap } from '#lib/plain.js';
import { goPattern, PatternBudget } from '#lib/text/go-pattern.js';

/** A keyless signature of the layout before bundles, as its layer and annotations say it. */
interface LayerSignature {
  readonly payload: Uint8Array;
  /** Base64. */
  readonly signature: string;
  /** PEM. */
  readonly certificate: string;
  /** JSON. */
  readonly promise: string;
}

function mapIn(text: string): PlainMap {
  const value: unknown = JSON.parse(text);
  if (isMap(value)) return value;
  throw new RangeError('not a map');
}

function mapOf(value: unknown): PlainMap {
  return isMap(value) ? value : {};
}

/** The promise of the log, in the words of a bundle. */
function logEntry(promise: string): object {
  const { SignedEntryTimestamp: signedEntryTimestamp, Payload } = mapIn(promise);
  const { body, integratedTime, logIndex, logID } = mapOf(Payload);
  const { kind, apiVersion } = mapIn(Buffer.from(String(body), 'base64').toString('utf8'));
  return {
    logIndex: String(logIndex),
    logId: { keyId: Buffer.from(String(logID), 'hex').toString('base64') },
    kindVersion: { kind, version: apiVersion },
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp },
    canonicalizedBody: body,
  };
}

/** The bundle that says the same as a signature layer. Throws for one that is malformed. */
export function bundleOfLayer({ payload, signature, certificate, promise }: LayerSignature): Bundle {
  const rawBytes = new X509Certificate(certificate).raw.toString('base64');
  const digest = createHash('sha256').update(payload).digest('base64');
  return bundleFromJSON({
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes }] },
      tlogEntries: [logEntry(promise)],
    },
    messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest }, signature },
  });
}

/** A signer that is accepted: regular expressions in Go's syntax, found anywhere, as in Flux. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

/** Who signed. */
interface Signer {
  readonly issuer: string;
  readonly subject: string;
}

/** Of the extensions of a certificate that name its issuer. */
const ISSUER = '1.3.6.1.4.1.57264.1.8';
const ISSUER_BEFORE = '1.3.6.1.4.1.57264.1.1';
/** Of entries in logs, and of signatures of a checkpoint: there are one or two, and some by witnesses. */
const MOST = 32;
/** As the library finds them. */
const CHECKPOINT_NAME = /\u2014 (\S*)/g;
const PLAIN_NAME = /^[\w.:/-]+$/;
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

/** Whom the certificate of a signature names, which is not verified yet. */
function claimedSigner({ key }: SignedEntity): Signer | undefined {
  if (key.$case !== 'certificate') return undefined;
  const { certificate } = key;
  const issuer = certificate.extension(ISSUER)?.valueObj.subs[0] ?? certificate.extension(ISSUER_BEFORE);
  return { issuer: issuer?.value.toString('ascii') ?? '', subject: certificate.subjectAltName ?? '' };
}

/**
 * Why a signature may cost more than one of good faith: the library compares all entries with each other, and makes
 * regular expressions of the names in their checkpoints.
 */
function costProblem({ timestamps, tlogEntries }: SignedEntity): string | undefined {
  if (Math.max(timestamps.length, tlogEntries.length) > MOST) return `it has more than ${MOST} entries of logs`;
  for (const { inclusionProof } of tlogEntries) {
    const names = [...(inclusionProof?.checkpoint?.envelope ?? '').matchAll(CHECKPOINT_NAME)];
    if (names.length > MOST) return `a checkpoint of its log has more than ${MOST} signatures`;
    if (!names.every(([, name = '']) => PLAIN_NAME.test(name))) return 'a checkpoint of its log has an odd name';
  }
  return undefined;
}

/**
 * Says why a keyless signature is not to be trusted, by a trust root and what `problemOf` says of its signer, which is
 * asked first: anybody can make signatures that take long to verify. Throws what the library throws for one that is not
 * good; RangeError at once when the trust root is none.
 */
export function keylessVerifier(
  trustedRoot: string,
  problemOf: (signer: Signer) => string | undefined,
): (bundle: Bundle, payload?: Uint8Array) => string | undefined {
  const verifier = new Verifier(trustMaterial(trustedRoot));
  return (bundle, payload) => {
    const entity = toSignedEntity(bundle, payload && Buffer.from(payload));
    const claimed = claimedSigner(entity);
    const problem = (claimed && problemOf(claimed)) ?? costProblem(entity);
    if (problem !== undefined) return problem;
    const { identity } = verifier.verify(entity);
    return problemOf({ issuer: identity?.extensions?.issuer ?? '', subject: identity?.subjectAlternativeName ?? '' });
  };
}

/**
 * Says why a signer is not accepted: none of the identities is theirs. Without any, everybody is. Throws RangeError for
 * an identity that is no pair of patterns, or has an empty one, which is found in every text.
 */
export function identityCheck(identities: readonly Identity[]): (signer: Signer) => string | undefined {
  const budget = new PatternBudget();
  const accepts = identities.map(({ issuer, subject }, at) => {
    const empty = Object.entries({ issuer, subject }).find(([, pattern]) => pattern === '');
    if (empty !== undefined) {
      const field = `spec.verify.matchOIDCIdentity[${at}].${empty[0]}`;
      throw new RangeError(`${field} is empty, which accepts everybody: say whom you trust`);
    }
    const [isIssuer, isSubject] = [goPattern(issuer, { budget }), goPattern(subject, { budget })];
    return (signer: Signer): boolean => isIssuer(signer.issuer) && isSubject(signer.subject);
  });
  return (signer) => {
    if (accepts.length === 0 || accepts.some((isAccepted) => isAccepted(signer))) return undefined;
    const [from, who] = [signer.issuer, signer.subject].map((text) => JSON.stringify(text.slice(0, SHOWN)));
    return `spec.verify.matchOIDCIdentity does not accept ${who} of ${from}`;
  };
}
