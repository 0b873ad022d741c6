import type { Offload } from '#runtime/isolation/offload.js';
import { TransientError } from '#lib/errors.js';
import type { FoundSignature } from './model/signatures.js';
import { bundleLayer, bundleManifests, referrersTag, signatureLayers, signatureTag } from './model/format.js';
import type { Layer, Manifest } from '../oci/model/manifest.js';
import type { Registry } from '../oci/registry.js';
import { parseManifestTask } from '../oci/tasks.js';

/** As many as cosign reads; the newest count. */
const MAX_LAYERS = 1_000;
/** Each costs a request; signatures that were made again mostly share what was signed. */
const MAX_PAYLOADS = 100;
const MAX_PAYLOAD_BYTES = 8 * 1024;
/** Each costs two requests. */
const MAX_BUNDLES = 50;
/** Larger ones are attestations with whole documents in them. */
const MAX_BUNDLE_BYTES = 256 * 1024;

/** Where signatures are looked for. */
export interface Place {
  readonly offload: Pick<Offload, 'run'>;
  readonly registry: Registry;
  readonly tenant: string;
  /** Of the manifest that is signed. */
  readonly digest: string;
}

/** What was found, and what could not be fetched: one that is damaged must not hide the others. */
export interface Findings {
  readonly signatures: readonly FoundSignature[];
  readonly problems: readonly string[];
}

async function parsed({ offload, tenant }: Place, text: string | undefined): Promise<Manifest | undefined> {
  return text === undefined ? undefined : parseManifestTask.ask(offload, text, tenant);
}

/** Reads one thing after the other. */
class Search {
  readonly signatures: FoundSignature[] = [];
  readonly problems: string[] = [];
  readonly #place: Place;
  readonly #payloads = new Map<string, string>();

  constructor(place: Place) {
    this.#place = place;
  }

  /** Remembers what cannot be fetched as a problem. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error: unknown) {
      if (!(error instanceof TransientError)) throw error;
      this.problems.push(error.message);
      return undefined;
    }
  }

  async layers(): Promise<void> {
    const { registry, digest } = this.#place;
    const manifest = await parsed(this.#place, await registry.manifestOf(signatureTag(digest)));
    for (const { layer, ...signature } of signatureLayers(manifest).slice(-MAX_LAYERS).reverse()) {
      await this.attempt(async () => {
        const payload = await this.#payload(layer);
        if (payload !== undefined) this.signatures.push({ kind: 'layer', payload, ...signature });
      });
    }
  }

  async bundles(): Promise<void> {
    const { registry } = this.#place;
    for (const { digest: referrer } of bundleManifests(await this.#referrers()).slice(0, MAX_BUNDLES)) {
      await this.attempt(async () => {
        const layer = bundleLayer(await parsed(this.#place, await registry.manifest(referrer)));
        if (layer === undefined || layer.size > MAX_BUNDLE_BYTES) return;
        const text = (await registry.blob(layer, MAX_BUNDLE_BYTES)).toString('utf8');
        this.signatures.push({ kind: 'bundle', text });
      });
    }
  }

  /** Of registries that keep no index of referrers, whatever they answer, what clients keep under a tag instead. */
  async #referrers(): Promise<Manifest | undefined> {
    const { registry, digest } = this.#place;
    const index = await this.attempt(async () => parsed(this.#place, await registry.referrers(digest)));
    return index?.kind === 'index' ? index : parsed(this.#place, await registry.manifestOf(referrersTag(digest)));
  }

  async #payload(layer: Layer): Promise<string | undefined> {
    const known = this.#payloads.get(layer.digest);
    if (known !== undefined || this.#payloads.size >= MAX_PAYLOADS) return known;
    const payload = (await this.#place.registry.blob(layer, MAX_PAYLOAD_BYTES)).toString('base64');
    this.#payloads.set(layer.digest, payload);
    return payload;
  }
}

/** The signatures of a manifest in its registry, in both layouts that cosign writes, as far as bounds let it. */
export async function findSignatures(place: Place): Promise<Findings> {
  const search = new Search(place);
  await search.attempt(() => search.bundles());
  await search.attempt(() => search.layers());
  return search;
}
