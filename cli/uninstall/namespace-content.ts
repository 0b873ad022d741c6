import type { KubeObject } from '#api/meta.js';
import { PART_OF_FAIRLEAD, PART_OF_LABEL } from '#api/v1alpha1/labels.js';

/** An object in the namespace of the controller. */
export interface Content {
  readonly kind: string;
  readonly object: KubeObject;
}

/** On the token of a ServiceAccount, which Kubernetes itself creates and deletes. */
const TOKEN_OF = 'kubernetes.io/service-account.name';
/** How many objects a message names. */
const NAMED = 3;

/** What is neither the controller's nor Kubernetes' own. Pure. */
export function contentOfOthers(content: readonly Content[]): Content[] {
  return content.filter(
    ({ object: { metadata } }) =>
      metadata.labels?.[PART_OF_LABEL] !== PART_OF_FAIRLEAD && metadata.annotations?.[TOKEN_OF] === undefined,
  );
}

/** `Secret a, Pod b`, and how many more. Pure. */
export function contentInWords(content: readonly Content[]): string {
  const named = content.slice(0, NAMED).map(({ kind, object }) => `${kind} ${object.metadata.name}`);
  return [...named, ...(content.length > NAMED ? [`${content.length - NAMED} more`] : [])].join(', ');
}

/** How a user looks at an object. Pure. */
export function describeCommand({ kind, object: { metadata } }: Content): string {
  const place = metadata.namespace === undefined ? '' : `-n ${metadata.namespace} `;
  return `kubectl describe ${place}${kind.toLowerCase()} ${metadata.name}`;
}
