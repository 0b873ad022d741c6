import type { OCIRepositorySpec } from '#api/flux/oci-repository.js';
import { defined, isMap, type PlainMap } from '#lib/plain.js';
import { isDigest } from './reference.js';

export interface Layer {
  readonly mediaType: string;
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
  /** Absent when there are none. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What a manifest is, where the index says so. */
  readonly artifactType?: string;
}

/** In a registry, a chart is the one layer of this type. */
export const CHART_LAYER = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip' } as const;

/** One artifact, or a list of manifests for several platforms. */
export type Manifest =
  | {
      readonly kind: 'image';
      readonly layers: readonly Layer[];
      readonly annotations: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'index'; readonly manifests: readonly (Layer & { readonly platform: string | undefined })[] };

const IMAGES = ['application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.v2+json'];
const INDEXES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
/** For the Accept header of a request for a manifest. */
export const MANIFEST_TYPES = [...IMAGES, ...INDEXES].join(', ');
/** As for images without a platform of their own, in Flux and in Docker. */
const PLATFORM = 'linux/amd64';
/** Bytes of annotations that become part of a status. */
const MAX_ANNOTATIONS = 16_384;

function mapOf(value: unknown): PlainMap {
  return isMap(value) ? value : {};
}

function textsIn(map: PlainMap): Record<string, string> {
  const texts = Object.entries(map).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return Object.fromEntries(texts);
}

function descriptor(value: unknown): Layer | undefined {
  const { mediaType = '', digest, size, annotations, artifactType } = mapOf(value);
  const isSized = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !isDigest(digest) || !isSized) return undefined;
  return defined({
    ...{ mediaType, digest, size },
    annotations: isMap(annotations) ? textsIn(annotations) : undefined,
    artifactType: typeof artifactType === 'string' ? artifactType : undefined,
  });
}

function descriptors(value: unknown): { raw: unknown; read: Layer }[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const found = value.flatMap((raw: unknown) => {
    const read = descriptor(raw);
    return read === undefined ? [] : [{ raw, read }];
  });
  return found.length === value.length ? found : undefined;
}

/** The annotations, in the order of their names, as far as they fit into a status. */
function annotationsIn(value: unknown): Record<string, string> {
  let bytes = 0;
  const entries = Object.entries(textsIn(mapOf(value))).sort(([a], [b]) => (a < b ? -1 : 1));
  const kept = entries.filter(([name, text]) => {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(text);
    return bytes <= MAX_ANNOTATIONS;
  });
  return Object.fromEntries(kept);
}

function platformOf(raw: unknown): string | undefined {
  const { os, architecture } = mapOf(mapOf(raw)['platform']);
  return typeof os === 'string' && typeof architecture === 'string' ? `${os}/${architecture}` : undefined;
}

/** A manifest of any of `MANIFEST_TYPES`; undefined when it is none, or a descriptor in it is malformed. */
export function parseManifest(text: string): Manifest | undefined {
  let value: PlainMap;
  try {
    value = mapOf(JSON.parse(text));
  } catch {
    return undefined;
  }
  const layers = descriptors(value['layers']);
  if (layers !== undefined) {
    return { kind: 'image', layers: layers.map(({ read }) => read), annotations: annotationsIn(value['annotations']) };
  }
  const manifests = descriptors(value['manifests']);
  if (manifests === undefined) return undefined;
  return { kind: 'index', manifests: manifests.map(({ raw, read }) => ({ ...read, platform: platformOf(raw) })) };
}

/** The manifest of an index that is used: the only one, or the one for linux/amd64. */
export function chooseManifest({ manifests }: Extract<Manifest, { kind: 'index' }>): Layer | undefined {
  return manifests.length === 1 ? manifests[0] : manifests.find(({ platform }) => platform === PLATFORM);
}

/** The layer that `spec.layerSelector` asks for: the first, or the first of its media type. */
export function chooseLayer(
  layers: readonly Layer[],
  selector: OCIRepositorySpec['layerSelector'],
): { readonly layer: Layer } | { readonly problem: string } {
  const wanted = selector?.mediaType ?? '';
  const layer = wanted === '' ? layers[0] : layers.find(({ mediaType }) => mediaType === wanted);
  if (layer !== undefined) return { layer };
  if (layers.length === 0) return { problem: 'has no layers' };
  const types = [...new Set(layers.map(({ mediaType }) => JSON.stringify(mediaType.slice(0, 100))))].slice(0, 5);
  return {
    problem: `has no layer of media type ${JSON.stringify(wanted)} (spec.layerSelector), only ${types.join(', ')}`,
  };
}
