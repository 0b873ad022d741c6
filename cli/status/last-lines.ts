import { podResource } from '#api/core.js';
import { type HelmRelease, helmReleaseResource } from '#api/flux/helm-release.js';
import { type Kustomization, kustomizationResource } from '#api/flux/kustomization.js';
import { createMembers } from '#engine/member/members.js';
import { clusterOf } from '#engine/flux/model/cluster.js';
import type { Kube } from '#runtime/client/kube.js';
import { objectPath } from '#lib/net/urls.js';
import { oneLine } from '#lib/text/text.js';
import { type BlamedPod, podInMessage, worstRows } from './look-further.js';
import type { Row } from './model/status-table.js';

/** A cluster that is away must not hold up what is known anyway. */
const TIMEOUT_MS = 5_000;
/** Kinds of children, which say on which cluster their pods are. */
const CHILDREN = [helmReleaseResource, kustomizationResource];
const TAIL = 'tailLines=1&limitBytes=2000';

async function lastLine(kube: Kube, { namespace, name, container, isRestarting }: BlamedPod): Promise<string> {
  const query = `container=${container}&previous=${isRestarting}&${TAIL}`;
  const path = `${objectPath(podResource, { namespace, name }, 'log')}?${query}`;
  return oneLine(String(await kube.read(path, { timeoutMs: TIMEOUT_MS, asText: true, once: true })));
}

/** Of the container that a row blames; undefined where there is none, or where the user may not read it. */
async function ofRow(host: Kube, row: Row): Promise<string | undefined> {
  const pod = podInMessage(row.message);
  if (pod?.container === undefined) return undefined;
  const { namespace } = row.application;
  const { kind, name } = row.childRef ?? { kind: '', name: '' };
  const type = CHILDREN.find((each) => each.kind === kind);
  const child = type && (await host.get<HelmRelease | Kustomization>(type, { namespace, name }));
  const cluster = child && clusterOf(child.spec);
  if (cluster === undefined || cluster.kind === 'unreadable') return undefined;
  const members = createMembers({ host });
  try {
    const { kube } = await members.get(cluster.kind === 'host' ? 'host' : cluster, namespace, {
      timeoutMs: TIMEOUT_MS,
    });
    const line = await lastLine(kube, pod);
    return line === '' ? undefined : `Last output of Pod/${pod.namespace}/${pod.name}: ${line}`;
  } finally {
    await members.close();
  }
}

/** The last line that the containers to blame for the worst rows printed, read with the rights of the user. */
export async function lastLines(host: Kube, rows: readonly Row[]): Promise<string[]> {
  const lines = await Promise.all(worstRows(rows).map((row) => ofRow(host, row).catch(() => undefined)));
  return lines.filter((line) => line !== undefined);
}
