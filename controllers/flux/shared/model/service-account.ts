import type { Applying } from './types.js';

/**
 * The ServiceAccount of the object's own namespace to impersonate on its cluster: that of the spec, else `fallback`
 * (--default-service-account). Undefined: the credential is used as it is.
 */
export function serviceAccountOf({ spec }: Pick<Applying, 'spec'>, fallback: string | undefined): string | undefined {
  return spec.serviceAccountName || fallback || undefined;
}
