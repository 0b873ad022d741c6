import type { Application } from '#api/v1alpha1/application.js';
import type { AnnotationRequest } from './rollout-request.js';

export const DRY_RUN_NOTE = ' (dry run: nothing is written)';

/** What is said after an act, which may have been tried only. */
export function doneText(done: string, isDryRun: boolean): string {
  return isDryRun ? done + DRY_RUN_NOTE : done;
}

/** The merge patch that asks for it, of the Application as it was read: if it changed since, the server refuses. */
export function requestPatch({ metadata }: Application, { annotations, labels, spec }: AnnotationRequest): object {
  const { resourceVersion } = metadata;
  return {
    metadata: { resourceVersion, annotations, ...(labels === undefined ? {} : { labels }) },
    ...(spec === undefined ? {} : { spec }),
  };
}
