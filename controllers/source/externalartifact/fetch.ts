import type { Artifact } from '#api/flux/common.js';
import type { KubeObject } from '#api/meta.js';
import { artifactPath } from '#engine/artifact/paths.js';
import type { ArtifactStore } from '#engine/artifact/types.js';
import { TransientError } from '#lib/errors.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import type { FetchExternal } from '#engine/flux/deps.js';
import { isDigest } from '../oci/model/reference.js';
import { artifactOwner } from '../deps.js';
import { exchange, save, type Download } from '../http.js';
import { printableUrl } from '../model/urls.js';

/** Bytes of an archive. */
const MAX_EXTERNAL_BYTES = 256 * 1024 * 1024;
const MAX_URL = 2_048;

function isFetched(text: string): boolean {
  if (text.length > MAX_URL || !URL.canParse(text)) return false;
  const url = new URL(text);
  return (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';
}

/** Why an artifact that somebody else publishes cannot be fetched; undefined when it can. Does not repeat its URL. */
export function externalProblem({
  url,
  digest,
  size = 0,
}: Pick<Artifact, 'url' | 'digest' | 'size'>): string | undefined {
  if (!isFetched(url)) return 'status.artifact.url is not an http or https URL without credentials';
  if (!isDigest(digest)) return 'status.artifact.digest is not sha256: with 64 hexadecimal digits';
  if (size > MAX_EXTERNAL_BYTES)
    return `status.artifact.size is ${size} bytes; at most ${MAX_EXTERNAL_BYTES} are fetched`;
  return undefined;
}

interface ExternalArtifactDependencies {
  readonly store: ArtifactStore;
  readonly proxies: ProxySettings;
}

const TIMEOUT_MS = 60_000;
const REASON = 'ArtifactFailed';

function subjectOf({ kind, metadata }: KubeObject): string {
  return `${kind} '${metadata.namespace ?? ''}/${metadata.name}'`;
}

/** Writes what is at the URL to `file`, if it has the digest. No login is sent, wherever the URL leads. */
async function fetchTo(file: string, source: KubeObject, { url, digest }: Artifact, asked: Download): Promise<void> {
  const refuse = (problem: string): TransientError =>
    new TransientError(`the artifact of ${subjectOf(source)} at ${printableUrl(url)} ${problem}`, { reason: REASON });
  const found = await exchange(asked, ({ response }) => {
    if (response.statusCode !== 200) throw refuse(`cannot be fetched: the server answered ${response.statusCode}`);
    return save(asked, response, file);
  });
  if (found !== digest) throw refuse(`has the digest ${found}, its status says ${digest}: publish it again`);
}

/** What is under way, and whose signal ends it. */
interface Running {
  readonly done: Promise<void>;
  readonly signal: AbortSignal;
}

/** Does `work` once for all who ask for `key` at the same time. */
async function shareWork(
  running: Map<string, Running>,
  key: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const joined = running.get(key);
  if (joined === undefined) {
    const done = work().finally(() => running.delete(key));
    running.set(key, { done, signal });
    return done;
  }
  try {
    await joined.done;
  } catch (error: unknown) {
    if (!joined.signal.aborted) throw error;
    // Only the one who began it was cancelled.
    await shareWork(running, key, signal, work);
  }
}

/**
 * Fetches the artifacts of other controllers into the store; one that is there already costs no request, and many who
 * need the same one at the same time cost one.
 */
export function externalArtifactFetcher({ store, proxies }: ExternalArtifactDependencies): FetchExternal {
  const running = new Map<string, Running>();
  return async (source, artifact, signal) => {
    const problem = externalProblem(artifact);
    if (problem !== undefined) throw new TransientError(`${subjectOf(source)}: ${problem}`, { reason: REASON });
    const { url, digest, revision } = artifact;
    const owner = artifactOwner(source);
    const name = `${digest.replace(/^sha256:/, '')}.tar.gz`;
    const stored = { ...artifact, path: artifactPath(owner, name) };
    const limits = { maxBytes: MAX_EXTERNAL_BYTES, timeoutMs: TIMEOUT_MS, signal, reason: REASON };
    // What a status says must not lead to a metadata server. Other addresses are allowed, those of this machine, too.
    const asked: Download = { url, credentials: {}, proxies, namedHost: '', ...limits };
    await shareWork(running, `${stored.path} ${url}`, signal, async () => {
      if ((await store.locate(stored)) === undefined) {
        await store.put(owner, name, revision, (file) => fetchTo(file, source, artifact, asked));
      }
      // Also of one that was there: it may have been replaced for a while.
      await store.collect(owner, [stored.path]);
    });
    return stored;
  };
}
