import type { Kube } from '../../runtime/kube.js';
import { helmReleaseResource } from '../../../api/flux/helm-release.js';
import { FIELD_MANAGER } from './actions/context.js';
import { mergePatch } from './model/merge-patch.js';
import type { ReleaseStatusFields } from './model/status.js';
import type { HelmRelease } from './model/types.js';

/** Writes the status of one HelmRelease; what is there already is not written again. */
export interface StatusWriter {
  write(status: ReleaseStatusFields): Promise<void>;
}

/**
 * Starts from the object as it was read. A merge patch, without resourceVersion: nobody else writes this status, and
 * the outcome of an action must not get lost because a user edited the spec meanwhile.
 */
export function createStatusWriter(kube: Kube, release: HelmRelease): StatusWriter {
  let written: ReleaseStatusFields = release.status ?? {};
  const { name, namespace } = release.metadata;
  return {
    async write(status) {
      const patch = mergePatch(written, status);
      if (patch === undefined) return;
      const options = { subresource: 'status', fieldManager: FIELD_MANAGER } as const;
      await kube.patch(helmReleaseResource, { name, namespace }, { type: 'merge', body: { status: patch } }, options);
      written = status;
    },
  };
}
