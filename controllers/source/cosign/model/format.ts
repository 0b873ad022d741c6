import { isMap, defined, type PlainMap } from '#lib/plain.js';
import type { Layer, Manifest } from '../../oci/model/manifest.js';

/** The type of the payload in a signature layer of cosign. */
const PAYLOAD_TYPE = 'cosign container image signature';
const STATEMENT_TYPES: ReadonlySet<unknown> = new Set([
  'https://in-toto.io/Statement/v0.1',
  'https://in-toto.io/Statement/v1',
]);
/** The predicate of a statement that is a signature; all others say something about an artifact, good or bad. */
const SIGNATURE_PREDICATE = 'https://sigstore.dev/cosign/sign/v1';
/** Characters of a statement that become part of a message. */
const SHOWN = 100;
/** The payload type of an envelope that holds a statement. */
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
interface Envelope {
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

/** A signature in a layer: the layer is what was signed, its annotations are the rest. */
interface SignatureLayer {
  readonly layer: Layer;
  /** Base64. */
  readonly signature: string;
  /** The certificate of a keyless signature, PEM. */
  readonly certificate?: string;
  /** The promise of the transparency log, JSON. */
  readonly promise?: string;
}

const PAYLOAD = 'application/vnd.dev.cosign.simplesigning.v1+json';
const BUNDLE = 'application/vnd.dev.sigstore.bundle';
const PREDICATE = 'dev.sigstore.bundle.predicateType';
/** Says nothing: cosign writes it into the index of a registry that keeps none itself. */
const EMPTY = 'application/vnd.oci.empty.v1+json';

/** The tag of the manifest with the signatures of another one. */
export function signatureTag(digest: string): string {
  return `${referrersTag(digest)}.sig`;
}

/** The tag of the index of what refers to a manifest, where the registry keeps none. */
export function referrersTag(digest: string): string {
  return digest.replace(':', '-');
}

/** The signatures in a manifest, the newest last, as cosign appends them. */
export function signatureLayers(manifest: Manifest | undefined): SignatureLayer[] {
  if (manifest?.kind !== 'image') return [];
  return manifest.layers.flatMap((layer) => {
    const { annotations = {} } = layer;
    const signature = annotations['dev.cosignproject.cosign/signature'];
    if (layer.mediaType !== PAYLOAD || signature === undefined) return [];
    const certificate = annotations['dev.sigstore.cosign/certificate'];
    return [defined({ layer, signature, certificate, promise: annotations['dev.sigstore.cosign/bundle'] })];
  });
}

/**
 * The manifests in an index of referrers that may be bundles of signatures: first those that say so, and the newest of
 * them, which clients append.
 */
export function bundleManifests(index: Manifest | undefined): Layer[] {
  if (index?.kind !== 'index') return [];
  const saysSo = ({ annotations }: Layer): boolean => annotations?.[PREDICATE] === SIGNATURE_PREDICATE;
  return index.manifests
    .filter(({ artifactType = EMPTY }) => artifactType === EMPTY || artifactType.startsWith(BUNDLE))
    .reverse()
    .sort((a, b) => Number(saysSo(b)) - Number(saysSo(a)));
}

/** The layer of a manifest that is a bundle; undefined when it is none. */
export function bundleLayer(manifest: Manifest | undefined): Layer | undefined {
  const [layer, ...others] = manifest?.kind === 'image' ? manifest.layers : [];
  return others.length === 0 && layer?.mediaType.startsWith(BUNDLE) === true ? layer : undefined;
}
