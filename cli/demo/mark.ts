import type { KubeObject } from '../../api/meta.js';
import { shortHash } from '../../controllers/runtime/pure/short-hash.js';

const INSTANCE_LABEL = 'app.kubernetes.io/instance';

/** On what a demo creates on clusters of a user: the label by which it finds it again. */
export interface Mark {
  readonly [INSTANCE_LABEL]: string;
}

/** The mark of the demo in a namespace of a host cluster: the same after a crash, another one for other hosts. Pure. */
export function markOf(hostUid: string, namespace: string): Mark {
  return { [INSTANCE_LABEL]: `fairlead-demo-${shortHash(`${hostUid}/${namespace}`)}` };
}

/** The label selector of a mark. Pure. */
export function selectorOfMark(mark: Mark): string {
  return `${INSTANCE_LABEL}=${mark[INSTANCE_LABEL]}`;
}

/** True for what this demo created; another demo has another mark. Pure. */
export function isMarked({ metadata }: KubeObject, mark: Mark): boolean {
  return metadata.labels?.[INSTANCE_LABEL] === mark[INSTANCE_LABEL];
}
