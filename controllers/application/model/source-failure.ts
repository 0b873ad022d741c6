import { describeObject } from '../../runtime/pure/urls.js';
import { currentCondition } from './current-condition.js';
import { isTerminating } from './state.js';
import type { Child } from './types.js';

/** What a child is fetched by. */
export interface Upstreams {
  /** The HelmChart that the engine made for a child. */
  readonly chartOf: (child: Child) => Child | undefined;
  /** The source of a child that was made for an inline one. */
  readonly sourceOf: (child: Child) => Child | undefined;
}

/** Why a source cannot be fetched; undefined: it can, it may still come, or it is being deleted. Never throws. */
export function fetchFailure(source: Child): string | undefined {
  const ready = isTerminating(source) ? undefined : currentCondition(source, 'Ready');
  return ready?.status === 'False' ? ready.message : undefined;
}

/**
 * Why the source that was made for an inline one cannot be fetched, if a child waits for it; undefined: it does not
 * wait, or the source may still come. The engines only say that it is not ready, some with a cause and some without.
 * Never throws.
 */
export function sourceFailure(child: Child, source: Child | undefined): string | undefined {
  if (source === undefined || currentCondition(child, 'Ready')?.reason !== 'SourceNotReady') return undefined;
  const failure = fetchFailure(source);
  return failure === undefined ? undefined : `${describeObject(source.kind, source.metadata)}: ${failure}`;
}

/** True if the engine does not fetch the source again until its spec changes. Never throws. */
export function isSourceStalled(source: Child | undefined): boolean {
  return currentCondition(source, 'Stalled')?.status === 'True';
}
