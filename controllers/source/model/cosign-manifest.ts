import { defined } from '#lib/plain.js';
import { SIGNATURE_PREDICATE } from './cosign-claim.js';
import type { Layer, Manifest } from './oci-manifest.js';

/** A signature in a layer: the layer is what was signed, its annotations are the rest. */
export interface SignatureLayer {
  readonly layer: Layer;
  /** Base64. */
  readonly signature: string;
  /** Of a keyless signature, PEM. */
  readonly certificate?: string;
  /** What the transparency log promised, JSON. */
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
