import type { KubeObject } from '#api/meta.js';
import { listed } from '../../runtime/pure/listed.js';
import { describeObject } from '../../runtime/pure/urls.js';
import { cutMiddle } from '../../runtime/pure/cut.js';

const MAX_MESSAGE = 300;
const ELLIPSIS = ' ... ';

/** `HelmRelease namespace/name`. */
export function describeChild(child: KubeObject): string {
  return describeObject(child.kind, child.metadata);
}

/**
 * One line of at most `limit` characters. The start says what failed and the end says why (errors put their cause
 * last), so a long text loses its middle.
 */
export function shortened(text: string, limit = MAX_MESSAGE): string {
  return cutMiddle(text.replaceAll(/\s+/g, ' ').trim(), limit, ELLIPSIS);
}

/** What becomes of a child that is not deleted although no entry wants it. */
export function leftUnchanged(why: string): string {
  return `left unchanged, ${why}`;
}

/** Of more objects only the number is given: an event has room for a thousand characters. */
const NAMED_CHILDREN = 5;

/** Several children of one kind and namespace, e.g. `3 HelmReleases in shop (web-a, web-b, web-c)`. */
export function describeChildren(children: readonly KubeObject[]): string {
  const names = children.map(({ metadata }) => metadata.name);
  const [first] = children;
  const place = first?.metadata.namespace ?? 'the cluster';
  return `${names.length} ${first?.kind ?? 'object'}s in ${place} (${listed(names, NAMED_CHILDREN)})`;
}
