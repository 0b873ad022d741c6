/** Short words to tell the stories of the tests. */
import type { ApplicationSpec, FluxApplicationSpec, HelmReleaseConfig } from '#api/v1alpha1/application.js';
import { chartContent, type Content } from './content.js';
import type { Act, ApplicationObject, ClusterObject, Moment, PlainObject, Run, Target, World } from './facts.js';
import { rememberAll, type Memory } from './story.js';

const HOST = 'uid-host';
const MINUTE_MS = 60_000;

type Entry = HelmReleaseConfig['deploy'][number];

/** An Application of a test; its chart is `podinfo` 1.0.0. */
export interface Says {
  readonly name?: string;
  readonly uid?: string;
  readonly created?: string;
  readonly deploy?: readonly Entry[];
  readonly version?: string;
  readonly chart?: string;
  readonly template?: string;
  readonly suspend?: boolean;
  readonly files?: FluxApplicationSpec['config']['kustomization'];
  readonly policy?: 'Delete' | 'Orphan';
  readonly rollout?: ApplicationSpec['rollout'];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isDeleted?: boolean;
}

function configOf(says: Says): FluxApplicationSpec['config'] {
  const { deploy = [], version = '1.0.0', chart = 'podinfo', template, suspend = false, files } = says;
  if (files !== undefined) return { suspend, kustomization: files };
  const what = template === undefined ? { chart: { chart, version } } : { template };
  return { suspend, helmRelease: { ...what, deploy: [...deploy] } };
}

/** The Application `web` of the namespace `team`. */
export function app(says: Says): ApplicationObject {
  const { name = 'web', uid = 'uid-web', policy, rollout, annotations = {}, isDeleted = false, files, created } = says;
  const kind = files === undefined ? 'HelmRepository' : 'GitRepository';
  const flux = { source: { sourceRef: { kind, name: 'source' } }, config: configOf(says) } as const;
  return {
    metadata: {
      name,
      namespace: 'team',
      uid,
      annotations: Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`gitops.kubesphere.io/${key}`, value]),
      ),
      ...(created === undefined ? {} : { creationTimestamp: created }),
      ...(isDeleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      fluxApp: { spec: flux },
      ...(policy === undefined ? {} : { deletionPolicy: policy }),
      ...(rollout === undefined ? {} : { rollout }),
    },
  };
}

/** A Secret of the inventory, which leads to the cluster `uid-NAME`. Without labels, it is in no inventory. */
export function cluster(
  name: string,
  labels: Record<string, string> = { env: 'prod' },
  more: Partial<ClusterObject> = {},
) {
  const marks = { 'gitops.kubesphere.io/cluster': 'true', ...labels };
  return { kind: 'Secret', namespace: 'team', name, labels: marks, leadsTo: `uid-${name}`, answers: true, ...more };
}

/** A Secret with a kubeconfig that describes no cluster. */
export function kubeconfig(name: string, leadsTo: string): ClusterObject {
  return { kind: 'Secret', namespace: 'team', name, labels: {}, leadsTo, answers: true };
}

export const everyProd: Entry = {
  destination: { clusterSelector: { matchLabels: { env: 'prod' } }, targetNamespace: 'shop' },
};
export const onHost: Entry = { destination: { targetNamespace: 'shop' } };
export const bySecret = (name: string): Entry => ({
  destination: { kubeConfig: { secretRef: { name } }, targetNamespace: 'shop' },
});
export const byReference = (name: string): Entry => ({
  destination: { clusterRef: { kind: 'Secret', name }, targetNamespace: 'shop' },
});

/** The release `web` in the namespace `shop` of a cluster. */
export function release(clusterName: string, where: { namespace?: string; name?: string } = {}): Target {
  const { namespace = 'shop', name = 'web' } = where;
  return { kind: 'HelmRelease', cluster: `uid-${clusterName}`, namespace, name, storage: namespace };
}

export const version = (number: string, chart = 'podinfo'): Content => chartContent({ chart, version: number });

/** Returns a run, by default Ready in version 1.0.0. */
export function runs(target: Target, content = version('1.0.0'), state: Run['state'] = 'Ready'): Run {
  return { target, content, state };
}

export function plainRelease(target: Target, more: Partial<PlainObject> = {}): PlainObject {
  return { kind: 'HelmRelease', namespace: 'team', name: 'by-hand', uid: 'uid-by-hand', target, ...more };
}

/** One step; what it doesn't mention stays as it was. */
export interface Step extends Partial<World> {
  readonly act?: Act;
  readonly runs?: readonly Run[];
  readonly afterMinutes?: number;
  /** False if the controllers had no time after the step. */
  readonly isSettled?: boolean;
}

const EMPTY: World = {
  host: HOST,
  applications: [],
  templates: [],
  clusters: [],
  unreadKinds: [],
  namespaces: [
    { name: 'team', uid: 'uid-team' },
    { name: 'shop', uid: 'uid-shop' },
  ],
  plain: [],
};

function after(before: Moment, step: Step): Moment {
  const { act, runs: running = before.runs, afterMinutes = 1, isSettled = true, ...changes } = step;
  const moment = { world: { ...before.world, ...changes }, runs: running, isSettled };
  const atMs = before.atMs + afterMinutes * MINUTE_MS;
  return act === undefined ? { ...moment, atMs } : { ...moment, atMs, act };
}

/** Returns the model's memory after the steps. The first step is moment 1: moment 0 is an empty cluster. */
export function tell(...steps: readonly Step[]): Memory {
  const story: Moment[] = [{ atMs: 0, world: EMPTY, runs: [], isSettled: true }];
  for (const step of steps) story.push(after(story.at(-1)!, step));
  return rememberAll(story);
}
