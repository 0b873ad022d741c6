import { createServer, type IncomingHttpHeaders } from 'node:http';
import { externalArtifactResource, type ExternalArtifact } from '#api/flux/external-artifact.js';
import type { ObjectRef } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { listen } from '#runtime/process/listen.js';
import { sha256 } from './oci.js';

/** A controller outside of Flux, as far as its users see it: objects, and archives over HTTP. */
export interface Publisher {
  readonly origin: string;
  /** Headers of all requests. */
  readonly seen: readonly IncomingHttpHeaders[];
  /** Writes an ExternalArtifact; absent fields of `artifact` are those of `data`. Without `data` it has no artifact. */
  publish(
    ref: ObjectRef,
    data?: Buffer,
    artifact?: { readonly url?: string; readonly digest?: string; readonly revision?: string },
  ): Promise<void>;
  close(): Promise<void>;
}

/** Serves what is published, and redirects to what the query says. */
export async function startPublisher(host: Kube): Promise<Publisher> {
  const files = new Map<string, Buffer>();
  const seen: IncomingHttpHeaders[] = [];
  const server = await listen(
    createServer(({ url = '/', headers }, response) => {
      seen.push(headers);
      const { pathname, searchParams } = new URL(url, 'http://publisher');
      const [to, body] = [searchParams.get('to'), files.get(pathname)];
      if (to !== null) response.writeHead(302, { location: to }).end();
      else if (body === undefined) response.writeHead(404).end();
      else response.end(body);
    }),
  );
  const origin = `http://127.0.0.1:${server.address.port}`;
  return {
    origin,
    seen,
    close: () => server.close(),
    async publish({ name, namespace = '' }, data, artifact = {}) {
      const object: ExternalArtifact = {
        ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'ExternalArtifact' },
        metadata: { name, namespace },
      };
      await host.apply(externalArtifactResource, object, { fieldManager: 'publisher', force: true });
      if (data === undefined) return;
      const path = `/${name}/${sha256(data).slice('sha256:'.length)}.tar.gz`;
      files.set(path, data);
      const described = {
        ...{ path: path.slice(1), url: `${origin}${path}`, digest: sha256(data), revision: `latest@${sha256(data)}` },
        ...{ lastUpdateTime: new Date(0).toISOString(), size: data.length },
        ...artifact,
      };
      const body = { status: { artifact: described } };
      await host.patch(
        externalArtifactResource,
        { name, namespace },
        { type: 'merge', body },
        { subresource: 'status' },
      );
    },
  };
}
