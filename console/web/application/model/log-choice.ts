import type { ObjectView } from '#queries/views/tree-view.js';

/** Of a pod, whose output is shown. */
export interface FirstLog {
  readonly container: string;
  /** Of the run before the last restart. */
  readonly previous: boolean;
}

/** What says most: the container that keeps the pod from being ready, else the one that kubectl would choose. */
export function firstLog({ containers, blamed }: Pick<ObjectView, 'containers' | 'blamed'>): FirstLog {
  if (blamed === undefined || !containers.includes(blamed.container)) {
    return { container: containers[0] ?? '', previous: false };
  }
  return { container: blamed.container, previous: blamed.isRestarting };
}
