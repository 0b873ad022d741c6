import { isMap, type PlainMap } from '#lib/plain.js';

/** What a signature layer of cosign holds. */
const PAYLOAD_TYPE = 'cosign container image signature';
const STATEMENT_TYPES: ReadonlySet<unknown> = new Set([
  'https://in-toto.io/Statement/v0.1',
  'https://in-toto.io/Statement/v1',
]);
/** Of the statement that is a signature; all others say something about an artifact, good or bad. */
export const SIGNATURE_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
/** Characters of a statement that become part of a message. */
const SHOWN = 100;
/** Of an envelope whose payload is a statement. */
const STATEMENT_PAYLOAD = 'application/vnd.in-toto+json';

function mapOf(value: unknown): PlainMap {
  return isMap(value) ? value : {};
}

function parsed(bytes: Uint8Array): PlainMap | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why what was signed is not about the manifest with this digest; undefined when it is. */
export function payloadProblem(payload: Uint8Array, digest: string): string | undefined {
  const critical = mapOf(parsed(payload)?.['critical']);
  if (critical['type'] !== PAYLOAD_TYPE) return 'what was signed is no signature of cosign';
  return mapOf(critical['image'])['docker-manifest-digest'] === digest ? undefined : 'it signs another artifact';
}

/** A statement, signed together with its type (DSSE). */
export interface Envelope {
  readonly payloadType: string;
  readonly payload: Uint8Array;
}

/** The bytes of an envelope that are signed. */
export function signedBytes({ payloadType, payload }: Envelope): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** The same as `payloadProblem` for the statement in an envelope. */
export function statementProblem({ payloadType, payload }: Envelope, digest: string): string | undefined {
  const statement = payloadType === STATEMENT_PAYLOAD ? parsed(payload) : undefined;
  if (!STATEMENT_TYPES.has(statement?.['_type'])) return 'what was signed is no statement about an artifact';
  const subjects: unknown = statement?.['subject'];
  const isSubject = (subject: unknown): boolean =>
    `sha256:${String(mapOf(mapOf(subject)['digest'])['sha256'])}` === digest;
  if (!Array.isArray(subjects) || !subjects.some(isSubject)) return 'it signs another artifact';
  const predicate = String(statement?.['predicateType']);
  if (predicate === SIGNATURE_PREDICATE) return undefined;
  return `it is an attestation (${predicate.slice(0, SHOWN)}), not a signature of cosign`;
}
