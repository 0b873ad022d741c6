import type { ObjectRef } from '#api/meta.js';
import type { ArtifactOwner, ArtifactStore } from '#engine/artifact/types.js';
import type { Run } from '#engine/process/run.js';
import type { Cache, SetupContext } from '#runtime/controller.js';
import type { Lru } from '#lib/lru.js';
import type { ProxySettings } from '#lib/net/proxy.js';
import type { Mirrors } from './git/mirrors.js';
import type { TemporaryKeys } from './bucket/model/sts.js';
import type { InstallationToken } from './git/model/github-app.js';
import type { Bucket, GitRepository, HelmRepository } from './model/source.js';

/** Of an index that was fetched. */
export interface IndexVersion {
  readonly etag: string;
  /** Digest of what is kept of it. */
  readonly hex: string;
}

/** Dependencies of every reconciliation of a source. */
export interface Deps extends Pick<SetupContext, 'kube' | 'events' | 'now' | 'offload'> {
  readonly store: ArtifactStore;
  readonly run: Run;
  readonly gitPath: string;
  readonly mirrors: Mirrors;
  readonly helmPath: string;
  readonly dependencyRequeueMs: number;
  readonly proxies: ProxySettings;
  /** Whose keyless signatures are trusted, unless a source says so itself. */
  readonly trustedRootFile: string | undefined;
  /** What charts are made of. */
  readonly repositories: {
    readonly helm: Cache<HelmRepository>;
    readonly git: Cache<GitRepository>;
    readonly bucket: Cache<Bucket>;
  };
  /** Digest of what is kept of an index, by the sha256 of the fetched file. */
  readonly indexDigests: Lru<string>;
  /** By repository and URL. */
  readonly indexVersions: Lru<IndexVersion>;
  /** Tokens of GitHub Apps, by app and installation. */
  readonly githubTokens: Lru<InstallationToken>;
  /** Of object stores, by namespace, endpoint and login. */
  readonly temporaryKeys: Lru<TemporaryKeys>;
  /** Pulled archives of charts, by repository, URL and digest. */
  readonly archives: Lru<Buffer>;
}

/** Owner of an object's artifacts in the store. */
export function artifactOwner({
  kind,
  metadata,
}: {
  readonly kind: string;
  readonly metadata: ObjectRef;
}): ArtifactOwner {
  return { kind: kind.toLowerCase(), namespace: metadata.namespace ?? '', name: metadata.name };
}
