import { isJob } from '#api/core.js';
import type { Unstructured } from '#api/meta.js';
import { viewOf } from './fields.js';

/** A Job with `ttlSecondsAfterFinished`: if it does not exist any more, it has finished, and the cluster deleted it. */
export function goesByItself(wanted: Unstructured): boolean {
  return isJob(wanted) && typeof viewOf(wanted).spec['ttlSecondsAfterFinished'] === 'number';
}

/** A paused Deployment: there is nothing to wait for, as in Helm. */
export function isPaused(wanted: Unstructured): boolean {
  return (
    wanted.kind === 'Deployment' && wanted.apiVersion.startsWith('apps/') && viewOf(wanted).spec['paused'] === true
  );
}
