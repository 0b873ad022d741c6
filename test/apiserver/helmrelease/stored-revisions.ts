import { expect } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { helmReleaseResource } from '#api/flux/helm-release.js';
import type { KubeObject } from '#api/meta.js';
import type { ReleaseStatus } from '#controllers/helmrelease/model/release.js';
import { listAll, type Kube } from '#runtime/client/kube.js';
import { decodeRelease, encodeRelease } from '#controllers/helmrelease/release-codec.js';
import type { Harness } from './harness.js';

interface StorageSecret extends KubeObject {
  data: { release: string };
}

/** Gives a stored revision another status, as a process that was killed in the middle leaves it. */
export async function rewriteRevision(
  harness: Harness,
  name: string,
  version: number,
  change: {
    readonly status?: ReleaseStatus;
    readonly applyMethod?: 'csa';
    readonly labels?: Readonly<Record<string, string>>;
    /** Where the release is stored; absent: in the namespace of the test. */
    readonly namespace?: string;
  },
): Promise<void> {
  const ref = { name: `sh.helm.release.v1.${name}.v${version}`, namespace: change.namespace ?? harness.namespace };
  const secret = await harness.member.get<StorageSecret>(secretResource, ref);
  if (secret === undefined) throw new Error(`no Secret ${ref.name}`);
  const record = decodeRelease(secret.data.release, ref.name);
  const status = change.status ?? record.info.status;
  const method = change.applyMethod === undefined ? {} : { apply_method: change.applyMethod };
  const release = encodeRelease({ ...record, ...method, info: { ...record.info, status } });
  const labels = { ...secret.metadata.labels, status, ...change.labels };
  await harness.member.update(secretResource, {
    ...secret,
    metadata: { ...secret.metadata, labels },
    data: { release },
  });
}

/** Changes fields of a HelmRelease's status; null removes one. */
export async function forgeStatus(harness: Harness, name: string, status: object): Promise<void> {
  const ref = { name, namespace: harness.namespace };
  await harness.host.patch(helmReleaseResource, ref, { type: 'merge', body: { status } }, { subresource: 'status' });
}

/**
 * `1 superseded`, `2 deployed`: what the real helm says of a release, stored in the test's namespace unless one is
 * named.
 */
export async function revisionsOf(harness: Harness, name: string, namespace = harness.namespace): Promise<string[]> {
  // Helm's own JSON output.
  const entries = JSON.parse(await harness.helm('history', name, '--output=json', '--namespace', namespace)) as {
    revision: number;
    status: string;
  }[];
  return entries.map(({ revision, status }) => `${revision} ${status}`);
}

/** The same of every release of a cluster, by `namespace/name`; the labels must say what the records say. */
export async function allRevisions(kube: Kube): Promise<Map<string, string[]>> {
  const { items } = await listAll<StorageSecret>(kube, secretResource, { labelSelector: 'owner=helm' });
  const found = new Map<string, string[]>();
  for (const { metadata, data } of items) {
    const { name, version, info } = decodeRelease(data.release, metadata.name);
    expect(metadata.labels).toMatchObject({ version: String(version), status: info.status });
    const key = `${metadata.namespace ?? ''}/${name}`;
    found.set(key, [...(found.get(key) ?? []), `${version} ${info.status}`]);
  }
  return found;
}
