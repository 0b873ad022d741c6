import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import type { KubeObject } from '#api/meta.js';
import type { Kube } from '#runtime/client/kube.js';
import { print } from '../terminal/standard-output.js';
import { followUntil } from './follow-until.js';
import { isRolledOut, rolloutLines, twoStages, type Change } from './rollout-lines.js';

/** The sample that gets a new version, and that version. */
const NAME = 'first-light';
const CHANGE: Change = { version: '1.5.0', canary: 'stage-kubeconfig' };

/** Field manager of a user who types `kubectl patch`. */
const FIELD_MANAGER = 'kubectl-patch';
const LIMIT_MS = 180_000;

/** The objects of the demo, with earlier revisions of the Application that gets another one. */
export function withHistory(objects: readonly KubeObject[]): KubeObject[] {
  return objects.map((object) => {
    if (object.kind !== applicationResource.kind || object.metadata.name !== NAME) return object;
    const { spec } = object as Application; // by its kind
    return { ...object, spec: { ...spec, revisionHistoryLimit: 3 } };
  });
}

export interface Showing {
  readonly kube: Kube;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Rolls a new version out in two stages, and prints a line when a cluster has it. Throws at the limit. */
export async function showRollout({ kube, namespace, signal }: Showing): Promise<void> {
  const chart = { version: CHANGE.version };
  const body = { spec: { rollout: twoStages(CHANGE), fluxApp: { spec: { config: { helmRelease: { chart } } } } } };
  print(`\nRolling ${NAME} ${CHANGE.version} out in two stages:`);
  await kube.patch(
    applicationResource,
    { name: NAME, namespace },
    { type: 'merge', body },
    { fieldManager: FIELD_MANAGER },
  );
  const printed = new Set<string>();
  let latest: Application | undefined;
  const isDone = await followUntil(kube, { namespace, signal, limitMs: LIMIT_MS }, (all) => {
    latest = all.find(({ metadata }) => metadata.name === NAME);
    if (latest === undefined) return false;
    for (const line of rolloutLines(latest, CHANGE).filter((each) => !printed.has(each))) {
      printed.add(line);
      print(`  ${line}`);
    }
    return isRolledOut(latest, CHANGE);
  });
  if (isDone) return;
  const { message = 'it has no status' } = latest?.status?.rollout ?? {};
  throw new Error(`${NAME} was not rolled out after ${LIMIT_MS / 1_000} s: ${message}`);
}
