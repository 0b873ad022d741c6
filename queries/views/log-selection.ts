import { listed } from '#lib/text/text.js';
import type { OwnedObject } from './tree-view.js';

/** Pods of an Application on one cluster. */
export interface PodsOf {
  /** As the status names it. */
  readonly cluster: string;
  /** The child that they belong to, as a view names it. */
  readonly child: string;
  readonly pods: readonly Pick<OwnedObject, 'namespace' | 'name' | 'containers'>[];
}

/** One container whose output is wanted. */
export interface LogSource {
  readonly cluster: string;
  readonly child: string;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The other containers of the pod, if nobody said which one. */
  readonly others: readonly string[];
}

export interface LogQuery {
  readonly pod?: string | undefined;
  readonly container?: string | undefined;
}

/** How the user writes what he chooses with. */
export type Spelling = (field: 'cluster' | 'pod' | 'container') => string;

const asFlag: Spelling = (field) => `--${field}`;

/** Streams that one user follows at once. */
export const MOST_LOGS = 20;
const NAMED = 10;

function sourcesIn({ cluster, child, pods }: PodsOf, { pod, container }: LogQuery): LogSource[] {
  return pods
    .filter(({ name }) => pod === undefined || name === pod)
    .flatMap(({ namespace, name, containers }) => {
      const chosen = containers.find((each) => container === undefined || each === container);
      if (chosen === undefined) return [];
      const others = container === undefined ? containers.filter((each) => each !== chosen) : [];
      return [{ cluster, child, namespace, pod: name, container: chosen, others }];
    });
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort();
}

/** Why there is none, with those that there are. */
function whyNone(found: readonly PodsOf[], { pod, container }: LogQuery, spell: Spelling): string {
  const pods = found.flatMap((each) => each.pods);
  if (pods.length === 0) return 'it has no pods that can be read';
  const ofPod = pods.filter(({ name }) => pod === undefined || name === pod);
  if (ofPod.length === 0) {
    return `${spell('pod')} ${pod}: it has only ${listed(unique(pods.map(({ name }) => name)), NAMED)}`;
  }
  const containers = unique(ofPod.flatMap((each) => each.containers));
  return `${spell('container')} ${container}: there are only ${listed(containers, NAMED)}`;
}

/** The containers that a query selects, or why it selects none or too many. Never throws. */
export function logSources(
  found: readonly PodsOf[],
  query: LogQuery,
  { most = MOST_LOGS, spell = asFlag }: { readonly most?: number; readonly spell?: Spelling } = {},
): { readonly sources: readonly LogSource[] } | { readonly problem: string } {
  const sources = found.flatMap((each) => sourcesIn(each, query));
  if (sources.length === 0) return { problem: whyNone(found, query, spell) };
  if (sources.length <= most) return { sources };
  const wayOut = `choose some of them with ${spell('cluster')} or ${spell('pod')}`;
  return { problem: `${sources.length} containers are more than the ${most} that are shown at once: ${wayOut}` };
}

/** The path and query of the log of a container. */
export interface LogOptions {
  readonly follow?: boolean | undefined;
  readonly tail?: number | undefined;
  readonly previous?: boolean | undefined;
}

/** Query of a log request. */
export function logParameters({ container }: LogSource, { follow, tail, previous }: LogOptions) {
  return { container, follow, previous, tailLines: tail };
}
