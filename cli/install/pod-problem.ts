import type { Condition, KubeObject } from '../../api/meta.js';
import { oneLine } from '../terminal/text.js';

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
  readonly lastState?: { readonly terminated?: { readonly exitCode?: number; readonly reason?: string } };
}

export interface Pod extends KubeObject {
  status?: {
    phase?: string;
    conditions?: Condition[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

/** Waiting reasons of a pod that is starting as it should. */
const STARTING: readonly string[] = ['', 'ContainerCreating', 'PodInitializing'];

/** Why a container does not run; empty for one that runs, or starts as it should. */
function containerProblem({ name, state, lastState }: ContainerStatus): string {
  const { reason = '', message } = state?.waiting ?? {};
  if (STARTING.includes(reason)) return '';
  const exit = lastState?.terminated;
  const ended = exit === undefined ? undefined : `exited with ${exit.exitCode ?? '?'} (${exit.reason ?? 'Error'})`;
  return `container ${name}: ${[reason, ended ?? message].filter((part) => part !== undefined).join(': ')}`;
}

function conditionOf({ status }: Pod, type: string): Condition | undefined {
  return status?.conditions?.find((each) => each.type === type);
}

/** Why a pod does not get ready, in its own words; undefined for one that is ready, or still starting. Pure. */
export function podProblem(pod: Pod): string | undefined {
  if (conditionOf(pod, 'Ready')?.status === 'True') return undefined;
  const scheduled = conditionOf(pod, 'PodScheduled');
  if (scheduled?.status === 'False') return oneLine(`was not scheduled: ${scheduled.message}`);
  const { phase, initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const problem = [...initContainerStatuses, ...containerStatuses].map(containerProblem).find((each) => each !== '');
  if (problem !== undefined) return oneLine(problem);
  return phase === 'Running' ? 'runs, but is not ready' : undefined;
}
