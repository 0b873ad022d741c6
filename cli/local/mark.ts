import type { KubeObject } from '#api/meta.js';
import { DEMO_UID_ANNOTATION } from '#api/v1alpha1/labels.js';
import { shortHash } from '#lib/hash.js';
import { isOurs } from '../install/crd-rules.js';

/** Field manager of the CRDs that a demo creates. */
export const DEMO_MANAGER = 'fairlead-demo';

const INSTANCE_LABEL = 'app.kubernetes.io/instance';

/** On what a demo creates on clusters of a user: the label by which it finds it again. */
export interface Mark {
  readonly [INSTANCE_LABEL]: string;
}

/** The mark of the demo in a namespace of a host cluster: the same after a crash, another one for other hosts. */
export function markOf(hostUid: string, namespace: string): Mark {
  return { [INSTANCE_LABEL]: `fairlead-demo-${shortHash(`${hostUid}/${namespace}`)}` };
}

/** The label selector of a mark. */
export function selectorOfMark(mark: Mark): string {
  return `${INSTANCE_LABEL}=${mark[INSTANCE_LABEL]}`;
}

function isMarked({ metadata }: KubeObject, mark: Mark): boolean {
  return metadata.labels?.[INSTANCE_LABEL] === mark[INSTANCE_LABEL];
}

/** The namespace of a demo in its host cluster, and its mark. */
export interface DemoName {
  readonly namespace: string;
  readonly mark: Mark;
}

/**
 * True for a namespace that this demo created. The mark alone does not tell: a copy and a restored backup have it, too.
 */
export function isOwnNamespace(object: KubeObject, demo: DemoName): boolean {
  const { name, uid, annotations } = object.metadata;
  const isNamedSo = name === demo.namespace || name.startsWith(`${demo.namespace}-`);
  const isOriginal = uid !== undefined && annotations?.[DEMO_UID_ANNOTATION] === uid;
  return isMarked(object, demo.mark) && isNamedSo && isOriginal;
}

/** True for a CRD that this demo created and nobody else has written to since, not even by applying the same. */
export function isOwnCrd(crd: KubeObject, mark: Mark): boolean {
  const managers = (crd.metadata.managedFields ?? []).filter(({ subresource = '' }) => subresource === '');
  const isUntouched = managers.length > 0 && managers.every(({ manager }) => manager === DEMO_MANAGER);
  return isMarked(crd, mark) && isOurs(crd) && isUntouched;
}
