import { createHash, X509Certificate } from 'node:crypto';
import { bundleFromJSON, type Bundle } from '@sigstore/bundle';
import { isMap, type PlainMap } from '#lib/plain.js';

/** A keyless signature of the layout before bundles, as its layer and annotations say it. */
export interface LayerSignature {
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

/** What the log promised, in the words of a bundle. */
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
