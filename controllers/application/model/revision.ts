import { INSTALLED_ONCE_ANNOTATION } from '#api/v1alpha1/labels.js';
import type { Child } from './types.js';

/** The chart version of the deployed release, or the revision of the applied files. A backup has no status. */
export function revisionOf(child: Child | undefined): string | undefined {
  const { history = [], lastAppliedRevision } = child?.status ?? {};
  const deployed = history.find(({ status = 'deployed' }) => status === 'deployed');
  const recorded = child?.metadata.annotations?.[INSTALLED_ONCE_ANNOTATION];
  return deployed?.chartVersion ?? lastAppliedRevision ?? (recorded === '' ? undefined : recorded);
}
