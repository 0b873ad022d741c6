import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { Pack, ReadEntry, Header } from 'tar';

/** A layer to push. */
export interface PushedLayer {
  readonly mediaType: string;
  readonly data: Buffer;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const FLUX_CONTENT = 'application/vnd.cncf.flux.content.v1.tar+gzip';
const IMAGE = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const EMPTY: PushedLayer = { mediaType: 'application/vnd.oci.empty.v1+json', data: Buffer.from('{}') };

export function sha256(data: Buffer | string): string {
  return `sha256:${createHash('sha256').update(data).digest('hex')}`;
}

/** Files as a layer, as `flux push artifact` makes it. */
export async function tarLayer(files: Readonly<Record<string, string>>): Promise<PushedLayer> {
  const pack = new Pack({ portable: true });
  for (const [path, content] of Object.entries(files)) {
    const header = new Header({
      path,
      type: 'File',
      size: Buffer.byteLength(content),
      mode: 0o644,
      mtime: new Date(0),
    });
    const entry = new ReadEntry(header);
    entry.end(Buffer.from(content));
    pack.add(entry);
  }
  pack.end();
  const chunks: Buffer[] = [];
  for await (const chunk of pack) chunks.push(Buffer.from(chunk));
  return { mediaType: FLUX_CONTENT, data: gzipSync(Buffer.concat(chunks)) };
}

function describe({ mediaType, data, annotations }: PushedLayer): { mediaType: string; digest: string; size: number } {
  return { mediaType, digest: sha256(data), size: data.length, ...(annotations && { annotations }) };
}

/** Pushes to one repository of a registry, by the distribution protocol. */
export class Pusher {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;

  /** `registry` is its origin, e.g. `http://127.0.0.1:5000`. */
  constructor(registry: string, repository: string, headers: Readonly<Record<string, string>> = {}) {
    this.#base = `${registry}/v2/${repository}`;
    this.#headers = headers;
  }

  /** An artifact of layers. Returns its digest. */
  async image(tag: string, layers: readonly PushedLayer[], annotations: Record<string, string> = {}): Promise<string> {
    const blobs = new Map([EMPTY, ...layers].map((layer) => [sha256(layer.data), layer]));
    for (const layer of blobs.values()) await this.#blob(layer);
    const manifest = {
      schemaVersion: 2,
      mediaType: IMAGE,
      config: describe(EMPTY),
      layers: layers.map(describe),
      annotations,
    };
    return this.#manifest(tag, manifest);
  }

  /** An artifact about another one, listed as clients do it for a registry that lists none itself. */
  async referrer(subject: string, layer: PushedLayer): Promise<void> {
    for (const each of [EMPTY, layer]) await this.#blob(each);
    const config = describe(EMPTY);
    const manifest = { schemaVersion: 2, mediaType: IMAGE, artifactType: layer.mediaType, config };
    const body = { ...manifest, layers: [describe(layer)] };
    const text = Buffer.from(JSON.stringify(body));
    await this.#manifest(sha256(text), body);
    const found = { ...describe({ mediaType: IMAGE, data: text }), artifactType: config.mediaType };
    await this.index(subject.replace(':', '-'), [found]);
  }

  /** A list of manifests that were pushed. Returns its digest. */
  index(tag: string, manifests: readonly object[]): Promise<string> {
    return this.#manifest(tag, { schemaVersion: 2, mediaType: INDEX, manifests });
  }

  async #manifest(tag: string, manifest: { mediaType: string; [field: string]: unknown }): Promise<string> {
    const body = JSON.stringify(manifest);
    await this.#send('PUT', `${this.#base}/manifests/${tag}`, manifest.mediaType, body);
    return sha256(body);
  }

  async #blob({ data }: PushedLayer): Promise<void> {
    const { headers } = await this.#send('POST', `${this.#base}/blobs/uploads/`, 'application/octet-stream', '');
    const url = new URL(headers.get('location') ?? '', this.#base);
    url.searchParams.set('digest', sha256(data));
    await this.#send('PUT', url.href, 'application/octet-stream', data);
  }

  async #send(method: string, url: string, contentType: string, body: string | Buffer): Promise<Response> {
    const headers = { ...this.#headers, 'content-type': contentType };
    const response = await fetch(url, {
      method,
      headers,
      body: typeof body === 'string' ? body : new Uint8Array(body),
    });
    if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
    return response;
  }
}
